import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runPolicyTest } from "../src/cli/policy-test.ts";
import { testFolder } from "./test-folder.ts";

const folder = join(import.meta.dirname, "../examples/policies");

describe("the example policies", () => {
  it.each(readdirSync(folder))("%s decides its cases as it says", async (file) => {
    const { folder: project, remove } = await testFolder();
    try {
      const { cases } = await runPolicyTest(join(folder, file), project);
      const wrong = cases.filter(({ passed }) => !passed);
      expect(wrong).toEqual([]);
      // Each shows what it lets through and what it stops.
      expect(new Set(cases.map(({ decision }) => decision)).size).toBeGreaterThan(1);
    } finally {
      await remove();
    }
  });
});
