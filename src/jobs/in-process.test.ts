import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "vitest";
import { jobContract, registerScripts, SCRIPT_QUEUES } from "../testing/job-contract.ts";
import { inProcess } from "./in-process.ts";

jobContract({
  name: "in-process",
  runner: { describe, it: (name, body) => it.concurrent(name, body, 60_000) },
  async create() {
    const folder = mkdtempSync(join(tmpdir(), "toolgate-jobs-"));
    const engine = inProcess();
    registerScripts(engine);
    await engine.launch({ queues: SCRIPT_QUEUES });
    return {
      engine,
      folder,
      async dispose() {
        await engine[Symbol.asyncDispose]();
        rmSync(folder, { recursive: true });
      },
    };
  },
  without: { another: "it is one process", worker: "it is one process" },
});
