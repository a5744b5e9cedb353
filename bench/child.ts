import { spawn } from "node:child_process";
import { performance } from "node:perf_hooks";

/** What a measured script reports about itself. */
export interface Report {
  readonly ms: number;
  /** Growth of the resident set while it worked, at its peak, in MB. */
  readonly growthMb: number;
}

/** Runs a script in a Node of its own, so that memory is its own too. It prints one JSON line made by {@link reportOf}. */
export function inChild(script: string, args: readonly string[]): Promise<Report> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
    child.on("error", fail).on("close", (code) => {
      if (code === 0) done(JSON.parse(text.trim().split("\n").at(-1) ?? "") as Report);
      else fail(new Error(`${script} ${args.join(" ")} ended with ${code}`));
    });
  });
}

/** Times some work and follows the resident set while it goes on. */
export async function reportOf(work: () => Promise<void>): Promise<Report> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const look = () => {
    peak = Math.max(peak, process.memoryUsage.rss());
  };
  const timer = setInterval(look, 5);
  const start = performance.now();
  await work();
  const ms = performance.now() - start;
  clearInterval(timer);
  look();
  return { ms, growthMb: (peak - before) / 1e6 };
}
