import { describe, expect, it } from "vitest";
import { planOf } from "../../jobs/workflow/plan.ts";
import type { SlotView } from "../../jobs/workflow/view.ts";
import type { Paint } from "../output.ts";
import { treeLines } from "./tree.ts";

const plain: Paint = (_format, text) => text;

describe("treeLines", () => {
  const { slots } = planOf("goal", {
    mode: "graph",
    agents: [
      { id: "a", task: "t", role: "Reader" },
      { id: "b", task: "t", depends_on: ["a"] },
      { id: "c", task: "t", depends_on: ["b"] },
      { id: "lone", task: "t" },
    ],
  });
  const views: readonly SlotView[] = [
    { id: "a", label: "Reader", status: "done", jobId: "w.a" },
    { id: "b", label: "b", status: "failed", jobId: "w.b", why: "no\nluck \u001b[31m at all" },
    { id: "c", label: "c", status: "blocked", by: ["b"], why: "it needs b" },
    { id: "lone", label: "lone", status: "running", jobId: "w.lone", why: "Bash ls" },
  ];

  it("has a line for each agent, further in behind those that it waits for, in signs that steer nothing", () => {
    expect(treeLines(slots, views, { paint: plain, columns: 80 })).toEqual([
      "✓ a (Reader) done",
      "✗   b failed: no luck ␛[31m at all",
      "⊘     c blocked by b: it needs b",
      "● lone running: Bash ls",
    ]);
  });

  it("keeps to the terminal's width", () => {
    for (const line of treeLines(slots, views, { paint: plain, columns: 16 })) {
      expect(line.length).toBeLessThanOrEqual(16);
    }
  });
});
