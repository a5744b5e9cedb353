import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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

  it("goes on when its server was started again in the middle of a step", { timeout: 60_000 }, async () => {
    const log = join(folder, "restarted");
    const input = [
      { do: "step", name: "long", log, ms: 2500 },
      { do: "step", name: "after", log },
    ];
    const id = await engine.enqueue({ kind: "script", input });
    await expect.poll(() => existsSync(log), { timeout: 20_000 }).toBe(true);
    await server.restart();
    const { status, attempts } = await engine.wait(id, AbortSignal.timeout(40_000));
    expect([status, attempts, readFileSync(log, "utf8")]).toEqual(["completed", 1, "long\nafter\n"]);
  });

  it("is launched once in a process, and says so", async () => {
    await using second = dbosEngine({ databaseUrl: server.url, schema: SCHEMA });
    await expect(second.launch()).rejects.toMatchObject({ code: "unsupported" });
    // To look after jobs, it needn't be.
    await second.list();
  });

  it.each([
    [
      "a server that isn't there",
      { databaseUrl: "postgres://postgres@127.0.0.1:1/x", connectTimeoutMs: 300 },
    ],
    ["a schema that is no name", { schema: "a; DROP SCHEMA public" }],
  ])("refuses %s", async (_what, options) => {
    await using other = dbosEngine({ databaseUrl: server.url, ...options });
    await expect(other.list()).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:store_unavailable|usage)$/),
    });
  });

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
