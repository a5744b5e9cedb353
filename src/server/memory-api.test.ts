import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { auditDirectory } from "../audit/jsonl-log.ts";
import { openServed } from "../cli/serve-session.ts";
import { type ToolsApi, toolsApi } from "./tools-api.ts";

let project: string;
let file: string;
let api: ToolsApi;
const { HOME } = process.env;

beforeEach(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), "toolgate-memory-")));
  file = join(project, "memory", "MEMORY.md");
  mkdirSync(join(project, ".git"));
  mkdirSync(join(project, "memory"));
  writeFileSync(file, "2026-01-02|qq|tea\n- by hand\n2026-03-04|web|\\|two\\nlines\n");
  process.env.HOME = join(project, "home");
});
afterEach(async () => {
  await api[Symbol.asyncDispose]();
  process.env.HOME = HOME;
  rmSync(project, { recursive: true, force: true });
});

function serve(mode: string): void {
  const open = openServed({
    cwd: project,
    preset: "assistant",
    mode,
    withSettings: false,
    store: join(project, "state.db"),
  });
  api = toolsApi({ open, auditDirectory: auditDirectory(project) });
}

interface Reply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function ask(method: string, path: string, body?: unknown): Promise<Reply> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const response = await api.routes.request(path, { method, ...(body === undefined ? {} : { body: text }) });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

const hand = { line: 2, content: "- by hand" };
const lines = { line: 3, date: "2026-03-04", source: "web", content: "two\nlines" };

describe("the memory over plain HTTP", () => {
  it.each([
    [
      "GET",
      "/memory/stats",
      undefined,
      200,
      { total: 3, sources: { qq: 1, web: 1 }, date_range: { first: "2026-01-02", last: "2026-03-04" } },
    ],
    ["GET", "/memory/recent?count=2", undefined, 200, { total: 3, entries: [hand, lines] }],
    ["GET", "/memory/recent?count=0", undefined, 400, { code: "invalid_input" }],
    ["GET", "/memory/recent?count=x", undefined, 400, { code: "invalid_input" }],
    ["POST", "/memory/search", { keywords: "lines hand" }, 200, { total: 2, entries: [lines, hand] }],
    ["POST", "/memory/search", { keywords: "lines hand", match_mode: "and" }, 200, { total: 0, entries: [] }],
    ["POST", "/memory/search", { keywords: "lines", max_results: -1 }, 400, { code: "invalid_input" }],
    ["POST", "/memory/search", {}, 400, { code: "invalid_input" }],
    ["POST", "/memory/search", "[]", 400, { error: "The body must be a JSON object." }],
    ["POST", "/memory/search", "nonsense", 400, { error: "The body is not JSON." }],
    ["PUT", "/memory/long-term", { content: 7 }, 400, { error: "`content` must be the whole text." }],
  ] as const)("%s %s %j answers %d", async (method, path, body, status, answer) => {
    serve("acceptEdits");
    expect(await ask(method, path, body)).toMatchObject({ status, body: answer });
  });

  it("is read and replaced as a whole, if nobody came between", async () => {
    serve("acceptEdits");
    const { body } = await ask("GET", "/memory/long-term");
    expect(body.content).toBe(readFileSync(file, "utf8"));
    const content = `${body.content}2026-05-06|web|new\n`;
    expect((await ask("PUT", "/memory/long-term", { content, version: body.version })).status).toBe(200);
    expect(readFileSync(file, "utf8")).toBe(content);
    const late = await ask("PUT", "/memory/long-term", { content: "x", version: body.version });
    expect(late).toMatchObject({ status: 409, body: { success: false, code: "stale" } });
    expect((await ask("PUT", "/memory/long-term", { content: "y\n" })).status).toBe(200);
    expect((await ask("POST", "/memory/search", { keywords: "y" })).body.total).toBe(1);
  });

  it("goes through the gate", async () => {
    serve("default");
    const parked = await ask("PUT", "/memory/long-term", { content: "x" });
    expect(parked).toMatchObject({ status: 202, body: { approval_id: expect.any(String) } });
    expect(readFileSync(file, "utf8")).toContain("tea");
    expect((await ask("GET", "/memory/stats")).status).toBe(200);
    expect((await ask("GET", "/audit?tool_name=memory")).body.records).toHaveLength(2);
  });
});
