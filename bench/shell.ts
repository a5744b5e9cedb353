import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Toolkit } from "../src/toolkit/toolkit.ts";
import { Bash } from "../src/tools/bash.ts";
import { type Contender, measure } from "./measure.ts";
import { atMost, type Row } from "./table.ts";

function bareSpawn(command: string): Promise<string> {
  return new Promise((done, fail) => {
    const child = spawn("bash", ["-c", command], { stdio: ["ignore", "pipe", "pipe"] });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
    child.on("error", fail).on("close", () => done(text));
  });
}

function repeated(name: string, once: () => Promise<unknown>): Contender {
  return {
    name,
    run: async (times) => {
      for (let at = 0; at < times; at++) await once();
    },
  };
}

/** Bash through the whole gate against a bare spawn of bash; unconfined, then confined. */
export async function rows(): Promise<Row[]> {
  const cwd = mkdtempSync(join(tmpdir(), "toolgate-bench-"));
  try {
    const rows: Row[] = [];
    for (const command of ["true", "echo hi"]) {
      const [off, auto, spawned] = await measure(
        [
          ...(["off", "auto"] as const).map((confine) => {
            const toolkit = new Toolkit({ tools: [new Bash()], cwd, confine });
            return repeated(confine, () => toolkit.execute("Bash", { command }));
          }),
          repeated("bare", () => bareSpawn(command)),
        ],
        { times: 60, rounds: 9 },
      );
      const floor = spawned?.us ?? Number.NaN;
      rows.push(
        atMost(`Bash ${command}`, off?.us ?? Number.NaN, floor, "bare spawn", 1.15),
        atMost(`Bash ${command}, confined by bubblewrap`, auto?.us ?? Number.NaN, floor, "bare spawn"),
      );
    }
    return rows;
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}
