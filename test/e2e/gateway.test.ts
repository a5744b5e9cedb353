import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { call, ERAS, httpClient, stdioClient } from "./mcp-client.ts";
import { exitOf, Playground, until } from "./toolgate.ts";

const require = createRequire(import.meta.url);
const HOSTILE = resolve(import.meta.dirname, "../fixtures/hostile-mcp-server.mjs");

const EVERYTHING = programOf(require.resolve("@modelcontextprotocol/server-everything/package.json"));
const FILESYSTEM = programOf(require.resolve("@modelcontextprotocol/server-filesystem/package.json"));

/** The program of an official server, by its package. */
function programOf(manifest: string): string {
  return join(dirname(manifest), "dist/index.js");
}

let play: Playground;
beforeEach(async () => {
  play = await new Playground().make();
});
afterEach(() => play[Symbol.dispose]());

/** Writes settings into the user's file. */
function userSettings(settings: object): void {
  mkdirSync(join(play.home, ".toolgate"), { recursive: true });
  writeFileSync(join(play.home, ".toolgate/settings.json"), JSON.stringify(settings));
}

function node(program: string, ...args: readonly string[]): { command: string; args: readonly string[] } {
  return { command: process.execPath, args: [program, ...args] };
}

async function names(client: Client): Promise<readonly string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}

/** The list once all servers are up; a slow machine may need more than one. */
async function namesWith(client: Client, wanted: string): Promise<readonly string[]> {
  let list: readonly string[] = [];
  await until(async () => {
    list = await names(client);
    return list.includes(wanted);
  }, 15_000);
  return list;
}

/** The processes that run a program for this test; zombies don't run. */
function running(mark: string): number {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return (
          readFileSync(`/proc/${pid}/environ`, "utf8").includes(mark) &&
          /hostile-mcp-server|server-(?:everything|filesystem)/.test(
            readFileSync(`/proc/${pid}/cmdline`, "utf8"),
          )
        );
      } catch {
        return false;
      }
    }).length;
}

describe.each(ERAS)("the gateway over stdio, %s protocol", (era) => {
  it("offers the official filesystem server's tools through the gate", async () => {
    userSettings({
      mcpServers: { files: { ...node(FILESYSTEM, play.project), trusted: true } },
      permissions: { allow: ["mcp__files__write_file"] },
    });
    writeFileSync(join(play.project, "a.txt"), "needle\n");
    const { client } = await stdioClient(play, [], { era });
    const list = await namesWith(client, "mcp__files__read_text_file");
    expect(list).toContain("Bash");
    const read = await call(client, "mcp__files__read_text_file", { path: join(play.project, "a.txt") });
    expect(read).toMatchObject({ state: "success", text: expect.stringContaining("needle") });
    const made = join(play.project, "made.txt");
    expect(await call(client, "mcp__files__write_file", { path: made, content: "x" })).toMatchObject({
      state: "success",
    });
    expect(readFileSync(made, "utf8")).toBe("x");
    const moved = await call(client, "mcp__files__move_file", { source: made, destination: `${made}2` });
    expect(moved).toMatchObject({
      state: "denied",
      text: expect.stringContaining("allow:mcp__files__move_file"),
    });
    expect(await call(client, "mcp__files__read_text_file", { path: "/etc/passwd" })).toMatchObject({
      state: "error",
    });
    await client.close();
    await until(() => running(play.root) === 0);
  });

  it("offers the official everything server's tools, with pictures, progress and structured content", async () => {
    userSettings({
      mcpServers: {
        all: { ...node(EVERYTHING, "stdio"), exposeResources: true, exposePrompts: true },
      },
    });
    const { client } = await stdioClient(play, ["--mode", "bypass"], { era });
    await namesWith(client, "mcp__all__echo");
    expect(await call(client, "mcp__all__echo", { message: "hi" })).toMatchObject({
      state: "success",
      text: "Echo: hi",
    });
    const { result } = await call(client, "mcp__all__get-tiny-image", {});
    expect(result.content.map(({ type }) => type)).toContain("image");
    const weather = await call(client, "mcp__all__get-structured-content", { location: "New York" });
    expect(weather.result.structuredContent).toMatchObject({ temperature: expect.any(Number) });
    const seen: number[] = [];
    const long = { duration: 1, steps: 4 };
    await call(client, "mcp__all__trigger-long-running-operation", long, {
      onprogress: ({ progress }) => seen.push(progress),
    });
    expect(seen.length).toBeGreaterThan(0);
    expect(await call(client, "mcp__all__list_resources", {})).toMatchObject({ state: "success" });
    expect(await call(client, "mcp__all__list_prompts", {})).toMatchObject({
      state: "success",
      text: expect.stringContaining("prompt"),
    });
    await client.close();
  });

  it("tells of tools that come later, and comes back after a crash", async () => {
    userSettings({ mcpServers: { s: node(HOSTILE) } });
    let told = 0;
    const { client } = await stdioClient(play, ["--mode", "bypass"], {
      era,
      toolsChanged: () => (told += 1),
    });
    await namesWith(client, "mcp__s__echo");
    const before = told;
    await call(client, "mcp__s__grow", {});
    await until(() => told > before);
    expect(await names(client)).toContain("mcp__s__later");
    expect(await call(client, "mcp__s__crash", {})).toMatchObject({
      result: { isError: true },
      text: expect.stringContaining("in the middle of the call"),
    });
    expect(await call(client, "mcp__s__echo", { text: "again" })).toMatchObject({
      state: "success",
      text: "again",
    });
    await client.close();
    await until(() => running(play.root) === 0);
  });

  it("shows tools on demand when there are too many", async () => {
    userSettings({ mcpServers: { a: node(HOSTILE), b: node(HOSTILE) } });
    let told = 0;
    const { client } = await stdioClient(play, ["--mode", "bypass"], {
      era,
      toolsChanged: () => (told += 1),
    });
    const list = await namesWith(client, "ToolSearch");
    expect(list.filter((name) => name.startsWith("mcp__"))).toEqual([]);
    const found = await call(client, "ToolSearch", { query: "select:mcp__a__echo,mcp__b__echo" });
    expect(found.text).toContain("## mcp__a__echo");
    await until(() => told > 0);
    expect(await names(client)).toEqual([...list, "mcp__a__echo", "mcp__b__echo"]);
    expect(await call(client, "mcp__a__echo", { text: "x" })).toMatchObject({ state: "success" });
    await client.close();
  });
});

describe("the gateway", () => {
  it("answers a call that takes long with an id, under which its output and its end are read", async () => {
    userSettings({ mcpServers: { s: { ...node(HOSTILE), backgroundAfterMs: 50 } } });
    const { client } = await stdioClient(play, ["--mode", "bypass"]);
    expect(await namesWith(client, "mcp__s__steady")).toContain("BackgroundOutput");
    const moved = await call(client, "mcp__s__steady", {});
    expect([moved.state, moved.text]).toEqual(["success", expect.stringContaining("as bg_1.")]);
    const read = { id: "bg_1", wait_ms: 5000 };
    const texts: string[] = [];
    await until(async () => {
      texts.push((await call(client, "BackgroundOutput", read)).text);
      return texts.at(-1)?.includes("ended: success") === true;
    }, 15_000);
    expect(texts[0]).toMatch(/^step \d/);
    expect(texts.filter((text) => text.includes("steady has finished"))).toHaveLength(1);
    await client.close();
    await until(() => running(play.root) === 0);
  });

  const later = { type: "sse", url: "http://127.0.0.1:9/sse" };

  it("lists its own tools at once, whatever servers do", async () => {
    userSettings({
      mcpServers: {
        mute: node(HOSTILE, "silent"),
        dead: node(HOSTILE, "dies"),
        none: { command: "/no/such" },
        later,
      },
    });
    const { client } = await stdioClient(play, []);
    const before = performance.now();
    const list = await names(client);
    expect(list).toContain("Bash");
    expect(list.filter((name) => name.startsWith("mcp__"))).toEqual([]);
    expect(performance.now() - before).toBeLessThan(5000);
    await client.close();
    await until(() => running(play.root) === 0);
  });

  it("tells once, with the next answer, that a call in the background has ended", async () => {
    userSettings({ mcpServers: { s: { ...node(HOSTILE), backgroundAfterMs: 50 } } });
    const { client } = await stdioClient(play, ["--mode", "bypass"]);
    await namesWith(client, "mcp__s__steady");
    expect((await call(client, "mcp__s__steady", {})).text).toContain("as bg_1.");
    const texts: string[] = [];
    const told = () => texts.filter((text) => text.includes("as bg_1 has ended: success."));
    await until(async () => {
      texts.push((await call(client, "mcp__s__echo", { text: "x" })).text);
      return told().length > 0;
    }, 15_000);
    texts.push((await call(client, "mcp__s__echo", { text: "x" })).text);
    expect(told()).toEqual([expect.stringContaining("steady has finished")]);
    await client.close();
  });

  it("starts nothing that came with a project until it is trusted", async () => {
    const mark = join(play.project, "started");
    const script = `require("fs").writeFileSync(${JSON.stringify(mark)}, "")`;
    const servers = { evil: { command: process.execPath, args: ["-e", script] }, s: node(HOSTILE) };
    writeFileSync(join(play.project, ".mcp.json"), JSON.stringify({ mcpServers: servers }));
    const first = await stdioClient(play, []);
    expect((await names(first.client)).filter((name) => name.startsWith("mcp__"))).toEqual([]);
    await first.client.close();
    const told = await play.run(["call", "mcp__s__echo", '{"text":"x"}']);
    expect(told.stderr).toContain("not started until the project is trusted: evil, s.");
    expect((await play.run(["doctor"])).stdout).toContain(
      "not started until the project is trusted: evil, s.",
    );
    expect(() => readFileSync(mark)).toThrow();
    userSettings({ trustedProjects: [play.project] });
    const { client } = await stdioClient(play, []);
    await namesWith(client, "mcp__s__echo");
    await client.close();
  });

  it("gives servers none of its own secrets", async () => {
    userSettings({ mcpServers: { s: { ...node(HOSTILE), env: { GIVEN: "${GIVEN_TOKEN}" } } } });
    const { stdout } = await play.run(["call", "mcp__s__env", "--mode", "bypass"], "", {
      OPENAI_API_KEY: "a-secret",
      GIVEN_TOKEN: "given",
    });
    expect(stdout).not.toContain("a-secret");
    expect(JSON.parse(stdout)).toMatchObject({ GIVEN: "given" });
  });
});

describe.each(ERAS)("the gateway over HTTP, %s protocol", (era) => {
  it("shares its servers among clients and ends them with itself", async () => {
    userSettings({ mcpServers: { all: node(EVERYTHING, "stdio") } });
    const server = play.start(["serve", "--port", "0", "--json", "--mode", "bypass"]);
    let stdout = "";
    server.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    await until(() => stdout.includes("\n"));
    const { mcpUrl, token } = JSON.parse(stdout.split("\n")[0] ?? "");
    const clients = await Promise.all([1, 2].map(() => httpClient(mcpUrl, token, { era })));
    for (const client of clients) await namesWith(client, "mcp__all__echo");
    const texts = await Promise.all(
      clients.map(async (client, at) => (await call(client, "mcp__all__echo", { message: `${at}` })).text),
    );
    expect(texts).toEqual(["Echo: 0", "Echo: 1"]);
    expect(running(play.root)).toBe(1);
    await Promise.all(clients.map((client) => client.close()));
    server.kill("SIGTERM");
    await exitOf(server);
    await until(() => running(play.root) === 0);
  });
});
