import { describe, expect, it } from "vitest";
import { newState, STATE_VERSION } from "../state.ts";
import { type Migration, readVersioned, STATE, type Versioned } from "./migrations.ts";
import { readState } from "./records.ts";

const kind: Versioned = {
  what: "thing",
  current: 3,
  steps: new Map<number, Migration>([
    [1, ({ name, ...rest }) => ({ ...rest, title: name })],
    [2, (entry) => ({ ...entry, tags: [] })],
  ]),
};

describe("an entry of another version", () => {
  it.each([
    ["the oldest", { version: 1, name: "a" }, { version: 3, title: "a", tags: [] }],
    ["one between", { version: 2, title: "a" }, { version: 3, title: "a", tags: [] }],
    ["today's", { version: 3, title: "a", tags: ["b"] }, { version: 3, title: "a", tags: ["b"] }],
  ])("is brought forward step by step: %s", (_what, before, after) => {
    expect(readVersioned(JSON.stringify(before), kind, "x")).toEqual(after);
  });

  it.each([
    [
      "a newer one",
      '{"version":4}',
      "The thing x is of version 4, written by a newer toolgate; this one knows version 3.",
    ],
    ["one without a version", "{}", "The thing x can't be used: it doesn't say its version."],
    ["a version that is none", '{"version":1.5}', "The thing x can't be used: it doesn't say its version."],
    ["a list", "[]", "The thing x can't be used: it is no JSON object."],
    ["no JSON", "{", expect.stringMatching(/^The thing x can't be used: /)],
  ])("is refused: %s", (_what, text, message) => {
    expect(() => readVersioned(text, kind, "x")).toThrow(expect.objectContaining({ message }));
  });

  it("has a step from every version there was to the next", () => {
    expect([...STATE.steps.keys()]).toEqual(Array.from({ length: STATE_VERSION - 1 }, (_, at) => at + 1));
  });
});

describe("a session of an older version", () => {
  it("that had no conversation gets an empty one and keeps the rest", () => {
    const { messages, parked, usage, ...first } = newState({ sessionId: "s1", cwd: "/work" });
    const old = { ...first, version: 1 };
    expect(readState(JSON.stringify(old), "s1")).toEqual({ ...first, messages, parked, usage });
  });
});
