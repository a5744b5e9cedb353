import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { memoryBackend } from "../backends/memory.ts";
import { defineTool } from "../define-tool.ts";
import type { GateEvent, ToolCall } from "../event.ts";
import type { Tool } from "../tool.ts";
import type { ToolkitOptions } from "../toolkit/options.ts";
import { Toolkit } from "../toolkit/toolkit.ts";

/** Tools that log when they begin and end, and how many run at once. */
function watched(): { readonly log: string[]; readonly tools: readonly Tool[]; most(): number } {
  const log: string[] = [];
  let running = 0;
  let most = 0;
  const make = (name: string, isConcurrencySafe: boolean): Tool =>
    defineTool({
      name,
      description: "Waits.",
      input: { type: "object", properties: { id: { type: "string" }, fails: { type: "boolean" } } },
      isReadOnly: true,
      isConcurrencySafe,
      async call({ id, fails }) {
        running += 1;
        most = Math.max(most, running);
        log.push(`+${id}`);
        await wait(10);
        log.push(`-${id}`);
        running -= 1;
        if (fails) throw new Error("broken");
        return `done ${id}`;
      },
    });
  return { log, tools: [make("safe", true), make("alone", false)], most: () => most };
}

const calls = (...names: readonly string[]): readonly ToolCall[] =>
  names.map((text, at) => {
    const [name = "", more] = text.split(" ");
    const id = String.fromCharCode(97 + at);
    return { id, name, input: { id, ...(more === "fails" ? { fails: true } : {}) } };
  });

async function batch(
  toolkit: Toolkit,
  list: readonly ToolCall[],
  signal?: AbortSignal,
): Promise<readonly GateEvent[]> {
  const events: GateEvent[] = [];
  for await (const event of toolkit.runBatch(list, signal === undefined ? {} : { signal }))
    events.push(event);
  return events;
}

const endings = (events: readonly GateEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === "TOOL_RESULT_END" ? [`${event.callId} ${event.state}`] : []));

function toolkitWith(tools: readonly Tool[], options: ToolkitOptions = {}): Toolkit {
  return new Toolkit({ tools, backend: memoryBackend(), ...options });
}

describe("a batch", () => {
  it("runs safe neighbours side by side and the others alone, in order", async () => {
    const { log, tools } = watched();
    await using toolkit = toolkitWith(tools);
    const events = await batch(toolkit, calls("safe", "safe", "alone", "alone", "safe"));
    expect(log).toEqual(["+a", "+b", "-a", "-b", "+c", "-c", "+d", "-d", "+e", "-e"]);
    expect([...endings(events)].sort()).toEqual([
      "a success",
      "b success",
      "c success",
      "d success",
      "e success",
    ]);
  });

  it("keeps to its limit", async () => {
    const { tools, most } = watched();
    await using toolkit = toolkitWith(tools, { maxConcurrency: 3 });
    await batch(toolkit, calls(...Array.from({ length: 12 }, () => "safe")));
    expect(most()).toBe(3);
  });

  it("goes on when a call fails or there is no such tool", async () => {
    const { tools } = watched();
    await using toolkit = toolkitWith(tools);
    const events = await batch(toolkit, calls("safe fails", "nothing", "alone fails", "alone"));
    expect([...endings(events)].sort()).toEqual(["a error", "b error", "c error", "d success"]);
  });

  it("doesn't start what comes after a call that waits for a person", async () => {
    const { log, tools } = watched();
    const deploy = defineTool({ name: "deploy", description: "", input: {}, call: () => "x" });
    await using toolkit = toolkitWith([...tools, deploy]);
    const events = await batch(toolkit, [
      ...calls("safe"),
      { id: "q", name: "deploy", input: {} },
      { id: "z", name: "alone", input: {} },
    ]);
    expect(endings(events)).toEqual(["a success", "q denied", "z interrupted"]);
    expect(log).toEqual(["+a", "-a"]);
  });

  it("ends each call once when it is cancelled", async () => {
    const left = new AbortController();
    const slow = defineTool({
      name: "slow",
      description: "",
      input: {},
      isReadOnly: true,
      isConcurrencySafe: true,
      async call(_input, { signal }) {
        left.abort();
        await wait(60_000, undefined, { signal });
        return "x";
      },
    });
    const { tools } = watched();
    await using toolkit = toolkitWith([...tools, slow]);
    const events = await batch(
      toolkit,
      [{ id: "s", name: "slow", input: {} }, ...calls("safe", "alone")],
      left.signal,
    );
    expect([...endings(events)].sort()).toEqual(["a interrupted", "b interrupted", "s interrupted"]);
  });

  it("may activate a group and use it in one turn", async () => {
    const { tools } = watched();
    const extra = defineTool({
      name: "extra",
      description: "",
      input: {},
      isReadOnly: true,
      call: () => "extra",
    });
    await using toolkit = toolkitWith(tools, {
      groups: [{ name: "more", description: "More.", tools: [extra] }],
    });
    const events = await batch(toolkit, [
      { id: "r", name: "reset_tools", input: '{"more": true}' },
      { id: "x", name: "extra", input: {} },
    ]);
    expect(endings(events)).toEqual(["r success", "x success"]);
  });

  it("of nothing is nothing", async () => {
    await using toolkit = toolkitWith([]);
    expect(await batch(toolkit, [])).toEqual([]);
  });
});
