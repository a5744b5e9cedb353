import { describe, expect, it } from "vitest";
import { has } from "../../require.ts";
import { crashTrial } from "./trial.ts";

describe.skipIf(!has("bash"))("sessions whose processes are killed at random moments", () => {
  it("lose no question, take no answer twice, do no work twice, and say what nobody knows", {
    timeout: 240_000,
  }, async () => {
    const { faults, points, questions } = await crashTrial({ points: 15, calls: 24, seed: 20_301 });
    expect(faults).toEqual([]);
    expect(points).toBe(15);
    expect(questions).toBeGreaterThan(0);
  });
});
