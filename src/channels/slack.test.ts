import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mediaFile } from "../../test/stand-ins/chat/files.ts";
import { bytesOf, listening } from "../../test/stand-ins/chat/inbox.ts";
import {
  APP_TOKEN,
  BOT_TOKEN,
  method,
  type SlackStandIn,
  slackFault,
  startSlack,
} from "../../test/stand-ins/slack/stand-in.ts";
import { isToolgateError } from "../errors.ts";
import type { Channel, Receipt } from "./channel.ts";
import { makeSlack } from "./slack.ts";

let slack: SlackStandIn;
let channel: Channel;
beforeAll(async () => {
  slack = await startSlack();
  channel = await made();
});
afterAll(() => slack[Symbol.asyncDispose]());

const made = (values: Readonly<Record<string, string>> = {}): Promise<Channel> => {
  const usual = { botToken: BOT_TOKEN, appToken: APP_TOKEN, apiUrl: `${slack.url}/api` };
  return makeSlack({ account: "default", values: { ...usual, ...values } });
};
const signal = AbortSignal.timeout(60_000);
const text = (words: string, chat = "D1"): Promise<Receipt> => channel.sendText({ chat }, words, { signal });
const holdsSecret = (value: unknown): boolean => /standinSecret/.test(JSON.stringify(value));

describe("texts to Slack", () => {
  it("are confirmed with the message's time, in their thread, and can't call everybody", async () => {
    expect(await text("<!channel> *a* & <http://evil|good>", "C1/1700.5")).toEqual({
      state: "confirmed",
      messageId: "1700000000.000001",
    });
    expect(slack.messages.at(-1)).toEqual({
      channel: "C1",
      thread: "1700.5",
      text: "&lt;!channel&gt; *a* &amp; &lt;http://evil|good&gt;",
      files: [],
    });
    const sent = new URLSearchParams(slack.heard(method("chat.postMessage")).at(-1)?.bytes.toString());
    expect([sent.get("unfurl_links"), sent.get("unfurl_media"), sent.get("mrkdwn")]).toEqual([
      "false",
      "false",
      "false",
    ]);
  });

  it("that are long go as several, in order", async () => {
    const before = slack.messages.length;
    expect((await text("word ".repeat(1700))).state).toBe("confirmed");
    const parts = slack.messages.slice(before).map((message) => message.text);
    expect(parts.map((part) => part.length <= 4000)).toEqual([true, true, true]);
    expect(parts.join(" ")).toBe("word ".repeat(1700).trim());
  });

  it.each<[string, Parameters<SlackStandIn["next"]>[1], Receipt["state"], RegExp]>([
    ["a refusal", slackFault("not_in_channel"), "failed", /^Slack refused: not_in_channel$/],
    [
      "a wait that is too long",
      { status: 429, headers: { "retry-after": "90" } },
      "failed",
      /tried again in 90 s/,
    ],
    ["a broken connection", "drop", "unknown", /broke off .*may have arrived/],
    ["a fault of the service", { status: 503 }, "unknown", /failed \(503\).*may have arrived/],
    ["no id", { json: { ok: true } }, "unknown", /gave no id/],
  ])("that meet %s are not claimed as sent", async (_what, fault, state, why) => {
    slack.next(method("chat.postMessage"), fault);
    const receipt = await text("Hello");
    expect(receipt).toMatchObject({ state, why: expect.stringMatching(why) });
    expect(holdsSecret(receipt)).toBe(false);
  });

  it("wait for a short while when asked to", async () => {
    slack.next(method("chat.postMessage"), { status: 429, headers: { "retry-after": "1" } });
    expect((await text("Hello")).state).toBe("confirmed");
  });

  it("never leave when they are cancelled before, and are open when they are cancelled on the way", async () => {
    const before = slack.messages.length;
    const gone = await channel.sendText({ chat: "D1" }, "x", { signal: AbortSignal.abort() });
    expect([gone.state, slack.messages.length]).toEqual(["failed", before]);
    slack.next(method("chat.postMessage"), "hang");
    const stop = new AbortController();
    const heard = slack.heard(method("chat.postMessage")).length;
    const sending = channel.sendText({ chat: "D1" }, "x", { signal: stop.signal });
    await expect.poll(() => slack.heard(method("chat.postMessage")).length).toBe(heard + 1);
    stop.abort();
    expect((await sending).state).toBe("unknown");
  });

  it("say that the service can't be reached", async () => {
    const lost = await made({ apiUrl: "http://127.0.0.1:9/api" });
    const receipt = await lost.sendText({ chat: "D1" }, "x", { signal });
    expect(receipt).toMatchObject({ state: "failed", why: expect.stringContaining("couldn't be reached") });
  });
});

describe("files to Slack", () => {
  it("are uploaded whole, and shown in one message with the words", async () => {
    const files = [mediaFile("报告.pdf", Buffer.from([0, 13, 10, 45, 45, 255])), mediaFile("a.txt")];
    const outcome = await channel.sendMedia({ chat: "C1/1700.5" }, files, { caption: "Look <here>", signal });
    expect(outcome.files.map(({ state }) => state)).toEqual(["confirmed", "confirmed"]);
    expect(outcome.caption?.state).toBe("confirmed");
    expect(slack.messages.at(-1)).toEqual({
      channel: "C1",
      thread: "1700.5",
      text: "Look &lt;here&gt;",
      files: ["报告.pdf", "a.txt"],
    });
    expect(slack.uploads.get("报告.pdf")).toEqual(Buffer.from([0, 13, 10, 45, 45, 255]));
  });

  it("have each their own receipt, and the others arrive", async () => {
    slack.next(method("files.getUploadURLExternal"), slackFault("file_type_not_allowed"));
    const files = ["a.zip", "b.txt"].map((name) => mediaFile(name));
    const outcome = await channel.sendMedia({ chat: "D1" }, files, { caption: "Look", signal });
    expect(outcome.files).toMatchObject([
      { state: "failed", why: "Slack refused: file_type_not_allowed" },
      { state: "confirmed" },
    ]);
    expect(outcome.caption?.state).toBe("confirmed");
    expect(slack.messages.at(-1)?.files).toEqual(["b.txt"]);
  });

  it.each<[string, string, Parameters<SlackStandIn["next"]>[1], Receipt["state"]]>([
    ["a refusal at the end", "files.completeUploadExternal", slackFault("channel_not_found"), "failed"],
    ["an answer that is lost", "files.completeUploadExternal", "drop", "unknown"],
    [
      "an answer that doesn't name it",
      "files.completeUploadExternal",
      { json: { ok: true, files: [] } },
      "unknown",
    ],
    [
      "a place that isn't Slack's",
      "files.getUploadURLExternal",
      { json: { ok: true, file_id: "F", upload_url: "https://evil.example/" } },
      "failed",
    ],
  ])("that meet %s are not claimed as sent, nor are the words", async (_what, name, fault, state) => {
    slack.next(method(name), fault);
    const outcome = await channel.sendMedia({ chat: "D1" }, [mediaFile("a.txt")], {
      caption: "Look",
      signal,
    });
    expect([outcome.files[0]?.state, outcome.caption?.state]).toEqual([state, state]);
  });
});

describe("messages from Slack", () => {
  it("are what is written to the app or mentions it, acknowledged when they were taken over", async () => {
    await using inbox = await listening(channel);
    slack.files.set("/files/1", Buffer.from("the file"));
    slack.push({
      type: "message",
      channel_type: "im",
      channel: "D1",
      user: "U1",
      ts: "1700.1",
      text: "a &lt;b&gt; &amp;amp;",
    });
    slack.push({
      type: "app_mention",
      channel: "C1",
      user: "U1",
      ts: "1700.2",
      text: "<@U222> in a channel",
    });
    slack.push({
      type: "app_mention",
      channel: "C1",
      user: "U1",
      ts: "1700.3",
      thread_ts: "1700.2",
      text: "<@U222> on",
    });
    for (const other of [{ bot_id: "B1" }, { subtype: "message_changed" }, { channel_type: "channel" }]) {
      slack.push({
        type: "message",
        channel_type: "im",
        channel: "D1",
        user: "U1",
        ts: "1700.4",
        text: "no",
        ...other,
      });
    }
    slack.push({
      type: "message",
      subtype: "file_share",
      channel_type: "im",
      channel: "D1",
      user: "U1",
      ts: "1700.9",
      files: [
        { name: "../a.pdf", size: 8, url_private_download: `${slack.url}/files/1` },
        { name: "b.pdf", url_private_download: "https://evil.example/b.pdf" },
      ],
    });
    await inbox.until(4);
    expect(inbox.messages.map(({ id, senderId, chat, text: words }) => [id, senderId, chat, words])).toEqual([
      ["D1/1700.1", "U1", "D1", "a <b> &amp;"],
      ["C1/1700.2", "U1", "C1/1700.2", "in a channel"],
      ["C1/1700.3", "U1", "C1/1700.2", "on"],
      ["D1/1700.9", "U1", "D1", ""],
    ]);
    const [first, second] = inbox.messages[3]?.files ?? [];
    expect([first?.name, first?.size, String(await bytesOf(first))]).toEqual(["../a.pdf", 8, "the file"]);
    await expect(bytesOf(second)).rejects.toThrow("The file isn't at Slack.");
    await expect.poll(() => slack.acks.length).toBe(7);
  });

  it.each<[string, () => void, RegExp]>([
    ["a connection that breaks off", () => slack.cut(), /connection to Slack was lost/],
    ["a service that wants another connection", () => slack.refresh(), /connection to Slack was lost/],
  ])("end with %s, and what wasn't acknowledged comes again", async (_what, fault, why) => {
    const lost = await listening(channel);
    fault();
    const error = await lost.ended;
    expect(isToolgateError(error, "connection_failed") && error.text).toMatch(why);
    slack.push({
      type: "message",
      channel_type: "im",
      channel: "D1",
      user: "U1",
      ts: "1700.5",
      text: "after",
    });
    await using again = await listening(channel);
    await again.until(1);
    expect(again.messages[0]?.text).toBe("after");
  });

  it.each<[string, () => void, RegExp]>([
    [
      "a token that is no longer good",
      () => slack.next(method("apps.connections.open"), slackFault("invalid_auth")),
      /invalid_auth/,
    ],
    ["a connection that is refused", () => slack.next(method("apps.connections.open"), "drop"), /broke off/],
  ])("don't come with %s", async (_what, fault, why) => {
    fault();
    const error: unknown = await listening(channel).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(isToolgateError(error, "connection_failed") && error.text).toMatch(why);
    expect(holdsSecret(String(error))).toBe(false);
  });

  it("are waited for no longer once it is stopped, greeted or not", async () => {
    slack.greets = false;
    const stop = new AbortController();
    const ended = channel.listen({ connected: () => undefined, deliver: () => undefined }, stop.signal);
    await expect.poll(() => slack.sockets.size).toBe(1);
    stop.abort();
    await ended;
    slack.greets = true;
    await expect.poll(() => slack.sockets.size).toBe(0);
  });
});

describe("a Slack channel", () => {
  it("says whether its app is known", async () => {
    expect(await channel.testConnection(signal)).toEqual({
      ok: true,
      message: "Slack knows the bot as gate in Acme.",
    });
    const stranger = await made({ botToken: "xoxb-9-9-wrong" });
    expect(await stranger.testConnection(signal)).toEqual({
      ok: false,
      message: "Slack refused: invalid_auth",
    });
  });

  it("is told apart by its bot, not by its secret", async () => {
    expect((await made({ botToken: "xoxb-111-222-renewed" })).identity).toBe(channel.identity);
    expect((await made({ botToken: "xoxb-111-223-other" })).identity).not.toBe(channel.identity);
  });

  it.each([
    [{ botToken: "xapp-1" }, /botToken is no bot token/],
    [{ appToken: "xoxb-1" }, /appToken is no app-level token/],
    [{ apiUrl: "ftp://example.com" }, /apiUrl is no https address/],
  ])("isn't made with %j", async (values, why) => {
    await expect(made(values)).rejects.toThrow(why);
  });
});
