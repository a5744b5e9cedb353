import { describe, expect, it } from "vitest";
import { memoryBackend } from "../backends/memory.ts";
import type { JsonObject } from "../lib/json.ts";
import { PERMISSION_MODES } from "../rule.ts";
import { newState } from "../state.ts";
import { Toolkit } from "../toolkit/toolkit.ts";
import { planTools } from "./presets.ts";

type Step = readonly [tool: string, input: JsonObject, text: string, state?: "success" | "error"];

function plan(): Toolkit {
  return new Toolkit({ tools: planTools(), backend: memoryBackend() });
}

async function play(toolkit: Toolkit, steps: readonly Step[]): Promise<void> {
  for (const [tool, input, text, state = "success"] of steps) {
    const response = await toolkit.execute(tool, input);
    expect({ tool, input, text: response.text, state: response.state }).toEqual({ tool, input, text, state });
  }
}

const create = (subject: string, id: number): Step => [
  "TaskCreate",
  { subject, description: "" },
  `Task ${id} was added: ${subject}`,
];
const update = (id: string, change: JsonObject, text: string, state?: "error"): Step =>
  state === undefined
    ? ["TaskUpdate", { task_id: id, ...change }, text]
    : ["TaskUpdate", { task_id: id, ...change }, text, state];
const blocked = (id: number, status: string, by: string): string =>
  `Task ${id} can't be ${status}: ${by} completed yet. Do that first, remove the link, or give override: true if the order doesn't matter after all.`;
const ABC = [create("A", 1), create("B", 2), create("C", 3)];

describe("plan tools", () => {
  const rows: readonly (readonly [title: string, steps: readonly Step[]])[] = [
    [
      "keep a task and show it",
      [
        ["TaskList", {}, "There are no tasks."],
        [
          "TaskCreate",
          { subject: " Write ", description: "All of it.\nTwice.", metadata: { k: 1 } },
          "Task 1 was added: Write",
        ],
        [
          "TaskGet",
          { task_id: "1" },
          'Task 1: Write\nStatus: pending\nMetadata: {"k":1}\n\nAll of it.\nTwice.',
        ],
        ["TaskList", {}, "1 [pending] Write"],
      ],
    ],
    [
      "never use an id again",
      [
        ...ABC,
        update("3", { status: "deleted" }, "Task 3 was deleted: C"),
        create("D", 4),
        ["TaskList", {}, "1 [pending] A\n2 [pending] B\n4 [pending] D"],
      ],
    ],
    [
      "say which task isn't there",
      [
        ["TaskGet", { task_id: "7" }, 'There is no task "7". There are none at all.', "error"],
        create("A", 1),
        update("7", {}, 'There is no task "7". TaskList shows those that there are.', "error"),
        update(
          "1",
          { subject: "X", add_blocks: ["9"] },
          'There is no task "9". TaskList shows those that there are.',
          "error",
        ),
        ["TaskList", {}, "1 [pending] A"],
      ],
    ],
    [
      "write links on both sides, and take them away again",
      [
        ...ABC,
        update("1", { add_blocks: ["2"], add_blocked_by: ["3"] }, "Task 1: 1 blocks 2; 3 blocks 1."),
        ["TaskGet", { task_id: "1" }, "Task 1: A\nStatus: pending\nBlocked by: 3\nBlocks: 2"],
        ["TaskGet", { task_id: "2" }, "Task 2: B\nStatus: pending\nBlocked by: 1"],
        ["TaskList", {}, "1 [pending] A [blocked by 3]\n2 [pending] B [blocked by 1]\n3 [pending] C"],
        update("2", { remove_blocked_by: ["1"] }, "Task 2: 1 no longer blocks 2."),
        update(
          "3",
          { remove_blocks: ["1"] },
          "Task 3: 3 no longer blocks 1.\nCan be begun now:\n1 [pending] A",
        ),
        update("3", { remove_blocks: ["1"] }, "Task 3 is as it was."),
      ],
    ],
    [
      "refuse circles, short and long, and a task before itself",
      [
        ...ABC,
        update("1", { add_blocks: ["1"] }, "Task 1 can't block itself.", "error"),
        update("1", { add_blocks: ["2"] }, "Task 1: 1 blocks 2."),
        update(
          "2",
          { add_blocks: ["1"] },
          "2 can't block 1: 1 has to be done before 2. Remove the link that leads the other way first.",
          "error",
        ),
        update("2", { add_blocks: ["3"] }, "Task 2: 2 blocks 3."),
        update(
          "1",
          { add_blocked_by: ["3"], subject: "kept" },
          "3 can't block 1: 1 has to be done before 3. Remove the link that leads the other way first.",
          "error",
        ),
        ["TaskGet", { task_id: "1" }, "Task 1: A\nStatus: pending\nBlocks: 2"],
      ],
    ],
    [
      "hold to the order unless told otherwise",
      [
        ...ABC,
        update("3", { add_blocked_by: ["1", "2"] }, "Task 3: 1 blocks 3; 2 blocks 3."),
        update("3", { status: "in_progress" }, blocked(3, "in_progress", "tasks 1, 2 aren't"), "error"),
        update("1", { status: "completed" }, "Task 1: pending → completed."),
        update("3", { status: "completed" }, blocked(3, "completed", "task 2 isn't"), "error"),
        update("3", { status: "in_progress", override: true }, "Task 3: pending → in_progress."),
        update("3", { owner: "me" }, "Task 3: owned by me."),
        update("2", { status: "in_progress" }, "Task 2: pending → in_progress."),
        ["TaskList", {}, "1 [completed] A\n2 [in_progress] B\n3 [in_progress] C (me) [blocked by 2]"],
        update("2", { status: "completed" }, "Task 2: in_progress → completed."),
        update("3", { status: "completed" }, "Task 3: in_progress → completed."),
      ],
    ],
    [
      "say what can be begun after it",
      [
        ...ABC,
        update("1", { add_blocks: ["2", "3"] }, "Task 1: 1 blocks 2; 1 blocks 3."),
        update(
          "1",
          { status: "completed" },
          "Task 1: pending → completed.\nCan be begun now:\n2 [pending] B\n3 [pending] C",
        ),
      ],
    ],
    [
      "don't put an unfinished task before one that was begun",
      [
        ...ABC,
        update("2", { status: "in_progress" }, "Task 2: pending → in_progress."),
        update("1", { add_blocks: ["2"] }, blocked(2, "in_progress", "task 1 isn't"), "error"),
        update("1", { add_blocks: ["2"], status: "completed" }, "Task 1: 1 blocks 2; pending → completed."),
      ],
    ],
    [
      "merge metadata, and take keys away",
      [
        create("A", 1),
        update("1", { metadata: { a: 1, b: { c: 2 } } }, "Task 1: metadata changed."),
        update("1", { metadata: { a: null, d: [1] } }, "Task 1: metadata changed."),
        update("1", { metadata: { a: null } }, "Task 1 is as it was."),
        ["TaskGet", { task_id: "1" }, 'Task 1: A\nStatus: pending\nMetadata: {"b":{"c":2},"d":[1]}'],
      ],
    ],
    [
      "refuse blank subjects and take owners away",
      [
        ["TaskCreate", { subject: "  ", description: "" }, "`subject` is blank.", "error"],
        create("A", 1),
        update("1", { subject: " " }, "`subject` is blank.", "error"),
        update("1", { owner: "x", description: "d" }, "Task 1: description changed; owned by x."),
        update("1", { owner: "" }, "Task 1: owned by nobody."),
      ],
    ],
    [
      "take a deleted task out of the others' links",
      [
        ...ABC,
        update("2", { add_blocked_by: ["1"] }, "Task 2: 1 blocks 2."),
        update("1", { status: "deleted", subject: "unused" }, "Task 1 was deleted: A"),
        ["TaskGet", { task_id: "2" }, "Task 2: B\nStatus: pending"],
      ],
    ],
  ];

  it.each(rows)("%s", async (_title, steps) => {
    await using toolkit = plan();
    await play(toolkit, steps);
  });

  it.each(PERMISSION_MODES)("are allowed in mode %s", async (mode) => {
    await using toolkit = plan();
    toolkit.setMode(mode);
    await play(toolkit, [
      create("A", 1),
      update("1", { status: "in_progress" }, "Task 1: pending → in_progress."),
    ]);
  });

  it("add side by side without giving one id twice", async () => {
    await using toolkit = plan();
    const calls = Array.from({ length: 50 }, (_, at) => ({
      id: `call_${at}`,
      name: "TaskCreate",
      input: { subject: `task ${at}`, description: "" },
    }));
    for await (const _event of toolkit.runBatch(calls)) void _event;
    expect(new Set(toolkit.state.tasks.list.map(({ id }) => id)).size).toBe(50);
    expect(toolkit.state.tasks.nextId).toBe(51);
  });

  it("go on with a state that came back from JSON", async () => {
    await using first = plan();
    await play(first, [...ABC, update("3", { status: "deleted" }, "Task 3 was deleted: C")]);
    const state = { ...newState({ cwd: "/" }), ...JSON.parse(JSON.stringify(first.state)) };
    await using second = new Toolkit({ tools: planTools(), backend: memoryBackend(), state });
    await play(second, [create("D", 4)]);
  });
});
