import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Reply, ScriptedServer } from "./fixtures/scripted-server.ts";

const root = resolve(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/adapters.md"), "utf8");
const blocks = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, body = ""]) => body);
const PACKAGES = [
  "ai",
  "@ai-sdk/openai-compatible",
  "openai",
  "@anthropic-ai/sdk",
  "@langchain/core",
  "@opentelemetry/api",
];
/** The entries that the page names, as the package will have them. */
const ENTRIES = {
  ".": "./src/index.ts",
  "./ai-sdk": "./src/adapters/ai-sdk.ts",
  "./openai": "./src/adapters/openai.ts",
  "./anthropic": "./src/adapters/anthropic.ts",
  "./langchain": "./src/adapters/langchain.ts",
  "./otel": "./src/observe/otel.ts",
  "./log": "./src/observe/log.ts",
};

const chat = (message: object, finish_reason: string): Reply => ({
  json: {
    id: "c",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, finish_reason, message: { role: "assistant", ...message } }],
  },
});
const globCall = { name: "Glob", arguments: '{"pattern":"*.json"}' };
const chatReplies = [
  chat({ content: null, tool_calls: [{ id: "1", type: "function", function: globCall }] }, "tool_calls"),
  chat({ content: "One: package.json" }, "stop"),
];
const response = (output: readonly object[]): Reply => ({
  json: { id: "r", object: "response", created_at: 1, model: "m", status: "completed", output },
});
const message = (content: readonly object[], stop_reason: string): Reply => ({
  json: {
    id: "m",
    type: "message",
    role: "assistant",
    model: "m",
    content,
    stop_reason,
    usage: { input_tokens: 1, output_tokens: 1 },
  },
});
const text = "One: package.json";
const said = {
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text, annotations: [] }],
};

/** What each block's server says, and what the block prints. */
const ROWS: readonly (readonly [title: string, replies: readonly Reply[], printed: RegExp])[] = [
  ["AI SDK", chatReplies, /One: package\.json/],
  ["Chat Completions", chatReplies, /One: package\.json/],
  [
    "Responses",
    [response([{ type: "function_call", call_id: "1", status: "completed", ...globCall }]), response([said])],
    /One: package\.json/,
  ],
  [
    "Messages",
    [
      message([{ type: "tool_use", id: "1", name: "Glob", input: { pattern: "*.json" } }], "tool_use"),
      message([{ type: "text", text }], "end_turn"),
    ],
    /One: package\.json/,
  ],
  ["LangChain", [], /success.*"type": "module"/s],
  ["OpenTelemetry and logs", [], /Glob: success/],
];

describe("docs/adapters.md", () => {
  let project: string;
  beforeAll(() => {
    project = mkdtempSync(join(tmpdir(), "toolgate-adapters-"));
    writeFileSync(join(project, "package.json"), '{\n  "type": "module"\n}\n');
    for (const name of PACKAGES) {
      const target = join(project, "node_modules", name);
      mkdirSync(dirname(target), { recursive: true });
      symlinkSync(join(root, "node_modules", name), target);
    }
    const own = join(project, "node_modules", "toolgate");
    mkdirSync(own);
    writeFileSync(
      join(own, "package.json"),
      JSON.stringify({ name: "toolgate", type: "module", exports: ENTRIES }),
    );
    symlinkSync(join(root, "src"), join(own, "src"));
  });
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  it("has a row for each of its programs", () => expect(blocks).toHaveLength(ROWS.length));

  it.each(ROWS.map((row, at) => [...row, at] as const))(
    "runs: %s",
    async (_title, replies, printed, at) => {
      await using server = await ScriptedServer.start(...replies);
      const file = join(project, `block${at}.ts`);
      writeFileSync(file, blocks[at] ?? "");
      const { stdout } = await promisify(execFile)(process.execPath, [file], {
        cwd: project,
        timeout: 50_000,
        env: {
          ...process.env,
          OPENAI_BASE_URL: `${server.url}/v1`,
          OPENAI_API_KEY: "none",
          ANTHROPIC_BASE_URL: server.url,
          ANTHROPIC_API_KEY: "none",
        },
      });
      expect(stdout).toMatch(printed);
      expect(server.requests).toHaveLength(replies.length);
      if (replies.length > 0) expect(JSON.stringify(server.requests.at(-1)?.body)).toContain("package.json");
    },
    60_000,
  );
});
