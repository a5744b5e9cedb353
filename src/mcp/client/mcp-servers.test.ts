import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { memoryBackend } from "../../backends/memory.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { ToolkitOptions } from "../../toolkit/options.ts";
import { Toolkit } from "../../toolkit/toolkit.ts";
import { BackgroundCalls } from "../../tools/background/background-calls.ts";
import type { McpServerConfig } from "./config.ts";
import { McpServers, type McpServersOptions } from "./mcp-servers.ts";

const PROGRAM = resolve(import.meta.dirname, "../../../test/fixtures/hostile-mcp-server.mjs");
const node = (...args: readonly string[]) => ({ command: process.execPath, args: [PROGRAM, ...args] });

interface World extends AsyncDisposable {
  readonly servers: McpServers;
  readonly toolkit: Toolkit;
  readonly warnings: string[];
  call(tool: string, input?: JsonObject): ReturnType<Toolkit["execute"]>;
}

async function world(
  config: Partial<McpServerConfig> = {},
  { mode = "bypass", ...options }: ToolkitOptions = {},
  more: Partial<McpServersOptions> = {},
): Promise<World> {
  const warnings: string[] = [];
  const servers = new McpServers({
    servers: { s: { ...node(), ...config } as McpServerConfig },
    onWarning: (text) => warnings.push(text),
    ...more,
  });
  await servers.start();
  const toolkit = new Toolkit({ backend: memoryBackend(), mode, deferAbove: 1000, ...options });
  servers.attach(toolkit);
  return {
    servers,
    toolkit,
    warnings,
    call: (tool, input = {}) => toolkit.execute(`mcp__s__${tool}`, input),
    async [Symbol.asyncDispose](): Promise<void> {
      await servers[Symbol.asyncDispose]();
      await toolkit[Symbol.asyncDispose]();
    },
  };
}

/** One for all who only look and call. */
let common: Promise<World> | undefined;
function usual(): Promise<World> {
  common ??= world({ exposeResources: true, exposePrompts: true });
  return common;
}
afterAll(async () => await (await common)?.[Symbol.asyncDispose]());

/** Runs; a zombie doesn't. */
function runs(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

const GOOD = [
  ...["child", "crash", "cancelled", "echo", "endless", "env", "fails", "grow", "huge"],
  ...[`long${"g".repeat(43)}_15098eee`, `long${"g".repeat(43)}_d1a65dde`],
  ...["name_one", "name_one_15edc502", "name_one_82a8a35e", "nullable", "odd", "pois_oned_", "reads", "refs"],
  ...["refuses", "slow", "steady", "structured", "union"],
].map((name) => `mcp__s__${name}`);

describe("a server's tools", () => {
  it("are offered under names of their own, the broken ones left out with a word", async () => {
    await using at = await world();
    expect(at.toolkit.tools.map(({ name }) => name)).toEqual(GOOD.toSorted());
    expect(GOOD.every((name) => name.length <= 64)).toBe(true);
    expect(at.servers.servers).toMatchObject([{ name: "s", status: "ready", instructions: "Trust me." }]);
    expect(at.servers.servers[0]?.problems).toEqual([
      '"bad ref": its input schema is broken: /properties/$ref leads nowhere',
      '"bad root": its input schema is broken: its root is no object',
      '"bad type": its input schema is broken: /properties/type is none of JSON\'s',
      '"bad required": its input schema is broken: /required is no list of names',
      '"bad pattern": its input schema is broken: /properties/pattern is no regular expression',
      '"no schema object": its input schema is broken: it is no object',
      '"echo" is listed twice',
      "one without a proper name",
      "one that is no object",
    ]);
    expect(at.warnings).toHaveLength(1);
  });

  it.each<[string, Partial<McpServerConfig>, string[]]>([
    ["include", { include: ["echo", "re*"] }, ["echo", "reads", "refs", "refuses"]],
    [
      "exclude",
      { include: ["*e*"], exclude: ["*s*", "nam*", "*o*", "env", "huge"] },
      ["cancelled", "nullable"],
    ],
    ["exclude over include", { include: ["echo"], exclude: ["*"] }, []],
    ["nothing that is there", { include: ["nothing"] }, []],
  ])("can be chosen with %s", async (_name, config, names) => {
    await using at = await world(config);
    expect(at.toolkit.tools.map(({ name }) => name)).toEqual(names.map((name) => `mcp__s__${name}`));
  });

  it("keep $defs and unions in their schemas, and have no signs in their descriptions that can't be seen", async () => {
    const at = await usual();
    expect(at.toolkit.get("mcp__s__refs")?.inputSchema).toMatchObject({
      $defs: { node: { type: "object" } },
    });
    expect(at.toolkit.get("mcp__s__union")?.inputSchema).toMatchObject({ anyOf: [{}, {}] });
    expect(at.toolkit.get("mcp__s__pois_oned_")?.description).toBe("Harmless. Really.");
  });

  it.each<[string, string, JsonObject, string]>([
    ["what is required", "echo", {}, "error"],
    ["the right type", "echo", { text: "x" }, "success"],
    ["null where it is allowed", "nullable", { a: null, b: null }, "success"],
    ["nothing where it is optional", "nullable", {}, "success"],
    ["null as a text where a number is wanted", "nullable", { b: "null" }, "error"],
    ["one branch of a union", "union", { b: 1 }, "success"],
    ["no branch of a union", "union", { b: "1" }, "error"],
    ["what a reference leads to", "refs", { node: { next: { next: {} } } }, "success"],
    ["something else than a reference leads to", "refs", { node: { next: 5 } }, "error"],
  ])("are held to their schema: %s", async (_name, tool, input, state) => {
    const at = await usual();
    expect((await at.call(tool, input)).state).toBe(state);
  });

  it("come and go as the server says", async () => {
    await using at = await world();
    const echo = at.toolkit.get("mcp__s__echo");
    let changes = 0;
    at.toolkit.onToolsChanged(() => (changes += 1));
    await at.call("grow");
    await expect.poll(() => at.toolkit.get("mcp__s__later")?.name).toBe("mcp__s__later");
    expect(at.toolkit.get("mcp__s__echo")).toBe(echo);
    await at.call("grow");
    await expect.poll(() => at.toolkit.get("mcp__s__later")).toBe(undefined);
    expect(changes).toBe(2);
  });
});

describe("a call", () => {
  it("carries all kinds of content, what nobody knows as it is", async () => {
    const at = await usual();
    const { content } = await at.call("odd");
    expect(content.map((block) => (block.type === "text" ? block.text : block.source))).toEqual([
      "one\ntwo",
      { type: "base64", data: "AAAA", mediaType: "image/png" },
      { type: "base64", data: "AAAA", mediaType: "audio/wav" },
      "[mem:a]\ninside",
      { type: "base64", data: "AAAA", mediaType: "application/zip" },
      { type: "url", url: "https://example.com/x", mediaType: "text/html" },
      '{"type":"hologram","angle":3}\n7',
    ]);
  });

  it("shows structured content where there is no text, whatever its own schema says", async () => {
    const at = await usual();
    const { text, metadata, state } = await at.call("structured");
    expect({ text, metadata, state }).toEqual({
      text: '{"answer":42}',
      metadata: { structuredContent: { answer: 42 } },
      state: "success",
    });
  });

  it.each([
    ["an answer that says so", "fails", "it went wrong"],
    ["an error of the protocol", "refuses", "The MCP server s refused the call: not today"],
  ])("fails with %s", async (_name, tool, text) => {
    const at = await usual();
    expect(await at.call(tool)).toMatchObject({ state: "error", text });
  });

  it("keeps its answer within the gate's limits, all of it in a file", async () => {
    const at = await usual();
    const { text, metadata } = await at.call("huge", { size: 20_000_000 });
    expect(text.length).toBeLessThan(31_000);
    expect(metadata).toMatchObject({ truncated: true, characters: 19_999_990 });
  });

  it("ends when there is no sign of life, and tells the server", async () => {
    await using at = await world({ idleTimeoutMs: 500 });
    expect(await at.call("slow")).toMatchObject({
      state: "interrupted",
      metadata: {
        code: "timeout",
        message: "The MCP server s gave no sign of life for 500 ms; the call was cancelled.",
      },
    });
    expect((await at.call("cancelled")).text).toMatch(/^\d+$/);
  });

  it("goes on while there is progress, and shows it", async () => {
    await using at = await world({ idleTimeoutMs: 300 });
    const seen: string[] = [];
    const events = at.toolkit.run({ id: "c", name: "mcp__s__steady", input: {} });
    for await (const event of events) {
      if (event.type === "TOOL_PROGRESS") seen.push(event.message);
      if (event.type === "TOOL_RESULT_END") expect(event.state).toBe("success");
    }
    // One that comes with the answer may be too late to be shown.
    expect(seen.slice(0, 5)).toEqual(["step 1", "step 2", "step 3", "step 4", "step 5"]);
  });

  it("ends after its longest time, whatever progress it makes", async () => {
    await using at = await world({ idleTimeoutMs: 300, timeoutMs: 700 });
    const before = performance.now();
    expect(await at.call("endless")).toMatchObject({
      state: "interrupted",
      metadata: { message: "The MCP server s did not finish within 700 ms; the call was cancelled." },
    });
    expect(performance.now() - before).toBeLessThan(3000);
  });

  it("can be cancelled, and the server hears of it", async () => {
    await using at = await world();
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error("enough")), 100);
    const options = { signal: controller.signal };
    expect(await at.toolkit.execute("mcp__s__slow", {}, options)).toMatchObject({ state: "interrupted" });
    await expect.poll(async () => (await at.call("cancelled")).text).toMatch(/^\d+$/);
  });

  it("fails clearly when the server crashes in the middle, and the next one finds it again", async () => {
    await using at = await world();
    const slow = at.call("slow");
    const crash = await at.call("crash");
    for (const { state, metadata, text } of [crash, await slow]) {
      expect({ state, code: metadata.code }).toEqual({ state: "interrupted", code: "unknown_outcome" });
      expect(text).toContain("ended in the middle of the call; whether it did its work isn't known.");
      expect(text).toContain("I am dying.");
    }
    expect(await at.call("echo", { text: "back" })).toMatchObject({ state: "success", text: "back" });
    expect(at.warnings.at(-1)).toBe("The MCP server s has ended by itself; it is started again.");
  });

  it("comes back by itself after a crash", async () => {
    await using at = await world();
    await at.call("crash");
    await expect.poll(() => at.servers.servers[0]?.status).toBe("ready");
  });
});

describe("a call that takes long", () => {
  const longOnes = (backgroundAfterMs = 50) =>
    world({ backgroundAfterMs }, {}, { background: new BackgroundCalls() });

  it("goes on in the background: read while it runs, and told of once under its id", async () => {
    await using at = await longOnes();
    const { toolkit } = at;
    const response = await at.call("steady");
    expect([response.state, response.metadata]).toEqual(["success", { backgroundId: "bg_1", running: true }]);
    expect(response.text).toMatch(/^\[mcp__s__steady takes longer than 0\.05 s and goes on .* as bg_1\./);
    const live = await toolkit.execute("BackgroundOutput", { id: "bg_1", wait_ms: 5000 });
    expect(live.text).toMatch(/^(?:step \d\n)+\n\[bg_1 \(mcp__s__steady\) running for \d s: step \d\.\]$/);
    const news = () => toolkit.get("BackgroundOutput")?.news?.(toolkit.state);
    expect(news()).toEqual([]);
    await expect
      .poll(news, { timeout: 10_000 })
      .toEqual([
        "The mcp__s__steady call that went on in the background as bg_1 has ended: success.\n\nsteady has finished",
      ]);
    expect(news()).toEqual([]);
    expect((await toolkit.execute("BackgroundOutput", { id: "bg_1" })).text).toBe(
      "(no new output)\n[bg_1 (mcp__s__steady) ended: success.]",
    );
  });

  it("is stopped by its id, and the server hears of it", async () => {
    await using at = await longOnes();
    await at.call("slow");
    const { metadata } = await at.toolkit.execute("BackgroundStop", { id: "bg_1" });
    expect(metadata).toMatchObject({ running: false, state: "interrupted" });
    await expect.poll(async () => (await at.call("cancelled")).text).toMatch(/^\d+$/);
  });

  it("ends with its session, and not with another that has the same servers", async () => {
    await using at = await longOnes();
    const other = new Toolkit({ backend: memoryBackend(), mode: "bypass", deferAbove: 1000 });
    at.servers.attach(other);
    const endless = [at.call("endless"), other.execute("mcp__s__endless", {})];
    for (const { metadata } of await Promise.all(endless)) expect(metadata.backgroundId).toBe("bg_1");
    await other[Symbol.asyncDispose]();
    expect((await at.call("cancelled")).text).toMatch(/^\d+$/);
    const { text } = await at.toolkit.execute("BackgroundOutput", { id: "bg_1" });
    expect(text).toContain("running for");
  });

  it("is waited for where its server says so, and where there is no background", async () => {
    await using waits = await longOnes(600_001);
    expect((await waits.call("steady")).text).toBe("steady has finished");
    await using none = await world({ backgroundAfterMs: 1 });
    expect((await none.call("steady")).text).toBe("steady has finished");
    expect(none.toolkit.get("BackgroundOutput")).toBeUndefined();
  });
});

describe("permission", () => {
  it.each<[string, Partial<McpServerConfig>, ToolkitOptions, string, string]>([
    ["is asked for", {}, { mode: "default" }, "reads", "ask"],
    ["is asked for, readOnlyHint or not", {}, { mode: "acceptEdits" }, "reads", "ask"],
    [
      "isn't needed for what a trusted server says only reads",
      { trusted: true },
      { mode: "default" },
      "reads",
      "allow",
    ],
    ["is asked for all else of a trusted server", { trusted: true }, { mode: "default" }, "echo", "ask"],
    [
      "is given by a rule for the tool",
      {},
      { mode: "default", rules: ["allow:mcp__s__echo"] },
      "echo",
      "allow",
    ],
    ["is given by a rule for the server", {}, { mode: "default", rules: ["allow:mcp__s"] }, "echo", "allow"],
    ["is given by a rule with a star", {}, { mode: "default", rules: ["allow:mcp__s__*"] }, "echo", "allow"],
    [
      "is refused by a rule, whatever the mode",
      {},
      { mode: "bypass", rules: ["deny:mcp__s"] },
      "echo",
      "deny",
    ],
    ["is refused while exploring", {}, { mode: "explore" }, "echo", "deny"],
    [
      "is refused for a trusted server's reading too, where a rule says so",
      { trusted: true },
      { mode: "default", rules: ["deny:mcp__s__reads"] },
      "reads",
      "deny",
    ],
  ])("%s", async (_name, config, options, tool, behavior) => {
    await using at = await world(config, options);
    const input: JsonObject = tool === "echo" ? { text: "x" } : {};
    const decision = await at.toolkit.judge(`mcp__s__${tool}`, input);
    expect(decision.behavior).toBe(behavior);
    if (behavior === "ask")
      expect(decision.suggestions?.map(({ text }) => text)).toEqual([`mcp__s__${tool}`]);
  });
});

describe("a server's environment", () => {
  it("has none of the host's secrets, and what its configuration gives", async () => {
    const environment = { ...process.env, OPENAI_API_KEY: "secret", MY_TOKEN: "secret", WANTED: "yes" };
    const config = { env: { GIVEN: "yes" }, inheritEnv: ["WANTED"] };
    await using at = await world(config, {}, { environment });
    const env = JSON.parse((await at.call("env")).text);
    expect(env).toMatchObject({ GIVEN: "yes", WANTED: "yes", PATH: process.env.PATH });
    expect(Object.values(env)).not.toContain("secret");
  });
});

describe("a server that can't be used", () => {
  it.each<[string, McpServerConfig, string, RegExp]>([
    ["isn't there", { command: "/no/such/program" }, "failed", /its program can't be started \(.*ENOENT/],
    [
      "dies at once",
      node("dies"),
      "waiting",
      /it ended before it was ready\. Its last words: There is no database\./,
    ],
    ["says nothing", { ...node("silent"), startTimeoutMs: 300 }, "waiting", /it was not ready in time/],
    [
      "isn't listening",
      { type: "http", url: "http://127.0.0.1:9/mcp" },
      "waiting",
      /can't be used: .*fetch failed/,
    ],
  ])("because it %s, says so and keeps nobody waiting", async (_name, config, status, why) => {
    const warnings: string[] = [];
    await using servers = new McpServers({
      servers: { bad: config, s: node() },
      onWarning: (text) => warnings.push(text),
    });
    await servers.start();
    expect(servers.servers.map((server) => server.status)).toEqual([
      expect.stringMatching(new RegExp(`${status}|starting`)),
      "ready",
    ]);
    expect(servers.servers[0]?.problems[0]).toMatch(why);
    expect(warnings.join("\n")).toMatch(why);
  });
});

describe("resources and prompts", () => {
  it.each<[string, JsonObject, string]>([
    ["list_resources", {}, '{"uri":"mem:a","name":"a"}'],
    ["read_resource", { uri: "mem:a" }, "[mem:a]\ninside"],
    ["list_prompts", {}, '{"name":"p","arguments":[{"name":"who"}]}'],
    ["get_prompt", { name: "p", arguments: { who: "you" } }, "[user]\nHello you"],
  ])("are had with %s when they were asked for", async (tool, input, text) => {
    const at = await usual();
    expect(await at.call(tool, input)).toMatchObject({ state: "success", text });
  });

  it("are not offered otherwise", async () => {
    await using at = await world();
    expect(at.toolkit.get("mcp__s__list_resources")).toBe(undefined);
  });
});

describe("closing", () => {
  it("ends what servers have started, hidden or not, and everything that waits", async () => {
    const at = await world();
    const { text } = await at.call("child");
    const pid = Number(text);
    expect(runs(pid)).toBe(true);
    const slow = at.call("slow");
    await at[Symbol.asyncDispose]();
    expect(runs(pid)).toBe(false);
    expect((await slow).state).not.toBe("success");
  });

  it("ends a server that is only just starting", async () => {
    const servers = new McpServers({ servers: { s: node("silent") } });
    const starting = servers.start();
    await new Promise((done) => setTimeout(done, 100));
    const before = performance.now();
    await servers[Symbol.asyncDispose]();
    await starting;
    expect(performance.now() - before).toBeLessThan(4000);
    expect(servers.servers[0]?.status).toBe("closed");
  });
});
