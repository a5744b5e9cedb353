import { describe, expect, it } from "vitest";
import { memoryStore } from "../store/memory.ts";
import { smallToolkit } from "./fixtures/toolkit.ts";
import { Lane } from "./lane.ts";
import { answerCalls, type ReadCall, rawInput } from "./turn.ts";

const add = (id: string): ReadCall => ({ id, name: "add", input: '{"a":1,"b":1}' });
const deploy = (id: string): ReadCall => ({ id, name: "deploy", input: '{"service":"web"}' });

describe("answering the calls of a turn", () => {
  it("gives each call one answer, in order, where one is parked", async () => {
    await using store = memoryStore();
    const { toolkit } = smallToolkit({ store });
    const answers = await answerCalls(toolkit, [
      add("1"),
      deploy("2"),
      add("3"),
      { ...deploy("4"), isCutOff: true },
    ]);
    const { items } = await store.approvals();
    expect(answers.map(({ call, response }) => [call.id, response.state, response.metadata.code])).toEqual([
      ["1", "success", undefined],
      ["2", "denied", "approval_required"],
      ["3", "interrupted", "aborted"],
      ["4", "error", "invalid_input"],
    ]);
    expect(answers[1]?.response.metadata.approvalId).toBe(items[0]?.id);
  });

  it("answers every call when the turn is cancelled", async () => {
    const { toolkit, deployed } = smallToolkit({ mode: "bypass" });
    const answers = await answerCalls(toolkit, [deploy("1"), add("2")], { signal: AbortSignal.abort() });
    expect(answers.map(({ response }) => response.state)).toEqual(["interrupted", "interrupted"]);
    expect(deployed).toEqual([]);
  });

  it("tells what happens as it happens", async () => {
    const types: string[] = [];
    await answerCalls(smallToolkit().toolkit, [add("1")], { onEvent: ({ type }) => types.push(type) });
    expect(types).toEqual([
      "TOOL_CALL_DECIDED",
      "TOOL_RESULT_START",
      "TOOL_RESULT_TEXT_DELTA",
      "TOOL_RESULT_END",
    ]);
  });

  it.each<[unknown, unknown]>([
    ["{", "{"],
    [undefined, ""],
    [null, ""],
    [[1], "[1]"],
    [7, "7"],
    [{ a: 1, b: undefined }, { a: 1 }],
    [() => 1, ""],
  ])("takes %o as arguments", (given, expected) => expect(rawInput(given)).toEqual(expected));
});

describe("a lane", () => {
  it("lets those that may share run together, the others alone, in the order they came", async () => {
    const lane = new Lane();
    const log: string[] = [];
    const run = async (name: string, isShared: boolean): Promise<void> => {
      const leave = await lane.enter(isShared);
      log.push(`+${name}`);
      await new Promise((done) => setTimeout(done, 5));
      log.push(`-${name}`);
      leave();
    };
    await Promise.all([
      run("a", true),
      run("b", true),
      run("C", false),
      run("d", true),
      run("e", true),
      run("F", false),
    ]);
    expect(log).toEqual(["+a", "+b", "-a", "-b", "+C", "-C", "+d", "+e", "-d", "-e", "+F", "-F"]);
  });
});
