import { describe, expect, it } from "vitest";
import { startPostgres } from "../../postgres.ts";
import { has } from "../../require.ts";
import { scaleTrial } from "./trial.ts";

describe.skipIf(!has("postgres"))("sub-agents whose workers are killed all along", () => {
  it("give each result once, leave no mark twice, and none is lost", { timeout: 120_000 }, async () => {
    await using server = await startPostgres();
    const { faults, kills, jobs } = await scaleTrial({
      databaseUrl: server.url,
      jobs: 80,
      workers: 2,
      perWorker: 6,
      killWithinMs: 600,
      patienceMs: 90_000,
    });
    expect(faults).toEqual([]);
    expect(jobs).toBe(80);
    expect(kills).toBeGreaterThan(0);
  });
});
