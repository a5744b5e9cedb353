import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { type Contender, measure, median } from "./measure.ts";
import { atMost, type Row, within } from "./table.ts";

const root = resolve(import.meta.dirname, "..");
const bin = join(root, "bin", "toolgate");

function start(args: readonly string[]): Contender {
  const options = { cwd: root, stdio: "ignore" } as const;
  return { name: args.join(" "), run: () => void execFileSync(process.execPath, args, options) };
}

/** How long from the start of `toolgate mcp` until its `tools/list` is answered, in microseconds. */
async function toolsListUs(): Promise<number> {
  const child = spawn(process.execPath, [bin, "mcp"], { cwd: root, stdio: ["pipe", "pipe", "ignore"] });
  const started = performance.now();
  try {
    await answers(child, 2);
    return (performance.now() - started) * 1000;
  } finally {
    child.kill();
  }
}

/** Sends the three messages a client starts with and waits for the answer with an id. */
function answers(child: ChildProcess, id: number): Promise<void> {
  const params = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "bench", version: "1" },
  };
  const messages = [
    { jsonrpc: "2.0", id: 1, method: "initialize", params },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id, method: "tools/list" },
  ];
  child.stdin?.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  return new Promise((done, fail) => {
    const timer = setTimeout(() => fail(new Error("toolgate mcp gave no tools/list in 20 s")), 20_000);
    let text = "";
    child.on("error", fail);
    child.stdout?.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
      if (!text.includes(`"id":${id}`)) return;
      clearTimeout(timer);
      done();
    });
  });
}

/** Start-up of the command line and the MCP server, and the cost of importing the library. */
export async function rows(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "toolgate-bench-"));
  try {
    const ours = join(folder, "ours.mjs");
    const zod = join(folder, "zod.mjs");
    writeFileSync(ours, `await import(${JSON.stringify(join(root, "dist", "index.js"))});`);
    writeFileSync(zod, `await import(${JSON.stringify(join(root, "node_modules", "zod", "index.js"))});`);
    const [bare, version, explain, library, withZod] = await measure(
      [
        start(["-e", "0"]),
        start([bin, "--version"]),
        start([bin, "explain", "ls"]),
        start([ours]),
        start([zod]),
      ],
      { rounds: 15 },
    );
    const us = (timing: { us: number } | undefined) => timing?.us ?? Number.NaN;
    const lists: number[] = [];
    for (let round = 0; round < 9; round++) lists.push(await toolsListUs());
    return [
      atMost("toolgate --version", us(version), us(bare), "node -e 0", 2.5),
      atMost("toolgate explain ls", us(explain), us(bare), "node -e 0", 2.5),
      atMost('import "toolgate", whole process', us(library), us(withZod), "importing zod", 1.3),
      within("toolgate mcp until tools/list", median(lists), 150_000),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
