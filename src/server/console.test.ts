import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../test/e2e/toolgate.ts";
import { MEDIA_SAMPLES } from "../../test/media-files.ts";
import { ModelServer, type SeenRequest } from "../../test/model-server.ts";
import { png } from "../../test/pictures.ts";
import { has } from "../../test/require.ts";
import { auditDirectory } from "../audit/jsonl-log.ts";
import { CONSOLE_TARGET, type ServedChannels, serveChannels } from "../cli/desk/serve-channels.ts";
import { openServed } from "../cli/serve-session.ts";
import { storePlace } from "../cli/store-place.ts";
import type { Store } from "../store.ts";
import { findChromium } from "../tools/web/browser/find-chromium.ts";
import { accessFor } from "./access.ts";
import { type HttpServer, httpServer } from "./http-server.ts";

const TOKEN = "a-token-of-enough-characters";
const auth = { Authorization: `Bearer ${TOKEN}` };
const { HOME, TOOLGATE_MODEL, OPENAI_API_KEY, OPENAI_BASE_URL } = process.env;
let project: string;
let models: ModelServer;
let served: ServedChannels;
let store: Store;
let server: HttpServer;

/** Starts what `toolgate serve --preset assistant` starts, in this process. */
async function start(): Promise<void> {
  const common = { cwd: project, preset: "assistant", mode: undefined, backend: undefined };
  store = (await storePlace(project, join(project, "state.db"))).open();
  served = await serveChannels({ ...common, project, store, note: (text) => expect.unreachable(text) });
  const { channels, console, desk } = served;
  server = await httpServer({
    host: "127.0.0.1",
    port: 0,
    access: accessFor("127.0.0.1", TOKEN),
    open: openServed({
      ...common,
      withSettings: false,
      store: join(project, "state.db"),
      parts: { channels },
      target: CONSOLE_TARGET,
    }),
    facts: { version: "0", instructions: "" },
    auditDirectory: auditDirectory(project),
    console: {
      channel: console,
      channels,
      store,
      answers: desk !== undefined,
      onAnswer: ({ sessionId }) => desk?.goOn(sessionId),
    },
    onError: (error) => {
      throw error;
    },
  });
  channels.start();
}

async function stop(): Promise<void> {
  await server[Symbol.asyncDispose]();
  await served[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
}

/** What the model does, by what it was told last. */
function answer({ messages }: SeenRequest): { text?: string; calls?: { name: string; arguments: object }[] } {
  const last = JSON.stringify(messages.at(-1));
  if (messages.at(-1)?.role === "tool") return { text: `The tool said: ${last.slice(0, 200)}` };
  if (last.includes("make a file"))
    return { calls: [{ name: "exec", arguments: { command: "touch made.txt" } }] };
  if (last.includes("send the chart")) {
    return {
      calls: [{ name: "send_media", arguments: { file_paths: ["chart.png"], message: "Your chart" } }],
    };
  }
  return { text: "Hello yourself." };
}

beforeAll(async () => {
  project = realpathSync(mkdtempSync(join(tmpdir(), "toolgate-console-")));
  mkdirSync(join(project, ".git"));
  mkdirSync(join(project, "home"));
  models = await ModelServer.answering(
    (request) => answer(request) as ReturnType<Parameters<typeof ModelServer.answering>[0]>,
  );
  Object.assign(process.env, {
    HOME: join(project, "home"),
    TOOLGATE_MODEL: "openai/scripted",
    OPENAI_API_KEY: "none",
    OPENAI_BASE_URL: models.url,
  });
  writeFileSync(join(project, "chart.png"), png(320, 200));
  writeFileSync(join(project, "report.pdf"), MEDIA_SAMPLES.get("pdf") ?? "");
  await start();
});
afterAll(async () => {
  await stop();
  await models[Symbol.asyncDispose]();
  for (const [name, value] of Object.entries({ HOME, TOOLGATE_MODEL, OPENAI_API_KEY, OPENAI_BASE_URL })) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  rmSync(project, { recursive: true, force: true });
});

interface Shown {
  readonly entries: readonly {
    readonly from: string;
    readonly text: string;
    readonly files: readonly { readonly id: string; readonly name: string }[];
  }[];
  readonly approvals: readonly { readonly id: string; readonly toolName: string; readonly input: string }[];
}

/** What the console would show now. */
async function shown(): Promise<Shown> {
  const leave = new AbortController();
  const response = await fetch(`${server.url}/api/console/events`, { headers: auth, signal: leave.signal });
  let text = "";
  for await (const piece of response.body ?? []) {
    text += Buffer.from(piece).toString();
    if (text.includes("\n\n")) break;
  }
  leave.abort();
  return JSON.parse(/^event: hello\ndata: (.*)$/m.exec(text)?.[1] ?? "");
}

async function post(path: string, body: string | FormData): Promise<number> {
  return (await fetch(`${server.url}/api${path}`, { method: "POST", headers: auth, body })).status;
}

function write(text: string, ...files: readonly File[]): Promise<number> {
  const form = new FormData();
  form.set("text", text);
  for (const file of files) form.append("files", file);
  return post("/console/messages", form);
}

const execute = (tool_name: string, args: unknown) =>
  post("/tools/execute", JSON.stringify({ tool_name, arguments: args }));
const texts = async (): Promise<readonly string[]> =>
  (await shown()).entries.map(({ from, text }) => `${from}: ${text}`);

describe("the console over HTTP", () => {
  it("shows its page to everybody, strictly, and nothing else without the token", async () => {
    for (const name of ["", "/console.js", "/console.css"]) {
      const page = await fetch(`${server.url}/console${name}`);
      expect(page.status).toBe(200);
      expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'self';/);
      expect(await page.text()).not.toContain(TOKEN);
    }
    expect((await fetch(`${server.url}/console/..%2fpackage.json`)).status).toBe(404);
    for (const path of ["/console/events", "/approvals", "/console/media/x"]) {
      expect((await fetch(`${server.url}/api${path}`)).status).toBe(401);
    }
    const foreign = { ...auth, Origin: "https://evil.example" };
    expect((await fetch(`${server.url}/api/console/events`, { headers: foreign })).status).toBe(403);
  });

  it("says how all channels stand", async () => {
    const response = await fetch(`${server.url}/api/channels`, { headers: auth });
    expect(await response.json()).toEqual({
      channels: [
        { name: "console", account: "default", connection: { state: "connected" }, turnedAway: { count: 0 } },
      ],
    });
  });

  it("shows what tools send as it happens, and hands the files out for saving only", async () => {
    expect(
      await execute("send_media", { file_paths: ["report.pdf", "chart.png"], message: "<b>All</b>" }),
    ).toBe(200);
    const { entries } = await shown();
    expect(entries.at(-1)).toMatchObject({
      from: "agent",
      text: "<b>All</b>",
      files: [{ name: "report.pdf" }, { name: "chart.png" }],
    });
    const media = await fetch(`${server.url}/api/console/media/${entries.at(-1)?.files[0]?.id}`, {
      headers: auth,
    });
    expect(Buffer.from(await media.arrayBuffer())).toEqual(MEDIA_SAMPLES.get("pdf"));
    expect(Object.fromEntries(media.headers)).toMatchObject({
      "content-type": "application/pdf",
      "content-disposition": "attachment; filename*=UTF-8''report.pdf",
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
    });
  });

  it("passes on what the person writes, and shows the answer", async () => {
    expect(await write("Hi there")).toBe(201);
    await until(async () => (await texts()).includes("agent: Hello yourself."));
    const [, heard] = models.requests.at(-1)?.messages ?? [];
    expect(String(JSON.stringify(heard?.content))).toMatch(
      /over console.*<<<message [0-9a-f]{16}\\nHi there\\nmessage/,
    );
  });

  it("keeps the person's files in the workspace, as what their names say", async () => {
    const page = new File(["<script>alert(1)</script>"], "../../page.html", { type: "text/html" });
    expect(await write("Look", page)).toBe(201);
    await until(() => existsSync(join(project, "temp", "channels", "console", "inbound")));
    const [file] = (await shown()).entries.find(({ text }) => text === "Look")?.files ?? [];
    expect(file?.name).toBe("page.html");
    const media = await fetch(`${server.url}/api/console/media/${file?.id}`, { headers: auth });
    expect(media.headers.get("content-type")).toBe("application/octet-stream");
  });

  it("shows a question, and goes on when it is answered", async () => {
    await write("Please make a file");
    await until(async () => (await shown()).approvals.length > 0);
    const [question] = (await shown()).approvals;
    expect(question).toMatchObject({ toolName: "exec", input: expect.stringContaining("touch made.txt") });
    expect(existsSync(join(project, "made.txt"))).toBe(false);
    expect(await post(`/approvals/${question?.id}`, '{"approved":"yes"}')).toBe(400);
    expect(await post("/approvals/nothing", '{"approved":true}')).toBe(404);
    expect(await post(`/approvals/${question?.id}`, '{"approved":true}')).toBe(200);
    expect(await post(`/approvals/${question?.id}`, '{"approved":false}')).toBe(409);
    await until(async () => (await texts()).some((text) => text.startsWith("agent: The tool said")));
    expect(existsSync(join(project, "made.txt"))).toBe(true);
    expect((await shown()).approvals).toEqual([]);
  });

  it("lets the agent send to the chat that it was asked in", async () => {
    await write("Now send the chart");
    await until(async () => (await texts()).includes("agent: Your chart"));
  });

  it.each<[string, () => Promise<number>, number]>([
    ["an empty message", () => write("  "), 400],
    ["a message that is too long", () => write("x".repeat(100_001)), 400],
    ["too many files", () => write("x", ...Array.from({ length: 11 }, () => new File(["a"], "a.txt"))), 400],
    ["no form", () => post("/console/messages", "text"), 400],
    [
      "a file that is too large",
      () => write("x", new File([Buffer.alloc(20 * 1024 * 1024 + 1)], "a.txt")),
      400,
    ],
  ])("refuses %s", async (_what, send, status) => {
    expect(await send()).toBe(status);
  });

  it("shows it all after a restart", async () => {
    const before = await texts();
    await stop();
    await start();
    expect(await texts()).toEqual(before);
    await write("Again");
    await until(async () => (await texts()).filter((text) => text === "agent: Hello yourself.").length > 1);
  });
});

describe.skipIf(!has("chromium"))("the console in Chromium", { timeout: 60_000 }, () => {
  it("shows text as text, files, and questions, and sends what is written", async () => {
    const { chromium } = await import("playwright-core");
    const executablePath = findChromium() ?? "";
    const browser = await chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 });
    try {
      const page = await browser.newPage({ viewport: { width: 1000, height: 800 } });
      const faults: string[] = [];
      page.on("pageerror", (error) => faults.push(error.message));
      page.on("console", (said) => said.type() === "error" && faults.push(said.text()));
      page.on("dialog", () => faults.push("a dialog"));
      const hostile = "<img src=x onerror=alert(1)><script>alert(2)</script>";
      await execute("send_media", { file_paths: ["chart.png"], message: hostile });
      await page.goto(`${server.url}/console`);
      await page.getByLabel("Token").fill(TOKEN);
      await page.getByRole("button", { name: "Open" }).click();
      await page.getByText(hostile).first().waitFor();
      await page.getByAltText("chart.png").last().waitFor();
      const [saved] = await Promise.all([
        page.waitForEvent("download"),
        page
          .getByRole("button", { name: /report\.pdf/ })
          .first()
          .click(),
      ]);
      expect(saved.suggestedFilename()).toBe("report.pdf");
      rmSync(join(project, "made.txt"), { force: true });
      await page.getByLabel("Message").fill("Please make a file");
      await page.getByRole("button", { name: "Send" }).click();
      await page.getByRole("button", { name: "Approve exec" }).waitFor();
      if (process.env.TOOLGATE_SHOW !== undefined) await page.screenshot({ path: process.env.TOOLGATE_SHOW });
      await page.getByRole("button", { name: "Approve exec" }).click();
      await until(() => existsSync(join(project, "made.txt")));
      await page.getByRole("button", { name: "Approve exec" }).waitFor({ state: "detached" });
      await page.reload();
      await page.getByText(hostile).first().waitFor();
      expect(page.url()).toBe(`${server.url}/console`);
      expect(faults).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
