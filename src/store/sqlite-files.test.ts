import { fork } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newState } from "../state.ts";
import { refuses, StorePlace } from "../testing/store/world.ts";
import { MIGRATIONS } from "./schema.ts";
import { sqliteStore } from "./sqlite.ts";
import { openFile } from "./sqlite-driver.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolgate-files-"));
  path = join(folder, ".toolgate", "state.db");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const terms = () =>
  new StorePlace({ open: () => sqliteStore({ path }) }).terms({ expiresAt: "2999-01-01T00:00:00.000Z" });

describe("a SQLite store's files", () => {
  it("can be read by their owner alone", async () => {
    await using store = sqliteStore({ path });
    await store.save(newState({ cwd: "/" }), 0);
    const modes = ["", "/state.db", "/state.db-wal", "/state.key"].map((name) => {
      return (statSync(join(folder, ".toolgate") + name).mode & 0o777).toString(8);
    });
    expect(modes).toEqual(["700", "600", "600", "600"]);
  });

  it("are made when the store is first used, not before", async () => {
    await using store = sqliteStore({ path });
    expect(existsSync(join(folder, ".toolgate"))).toBe(false);
    await store.load("s1");
    expect(existsSync(path)).toBe(true);
  });

  it("have a key that no question outlives: with another key it is not believed", async () => {
    {
      await using store = sqliteStore({ path });
      await store.ask(terms());
    }
    rmSync(join(folder, ".toolgate", "state.key"));
    await using store = sqliteStore({ path });
    await refuses(store.answer("approval-1", { approved: true, by: "ann" }), "store_corrupt");
    expect(readFileSync(join(folder, ".toolgate", "state.key"), "utf8")).toMatch(/^[0-9a-f]{64}\n$/);
  });

  it("that came with a project are not believed: neither their sessions nor a key that others could have put there", async () => {
    {
      await using theirs = sqliteStore({ path });
      await theirs.save(newState({ sessionId: "s1", cwd: "/", mode: "bypass" }), 0);
    }
    const keyPath = join(folder, "home", "keys", "mine.key");
    await using here = sqliteStore({ path, keyPath });
    await refuses(here.load("s1"), "store_corrupt");
    chmodSync(join(folder, ".toolgate", "state.key"), 0o644); // as Git checks files out
    await using again = sqliteStore({ path });
    await refuses(again.load("s1"), "store_corrupt");
    rmSync(join(folder, ".toolgate", "state.key"));
    symlinkSync("/dev/zero", join(folder, ".toolgate", "state.key"));
    await using linked = sqliteStore({ path });
    await refuses(linked.load("s1"), "store_corrupt");
  });

  it("with a key that is none are refused, and work again once it is right", async () => {
    await using store = sqliteStore({ path });
    await store.ask(terms());
    await store[Symbol.asyncDispose]();
    const key = join(folder, ".toolgate", "state.key");
    const right = readFileSync(key);
    writeFileSync(key, "nonsense");
    await using again = sqliteStore({ path });
    await refuses(again.approval("approval-1"), "store_corrupt");
    writeFileSync(key, right);
    expect((await again.approval("approval-1"))?.status).toBe("pending");
  });

  it("that are no database are refused and left as they are", async () => {
    writeFileSync(join(folder, "notes.db"), "not a database, but long enough to look at. ".repeat(50));
    await using store = sqliteStore({ path: join(folder, "notes.db") });
    await refuses(store.load("s1"), "store_unavailable");
    expect(readFileSync(join(folder, "notes.db"), "utf8")).toMatch(/^not a database/);
  });

  it("of an older version are brought forward with what is in them, by one of several processes; newer ones are refused", async () => {
    {
      await using store = sqliteStore({ path });
      await store.save(newState({ sessionId: "s1", cwd: "/" }), 0);
    }
    const more = [
      ...MIGRATIONS,
      () => ["ALTER TABLE sessions ADD COLUMN title TEXT NOT NULL DEFAULT 'none'"],
    ];
    for (const driver of await Promise.all(
      [1, 2, 3].map(() =>
        openFile(path, { busyTimeoutMs: 5000, keyPath: path.replace(/\.db$/, ".key"), migrations: more }),
      ),
    )) {
      expect(await driver.rows("SELECT id, title FROM sessions", [])).toEqual([{ id: "s1", title: "none" }]);
      await driver[Symbol.asyncDispose]();
    }
    await using store = sqliteStore({ path });
    await expect(store.load("s1")).rejects.toThrow(
      /of version 2, made by a newer toolgate; this one knows version 1/,
    );
  });
});

describe("several processes on one SQLite store", () => {
  it("open it, save, ask and answer at the same time: every question has one answer", {
    timeout: 60_000,
  }, async () => {
    await using store = sqliteStore({ path });
    for (let at = 0; at < 40; at++) await store.ask({ ...terms(), id: `q${at}`, callId: `q${at}` });
    const children = ["ann", "bob", "eve"].map((by) =>
      fork(join(import.meta.dirname, "fixtures", "answer-all.ts"), [path, by], {
        stdio: ["ignore", "pipe", "inherit", "ipc"],
      }),
    );
    const told = await Promise.all(
      children.map(async (child) => {
        const [answered] = await once(child, "message");
        return answered as string[];
      }),
    );
    expect(told.flat().toSorted()).toEqual(Array.from({ length: 40 }, (_, at) => `q${at}`).toSorted());
    const { items, bad } = await store.approvals();
    expect([items.every(({ status }) => status === "approved"), bad]).toEqual([true, []]);
  });

  it("list 1,000 parked sessions in under a second", { timeout: 60_000 }, async () => {
    await using store = sqliteStore({ path });
    for (let at = 0; at < 1000; at++) {
      const state = newState({ sessionId: `s${at}`, cwd: "/work" });
      state.extra = { notes: "x".repeat(20_000) };
      await store.save(state, 0);
      await store.ask({ ...terms(), id: `q${at}`, sessionId: `s${at}` });
    }
    const from = performance.now();
    const { items } = await store.sessions({ parked: true, limit: 1000 });
    const took = performance.now() - from;
    expect([items.length, items.every(({ pending }) => pending === 1)]).toEqual([1000, true]);
    expect(took).toBeLessThan(1000);
  });
});
