import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startPostgres, type TestPostgres } from "../../test/postgres.ts";
import { has } from "../../test/require.ts";
import { newState } from "../state.ts";
import { refuses } from "../testing/store/world.ts";
import { storeContract } from "../testing/store-contract.ts";
import { postgresStore } from "./postgres.ts";
import { openPostgres } from "./postgres-driver.ts";
import { MIGRATIONS } from "./schema.ts";

describe.skipIf(!has("postgres"))("postgres", () => {
  let server: TestPostgres;
  let schemas = 0;

  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server[Symbol.asyncDispose]());

  async function execute(sql: string): Promise<void> {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await client.query(sql);
    await client.end();
  }

  storeContract({
    name: "postgres",
    runner: { describe, it },
    create() {
      const schema = `row${++schemas}`;
      return {
        open: (clock) => postgresStore({ url: server.url, schema, clock, maxConnections: 3 }),
        execute: (sql) => execute(`SET search_path TO ${schema}; ${sql}`),
        dispose: () => execute(`DROP SCHEMA IF EXISTS ${schema} CASCADE`),
      };
    },
  });

  it("is brought forward once when several open older tables at the same time, and keeps what is in them", async () => {
    const options = { url: server.url, schema: "older" };
    const state = newState({ sessionId: "s1", cwd: "/" });
    {
      await using store = postgresStore(options);
      await store.save(state, 0);
    }
    const more = [
      ...MIGRATIONS,
      () => ["ALTER TABLE sessions ADD COLUMN title TEXT NOT NULL DEFAULT 'none'"],
    ];
    const drivers = await Promise.all([1, 2, 3].map(() => openPostgres(options, more)));
    for (const driver of drivers) {
      expect(await driver.rows("SELECT id, title FROM sessions", [])).toEqual([{ id: "s1", title: "none" }]);
      await driver[Symbol.asyncDispose]();
    }
    await using store = postgresStore(options);
    await refuses(store.load("s1"), "unsupported");
  });

  it("goes on after its server was restarted", async () => {
    await using store = postgresStore({ url: server.url, schema: "restarted" });
    const state = newState({ sessionId: "s1", cwd: "/" });
    await store.save(state, 0);
    await server.restart();
    expect((await store.load("s1"))?.revision).toBe(1);
  });

  it("waits while its server is away, and says so when nobody knows whether something was kept", async () => {
    await using store = postgresStore({ url: server.url, schema: "away" });
    const state = newState({ sessionId: "s1", cwd: "/" });
    let revision = await store.save(state, 0);
    let isAway = true;
    const restart = server.restart().finally(() => {
      isAway = false;
    });
    for (let more = 20; more > 0; more -= isAway ? 0 : 1) {
      const saved: unknown = await store.save(state, revision).catch((error: unknown) => error);
      const found = (await store.load("s1"))?.revision;
      if (typeof saved !== "number") {
        expect(saved).toMatchObject({
          code: "store_unavailable",
          message: expect.stringContaining("may have been"),
        });
      }
      expect([revision, revision + 1]).toContain(found);
      revision = found ?? 0;
    }
    await restart;
    expect(revision).toBeGreaterThan(20);
  });

  it("signs with a key of its user's own, which the database doesn't know", async () => {
    const options = { url: server.url, schema: "keyed" };
    const terms = {
      version: 1,
      id: "a",
      sessionId: "s",
      callId: "c",
      toolName: "Bash",
      input: {},
      cwd: "/",
      backendId: "local",
      files: [],
      decision: { behavior: "ask", message: "" },
      suggestions: [],
      createdAt: "2030-01-01T00:00:00.000Z",
      expiresAt: "2999-01-01T00:00:00.000Z",
    } as const;
    await using own = postgresStore({ ...options, key: Buffer.alloc(32, 7) });
    await own.ask(terms);
    await using other = postgresStore(options);
    await refuses(other.answer("a", { approved: true, by: "eve" }), "store_corrupt");
    await own.answer("a", { approved: true, by: "ann" });
  });

  it.each([
    ["a server that isn't there", { url: "postgres://postgres@127.0.0.1:1/postgres" }, "store_unavailable"],
    ["no address", { url: "nonsense" }, "store_unavailable"],
    ["a schema that is no name", { schema: "a; DROP SCHEMA public" }, "usage"],
    ["a key that is too short", { key: Buffer.alloc(8) }, "usage"],
  ] as const)("refuses %s", async (_what, options, code) => {
    await using store = postgresStore({ url: server.url, ...options });
    await refuses(store.load("s1"), code);
  });

  it("doesn't show its password in errors", async () => {
    await using store = postgresStore({ url: "postgres://ann:secret@127.0.0.1:1/db" });
    await expect(store.load("s1")).rejects.toThrow(/postgres:\/\/127\.0\.0\.1:1\/db/);
    await expect(store.load("s1")).rejects.not.toThrow(/secret/);
  });
});
