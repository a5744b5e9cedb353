import sdk from "@dbos-inc/dbos-sdk";
import { Client, Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startPostgres, type TestPostgres } from "../../test/postgres.ts";
import { has } from "../../test/require.ts";
import { sweepTickets } from "./dbos/sweep.ts";
import { dbosEngine } from "./dbos.ts";
import type { JobEngine } from "./engine.ts";
import { inProcess } from "./in-process.ts";
import { Database } from "./postgres/database.ts";

/** Kept for so long by the engines below. */
const KEPT_MS = 400;

async function begin(engine: JobEngine): Promise<void> {
  engine.register("quick", async (input, { step, report }) => {
    report("half", { of: "it" });
    return step("only", () => input, { safe: true });
  });
  engine.register("failing", (_input, { step }) => {
    return step("only", () => {
      throw new Error("No way.");
    });
  });
  engine.register("parent", async (_input, { start, first, receive }) => {
    const child = await start("child", { kind: "quick", input: "c" });
    await receive("go");
    return (await first([child])).result;
  });
  await engine.launch();
}

async function gone(engine: JobEngine, id: string): Promise<void> {
  await expect.poll(async () => engine.get(id), { timeout: 20_000, interval: 100 }).toBeUndefined();
}

async function count(events: AsyncIterable<unknown>): Promise<number> {
  let found = 0;
  for await (const _event of events) found += 1;
  return found;
}

/** By themselves, engines that run forget what has ended long enough ago, and nothing that somebody still needs. */
async function sweeps(engine: JobEngine): Promise<void> {
  await begin(engine);
  const when = { at: new Date(Date.now() + 100).toISOString() };
  await engine.schedule({ name: "once", when, job: { kind: "quick", input: "s" } });
  const parent = await engine.enqueue({ id: "parent", kind: "parent" });
  const failed = await engine.enqueue({ kind: "failing" });
  const many = await Promise.all(
    Array.from({ length: 250 }, (_one, at) => engine.enqueue({ kind: "quick", input: at })),
  );
  for (const id of [failed, ...many]) await gone(engine, id);
  await expect.poll(() => engine.schedules(), { timeout: 20_000 }).toEqual([]);
  await engine.send(parent, "go", 1);
  expect((await engine.wait(parent, AbortSignal.timeout(20_000))).result).toBe("c");
  await gone(engine, parent);
  await gone(engine, `${parent}.child`);
}

/** A completed job's result outlives what led to it; one that failed keeps it, and goes on. */
async function forgetsHistory(engine: JobEngine): Promise<void> {
  await begin(engine);
  const done = await engine.enqueue({ kind: "quick", input: "kept" });
  const failed = await engine.enqueue({ kind: "failing" });
  await engine.wait(done, AbortSignal.timeout(20_000));
  await expect.poll(() => count(engine.events(done)), { timeout: 20_000 }).toBe(0);
  expect((await engine.get(done))?.result).toBe("kept");
  await engine.wait(failed, AbortSignal.timeout(20_000));
  expect(await count(engine.events(failed))).toBeGreaterThan(2);
  await engine.resume(failed);
  expect((await engine.wait(failed, AbortSignal.timeout(20_000))).error?.message).toBe("No way.");
}

describe("an engine in process", () => {
  it("removes by itself what ended long enough ago, and nothing that is needed", {
    timeout: 60_000,
  }, async () => {
    await using engine = inProcess({ keepEndedMs: KEPT_MS });
    await sweeps(engine);
  });

  it("forgets how a completed job came to its result", { timeout: 60_000 }, async () => {
    await using engine = inProcess({ keepHistoryMs: 0 });
    await forgetsHistory(engine);
  });

  it("keeps no more ended jobs than it may, and all that their parents need", {
    timeout: 60_000,
  }, async () => {
    await using engine = inProcess();
    await begin(engine);
    const parent = await engine.enqueue({ id: "parent", kind: "parent" });
    await expect.poll(async () => (await engine.get(parent))?.status, { timeout: 20_000 }).toBe("waiting");
    for (let at = 0; at < 21_000; at += 1000) {
      await Promise.all(
        Array.from({ length: 1000 }, (_one, more) => engine.enqueue({ id: `${at + more}`, kind: "quick" })),
      );
    }
    await engine.wait("20999", AbortSignal.timeout(50_000));
    await gone(engine, "0");
    expect(await engine.get("20999")).toBeDefined();
    await engine.send(parent, "go", 1);
    expect((await engine.wait(parent, AbortSignal.timeout(20_000))).result).toBe("c");
  });

  it.each([-1, Number.NaN])("refuses to keep anything for %s ms", (keepEndedMs) => {
    expect(() => inProcess({ keepEndedMs })).toThrow(/keepEndedMs/);
  });
});

describe.skipIf(!has("postgres"))("an engine on Postgres", () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server[Symbol.asyncDispose]());

  async function rows(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const client = new Client({ connectionString: server.url });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  it("removes by itself what ended long enough ago, and nothing that is needed", {
    timeout: 90_000,
  }, async () => {
    await using engine = dbosEngine({ databaseUrl: server.url, schema: "swept", keepEndedMs: KEPT_MS });
    await sweeps(engine);
    const tables = ["jobs", "steps", "messages", "events", "schedules"];
    const counts = tables.map(
      (table) => `SELECT '${table}' AS name, count(*)::int AS rows FROM swept.${table}`,
    );
    expect(await rows(counts.join(" UNION ALL "))).toEqual(tables.map((name) => ({ name, rows: 0 })));
  });

  it("forgets how a completed job came to its result", { timeout: 60_000 }, async () => {
    await using engine = dbosEngine({ databaseUrl: server.url, schema: "history", keepHistoryMs: 0 });
    await forgetsHistory(engine);
  });

  it("removes the spent tickets of the dispatch, however many there are", { timeout: 120_000 }, async () => {
    await using engine = dbosEngine({ databaseUrl: server.url, schema: "tickets" });
    await begin(engine);
    const ids = await Promise.all(
      Array.from({ length: 1050 }, (_one, at) => engine.enqueue({ kind: "quick", input: at })),
    );
    for (const id of ids) await engine.wait(id, AbortSignal.timeout(90_000));
    const tickets = async () =>
      (await rows("SELECT count(*)::int AS left FROM tickets_dbos.workflow_status"))[0]?.left;
    expect(await tickets()).toBe(1050);
    const pool = new Pool({ connectionString: server.url, max: 2 });
    const client = await sdk.DBOSClient.create({
      systemDatabaseUrl: server.url,
      systemDatabasePool: pool,
      systemDatabaseSchemaName: "tickets_dbos",
    });
    const stop = new AbortController();
    const queries = new Database(pool, "tickets");
    sweepTickets({
      client,
      queries,
      workflowName: "toolgate.run",
      signal: stop.signal,
      everyMs: 100,
      keptMs: 0,
    });
    await expect.poll(tickets, { timeout: 20_000, interval: 200 }).toBe(0);
    stop.abort();
    await client.destroy();
    await pool.end();
  });

  it("brings the tables of an earlier version forward", { timeout: 60_000 }, async () => {
    {
      await using engine = dbosEngine({ databaseUrl: server.url, schema: "older" });
      await engine.enqueue({ id: "a", kind: "quick", input: 1 });
    }
    await rows(`ALTER TABLE older.jobs DROP COLUMN resumes, DROP COLUMN resumed_at; DROP INDEX older.jobs_ended;
      DROP TABLE older.sweeps; UPDATE older.meta SET version = 1`);
    await using engine = dbosEngine({ databaseUrl: server.url, schema: "older" });
    await begin(engine);
    expect((await engine.wait("a", AbortSignal.timeout(20_000))).result).toBe(1);
  });
});
