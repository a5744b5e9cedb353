import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { startPostgres, type TestPostgres } from "../../test/postgres.ts";
import { has } from "../../test/require.ts";
import { type JobWorker, jobContract, registerScripts, SCRIPT_QUEUES } from "../testing/job-contract.ts";
import { dbosEngine } from "./dbos.ts";
import type { JobEngine } from "./engine.ts";

const WORKER = join(import.meta.dirname, "fixtures/script-worker.ts");
const SCHEMA = "contract";

describe.skipIf(!has("postgres"))("dbos", () => {
  let server: TestPostgres;
  let engine: JobEngine;
  let folder: string;

  beforeAll(async () => {
    server = await startPostgres();
    folder = mkdtempSync(join(tmpdir(), "toolgate-jobs-"));
    engine = dbosEngine({ databaseUrl: server.url, schema: SCHEMA });
    registerScripts(engine);
    await engine.launch({ queues: SCRIPT_QUEUES });
  }, 60_000);

  afterAll(async () => {
    await engine[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  }, 60_000);

  async function worker(queue: string): Promise<JobWorker> {
    const child = fork(WORKER, [server.url, SCHEMA, queue], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    await Promise.race([once(child, "message"), once(child, "exit")]);
    return { kill: () => end(child, "SIGKILL"), stop: () => end(child, "SIGTERM") };
  }

  jobContract({
    name: "dbos",
    runner: {
      // Each crash has workers of its own, and time passes while they start.
      describe: (name, body) => (name === "crashes" ? describe.concurrent : describe)(name, body),
      it: (name, body) => it(name, body, 90_000),
    },
    create: () => ({
      engine,
      folder,
      another: () => dbosEngine({ databaseUrl: server.url, schema: SCHEMA, maxConnections: 3 }),
      worker,
    }),
  });
});

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
}
