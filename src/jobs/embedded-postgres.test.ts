import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dbosEngine } from "./dbos.ts";
import { embeddedPostgres, runningUrl } from "./embedded-postgres.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "toolgate-embedded-"));
  chmodSync(folder, 0o755); // Postgres runs as another user than root.
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a Postgres of a project's own", { timeout: 60_000 }, () => {
  it("keeps jobs from one process to the next, and is found again while it runs", async () => {
    const place = join(folder, "postgres");
    expect(await runningUrl(place)).toBeUndefined();
    const first = await embeddedPostgres(place);
    expect(statSync(join(place, "password")).mode & 0o77).toBe(0);
    {
      await using engine = dbosEngine({ databaseUrl: first.databaseUrl });
      await engine.enqueue({ id: "kept", kind: "later" });
    }
    // As after a kill: nobody stopped it.
    const second = await embeddedPostgres(place);
    expect(second.databaseUrl).toBe(first.databaseUrl);
    {
      await using engine = dbosEngine({ databaseUrl: second.databaseUrl });
      expect((await engine.get("kept"))?.status).toBe("queued");
      // In use: who else lets go of it leaves it be.
      await first[Symbol.asyncDispose]();
      expect(await runningUrl(place)).toBe(second.databaseUrl);
    }
    await second[Symbol.asyncDispose]();
    expect(await runningUrl(place)).toBeUndefined();
    await using third = await embeddedPostgres(place);
    await using engine = dbosEngine({ databaseUrl: third.databaseUrl });
    expect((await engine.get("kept"))?.status).toBe("queued");
    expect(readFileSync(join(place, "log"), "utf8")).toContain("ready to accept connections");
  });
});
