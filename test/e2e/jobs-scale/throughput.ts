import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sdk from "@dbos-inc/dbos-sdk";
import { dbosEngine, type Json } from "../../../src/index.ts";
import { allEnded } from "./trial.ts";
import { Workers } from "./workers.ts";

const { DBOS, DBOSClient } = sdk;
const PATIENCE_MS = 900_000;

/** What is measured: agents that work, or jobs of one step that do nothing. */
export type Load = "agent" | "small";

/** How long some jobs took. */
export interface Measured {
  readonly jobs: number;
  /** Until all were written down. */
  readonly enqueueSeconds: number;
  /** Until all had ended, from the first on. */
  readonly seconds: number;
  readonly perSecond: number;
  /** The most that one process had. */
  readonly workerMegabytes: number;
  readonly serverMegabytes: number;
}

/** How it is run. */
export interface Run {
  readonly databaseUrl: string;
  readonly workers: number;
  readonly perWorker: number;
}

/** Jobs through the engine. */
export async function throughput(
  { databaseUrl, workers: count, perWorker }: Run,
  load: Load,
  jobs: number,
): Promise<Measured> {
  return inFolder(async (folder) => {
    await using engine = dbosEngine({ databaseUrl });
    await engine.launch({ queues: {} });
    await using workers = await Workers.start(count, "worker-child.ts", [
      databaseUrl,
      folder,
      String(perWorker),
    ]);
    const run = `run${Date.now()}`;
    return await measure(jobs, workers, {
      add: (at) =>
        engine.enqueue({ id: `${run}-${at}`, kind: load, sessionId: run, input: inputOf(load, run, at) }),
      async ended() {
        if (!(await allEnded(engine, run, { patienceMs: PATIENCE_MS }))) return false;
        const { items } = await engine.list({ sessionId: run, status: ["failed", "cancelled"] });
        return items.length === 0;
      },
    });
  });
}

/** The same by DBOS alone. */
export async function bareThroughput(
  { databaseUrl, workers: count, perWorker }: Run,
  load: Load,
  jobs: number,
): Promise<Measured> {
  return inFolder(async (folder) => {
    // Its workers can't make the tables at the same time.
    await DBOS.migrate(databaseUrl, { schemaName: "bare" });
    await using workers = await Workers.start(count, "bare-child.ts", [
      databaseUrl,
      folder,
      String(perWorker),
    ]);
    const client = await DBOSClient.create({
      systemDatabaseUrl: databaseUrl,
      systemDatabaseSchemaName: "bare",
      applicationName: "bare",
    });
    const run = `run${Date.now()}`;
    try {
      return await measure(jobs, workers, {
        add: (at) =>
          client.enqueue(
            { queueName: "bare", workflowName: load, workflowID: `${run}-${at}`, appVersion: "1" },
            `${run}-${at}`,
          ),
        async ended() {
          for (const end = Date.now() + PATIENCE_MS; Date.now() < end; ) {
            const open = await client.listWorkflows({
              workflow_id_prefix: run,
              status: ["ENQUEUED", "PENDING"],
              loadInput: false,
              loadOutput: false,
              limit: 1,
            });
            if (open.length === 0) return true;
            await new Promise((done) => setTimeout(done, 100));
          }
          return false;
        },
      });
    } finally {
      await client.destroy();
    }
  });
}

interface Way {
  readonly add: (at: number) => Promise<unknown>;
  readonly ended: () => Promise<boolean>;
}

async function measure(jobs: number, workers: Workers, { add, ended }: Way): Promise<Measured> {
  const began = performance.now();
  const secondsSince = () => Number(((performance.now() - began) / 1000).toFixed(2));
  const watch = setInterval(() => workers.measure(), 500);
  let serverMemory = 0;
  for (let at = 0; at < jobs; at += 500) {
    await Promise.all(Array.from({ length: Math.min(500, jobs - at) }, (_one, more) => add(at + more)));
    serverMemory = Math.max(serverMemory, process.memoryUsage().rss);
  }
  const enqueueSeconds = secondsSince();
  if (!(await ended())) throw new Error("Not all jobs have ended well.");
  const seconds = secondsSince();
  clearInterval(watch);
  workers.measure();
  return {
    jobs,
    enqueueSeconds,
    seconds,
    perSecond: Number((jobs / seconds).toFixed(1)),
    workerMegabytes: Math.round(workers.mostMemory / 2 ** 20),
    serverMegabytes: Math.round(Math.max(serverMemory, process.memoryUsage().rss) / 2 ** 20),
  };
}

function inputOf(load: Load, run: string, at: number): Json {
  return load === "agent" ? { prompt: `${run}-${at}` } : `${run}-${at}`;
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "toolgate-scale-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
