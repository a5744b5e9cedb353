import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ScriptedChannel } from "../../test/scripted-channel.ts";
import type { InboundMessage, Inbox } from "./channel.ts";
import { Channels } from "./channels.ts";
import { type ConnectionState, supervise } from "./supervise.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const lost = async (): Promise<void> => {
  throw new Error("reset by peer");
};
const stands =
  (ms: number) =>
  async (inbox: Inbox): Promise<void> => {
    inbox.connected();
    await new Promise((done) => setTimeout(done, ms));
    throw new Error("closed");
  };
const message = (id: string, senderId = "ann"): InboundMessage => ({
  id,
  senderId,
  chat: "room",
  text: `message ${id}`,
  files: [],
  receivedAtMs: 0,
});

describe("supervise", () => {
  it("tries again after 5 s, doubling to 300 s, and from the start after a good run", async () => {
    const channel = new ScriptedChannel();
    channel.runs.push(...Array.from({ length: 8 }, () => lost), stands(59_000), stands(60_000), lost);
    const states: ConnectionState[] = [];
    const kept = supervise(channel, { deliver: () => undefined, onState: (state) => states.push(state) });
    await vi.advanceTimersByTimeAsync(3_600_000);
    const delays = states.flatMap((state) => (state.state === "waiting" ? [state.delayMs / 1000] : []));
    expect(delays).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300, 5, 10]);
    expect(kept.state).toEqual({ state: "connected" });
    expect(states.find(({ state }) => state === "waiting")).toMatchObject({ why: "Error: reset by peer" });
    await kept[Symbol.asyncDispose]();
    expect(kept.state).toEqual({ state: "stopped" });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("takes an end that nobody asked for as a loss, and stops at once while it waits", async () => {
    const channel = new ScriptedChannel();
    channel.runs.push(lost);
    const kept = supervise(channel, { deliver: () => undefined });
    await vi.advanceTimersByTimeAsync(10);
    expect(kept.state).toMatchObject({ state: "waiting" });
    await kept[Symbol.asyncDispose]();
    expect(channel.connections).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("Channels", () => {
  it("refuses a second channel of a name and account, and the same credentials twice", async () => {
    await using channels = new Channels();
    channels.add(new ScriptedChannel("a", "one", "digest-1"), { allowFrom: [] });
    expect(() => channels.add(new ScriptedChannel("a", "one", "digest-2"), { allowFrom: [] })).toThrow(
      "There is a channel a:one already.",
    );
    expect(() => channels.add(new ScriptedChannel("a", "two", "digest-1"), { allowFrom: [] })).toThrow(
      "The channels a:one and a:two have the same credentials.",
    );
    channels.add(new ScriptedChannel("b", "one", "digest-1"), { allowFrom: [] });
    expect(channels.get("a")?.account).toBe("one");
    expect(channels.get("a", "two")).toBeUndefined();
    channels.add(new ScriptedChannel("a", "three"), { allowFrom: [] });
    expect(channels.get("a")).toBeUndefined();
    expect(channels.statuses.map(({ name, account }) => `${name}:${account}`)).toEqual([
      "a:one",
      "b:one",
      "a:three",
    ]);
  });

  // The original let everybody in when the list was empty, and matched parts of "id|name".
  it.each<[string, readonly string[], readonly string[]]>([
    ["an empty list lets nobody in", [], []],
    ["ids are matched letter by letter", ["ann"], ["ann"]],
    ["nothing stands for everybody", ["*", "", "all"], []],
    ["no part of an id", ["an", "nn", "ann|Ann", "ANN"], []],
  ])("%s", async (_what, allowFrom, expected) => {
    const channel = new ScriptedChannel();
    channel.runs.push(async (inbox) => {
      for (const [at, sender] of ["ann", "Ann", "x|ann", "ann "].entries())
        await inbox.deliver(message(String(at), sender));
    });
    const got: string[] = [];
    await using channels = new Channels({
      onMessage: ({ message: { senderId } }) => void got.push(senderId),
    });
    channels.add(channel, { allowFrom });
    channels.start();
    await vi.advanceTimersByTimeAsync(10);
    expect(got).toEqual(expected);
    expect(channels.statuses[0]).toMatchObject({
      connection: { state: "connected" },
      turnedAway: { count: 4 - expected.length, lastSenderId: "ann " },
    });
  });

  it("takes what comes twice once, and goes on when its taker fails", async () => {
    const channel = new ScriptedChannel();
    channel.runs.push(async (inbox) => {
      for (const id of ["1", "2", "2", "1", "3"]) await inbox.deliver(message(id));
      await inbox.deliver({ ...message("3"), chat: "another" });
    });
    const got: string[] = [];
    const errors: unknown[] = [];
    await using channels = new Channels({
      onMessage: ({ message: { id } }) => {
        got.push(id);
        if (id === "2") throw new Error("no room");
      },
      onError: (error) => errors.push(error),
    });
    channels.add(channel, { allowFrom: ["ann"] });
    channels.start();
    channels.start();
    await vi.advanceTimersByTimeAsync(10);
    expect(got).toEqual(["1", "2", "3", "3"]);
    expect(errors).toEqual([new Error("no room")]);
    expect(channel.connections).toBe(1);
    await channels.stop();
    expect(channels.statuses[0]?.connection).toEqual({ state: "stopped" });
    channels.start();
    await vi.advanceTimersByTimeAsync(10);
    expect(channel.connections).toBe(2);
  });
});
