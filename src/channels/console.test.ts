import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MEDIA_SAMPLES } from "../../test/media-files.ts";
import { ConsoleHistory } from "./console/history.ts";
import { CONSOLE_DESTINATION, ConsoleChannel } from "./console.ts";
import { checkMedia } from "./media/check.ts";

const { signal } = new AbortController();
let folder: string;
let place: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolgate-console-"));
  place = join(folder, "console");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const channelHere = (): ConsoleChannel => new ConsoleChannel(new ConsoleHistory(place));

describe("the console channel", () => {
  it("confirms what is on disk, and shows it after a restart", async () => {
    const channel = channelHere();
    const seen: string[] = [];
    channel.history.onEntry(({ text }) => seen.push(text));
    const picture = await checkMedia("chart.png", MEDIA_SAMPLES.get("png") ?? Buffer.alloc(0));
    const said = await channel.sendText(CONSOLE_DESTINATION, "Hello", { signal });
    const { files, caption } = await channel.sendMedia(CONSOLE_DESTINATION, [picture], {
      caption: "Look",
      signal,
    });
    expect([said.state, files[0]?.state, caption?.state]).toEqual(["confirmed", "confirmed", "confirmed"]);
    expect(seen).toEqual(["Hello", "Look"]);

    const again = channelHere();
    const entries = await again.history.entries(signal);
    expect(entries.map(({ from, text }) => `${from}: ${text}`)).toEqual(["agent: Hello", "agent: Look"]);
    const [file] = entries[1]?.files ?? [];
    const kept = await again.history.file(file?.id ?? "", signal);
    expect(kept?.name).toBe("chart.png");
    expect(Buffer.from(kept?.bytes ?? [])).toEqual(MEDIA_SAMPLES.get("png"));
    expect(await again.history.file("../history.jsonl", signal)).toBeUndefined();
    expect(statSync(place).mode & 0o777).toBe(0o700);
    expect(statSync(join(place, "history.jsonl")).mode & 0o777).toBe(0o600);
  });

  it("hands over what the person writes while somebody listens, and keeps it in any case", async () => {
    const channel = channelHere();
    await channel.receive("early", [], signal);
    const stop = new AbortController();
    const got: string[] = [];
    const listening = channel.listen(
      {
        connected: () => undefined,
        deliver: ({ text, senderId, files }) => void got.push(`${senderId} ${text} ${files[0]?.name}`),
      },
      stop.signal,
    );
    await channel.receive(
      "hello",
      [{ name: "a.txt", mediaType: "text/plain", bytes: Buffer.from("a") }],
      signal,
    );
    stop.abort();
    await listening;
    await channel.receive("late", [], signal);
    expect(got).toEqual(["console hello a.txt"]);
    const entries = await channelHere().history.entries(signal);
    expect(entries.map(({ from, text }) => `${from}: ${text}`)).toEqual([
      "person: early",
      "person: hello",
      "person: late",
    ]);
  });

  it("says so when nothing can be kept", async () => {
    writeFileSync(place, "in the way");
    const receipt = await channelHere().sendText(CONSOLE_DESTINATION, "Hello", { signal });
    expect(receipt).toMatchObject({ state: "failed" });
  });

  it("writes through no link that came with the project", async () => {
    const elsewhere = join(folder, "elsewhere");
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, place);
    expect(await channelHere().sendText(CONSOLE_DESTINATION, "x", { signal })).toMatchObject({
      state: "failed",
    });
    rmSync(place);
    mkdirSync(place);
    writeFileSync(join(elsewhere, "file"), "mine");
    symlinkSync(join(elsewhere, "file"), join(place, "history.jsonl"));
    expect(await channelHere().sendText(CONSOLE_DESTINATION, "x", { signal })).toMatchObject({
      state: "failed",
    });
    expect(readFileSync(join(elsewhere, "file"), "utf8")).toBe("mine");
    expect(readdirSync(elsewhere)).toEqual(["file"]);
  });

  it("reads past lines that are none, and keeps the latest thousand", async () => {
    mkdirSync(place);
    const line = (at: number): string =>
      JSON.stringify({
        id: String(at),
        at: "2026-01-01T00:00:00.000Z",
        from: "agent",
        text: `${at}`,
        files: [],
      });
    const lines = Array.from({ length: 1200 }, (_, at) => line(at));
    writeFileSync(join(place, "history.jsonl"), ["{", "[]", '{"id":1}', ...lines, '{"id":"half'].join("\n"));
    const { history } = channelHere();
    const entries = await history.entries(signal);
    expect([entries.length, entries[0]?.text, entries.at(-1)?.text]).toEqual([1000, "200", "1199"]);
    await history.append({ from: "person", text: "new" }, signal);
    expect((await channelHere().history.entries(signal)).at(-1)?.text).toBe("new");
  });

  it("loses nothing to what a process left half-written", async () => {
    mkdirSync(place);
    writeFileSync(join(place, "history.jsonl"), '{"id":"half');
    const { history } = channelHere();
    await history.append({ from: "person", text: "one" }, signal);
    await history.append({ from: "person", text: "two" }, signal);
    expect((await channelHere().history.entries(signal)).map(({ text }) => text)).toEqual(["one", "two"]);
  });
});
