import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { mediaFile } from "../../test/stand-ins/chat/files.ts";
import { bytesOf, listening } from "../../test/stand-ins/chat/inbox.ts";
import { BOT, startWecom, type Verdict, type WecomStandIn } from "../../test/stand-ins/wecom/stand-in.ts";
import type { Channel, Receipt } from "./channel.ts";
import { Channels } from "./channels.ts";
import { CHANNEL_KINDS } from "./kinds.ts";

const signal = AbortSignal.timeout(120_000);
const none = { caption: "", signal };
const soon = { timeout: 10_000 };
const SEND = "aibot_send_msg";

let wecom: WecomStandIn;
/** Sent at once, since it is five seconds until it is known that no answer comes. */
let unanswered: { readonly standIn: WecomStandIn; readonly receipt: Promise<Receipt> };

beforeAll(async () => {
  wecom = await startWecom();
  const standIn = await startWecom();
  standIn.bot.next(SEND, "silent");
  const to = await channel({ url: standIn.socketUrl });
  unanswered = { standIn, receipt: to.sendText({ chat: "user:U" }, "hi", { signal }) };
});
afterAll(async () => {
  await wecom[Symbol.asyncDispose]();
  await unanswered.standIn[Symbol.asyncDispose]();
});
beforeEach(() => {
  wecom.bot.sent.length = 0;
  wecom.bot.uploaded.length = 0;
});

async function channel(values: Readonly<Record<string, string>> = {}): Promise<Channel> {
  const kind = CHANNEL_KINDS.get("wecom");
  if (kind === undefined) throw new Error("There is no such kind.");
  return await kind.make({ account: "default", values: { ...BOT, url: wecom.socketUrl, ...values } });
}

describe("texts to WeCom", () => {
  it.each([
    ["user:zhang", { chatid: "zhang", chat_type: 1 }],
    ["group:wr1", { chatid: "wr1", chat_type: 2 }],
  ])("go to %s, and count when WeCom has said so", async (chat, where) => {
    const receipt = await (await channel()).sendText({ chat, replyTo: "m1" }, "**hi**", { signal });
    expect(receipt).toEqual({ state: "confirmed", messageId: expect.stringMatching(/^aibot_send_msg_/) });
    expect(wecom.bot.sent).toEqual([{ ...where, msgtype: "markdown", markdown: { content: "**hi**" } }]);
  });

  it("that are long go in parts that fit, also where each character is three bytes", async () => {
    const text = "长".repeat(15_000);
    const receipt = await (await channel()).sendText({ chat: "user:U" }, text, { signal });
    expect(receipt).toMatchObject({ state: "confirmed" });
    expect(wecom.bot.sent).toHaveLength(3);
  });

  it("that break off in the middle say how much arrived", async () => {
    wecom.bot.next(
      SEND,
      { errcode: 0, errmsg: "ok" },
      { errcode: 846607, errmsg: "frequency limit exceeded" },
    );
    const text = "x".repeat(15_000);
    expect(await (await channel()).sendText({ chat: "user:U" }, text, { signal })).toEqual({
      state: "failed",
      why: "1 of 3 parts arrived; then: WeCom refused: frequency limit exceeded (846607)",
    });
  });
});

const FAULTS: readonly [string, Verdict, Receipt][] = [
  [
    "a no",
    { errcode: 40058, errmsg: "user never wrote to the bot" },
    { state: "failed", why: "WeCom refused: user never wrote to the bot (40058)" },
  ],
  [
    "the connection's end",
    "close",
    { state: "unknown", why: "The connection to WeCom broke off. It may have arrived." },
  ],
];

describe("what WeCom answers", () => {
  it.each(FAULTS)("%s is told as it is", async (_what, verdict, expected) => {
    wecom.bot.next(SEND, verdict);
    expect(await (await channel()).sendText({ chat: "user:U" }, "hi", { signal })).toEqual(expected);
  });

  it("nothing leaves it open whether the message arrived", async () => {
    expect(await unanswered.receipt).toEqual({
      state: "unknown",
      why: "WeCom gave no answer. It may have arrived.",
    });
    wecom.bot.next(SEND, "silent");
    wecom.bot.commands.length = 0;
    const stop = new AbortController();
    const to = await channel();
    const sending = to.sendText({ chat: "user:U" }, "hi", { signal: stop.signal });
    await expect.poll(() => wecom.bot.commands, soon).toContain(SEND);
    stop.abort();
    expect(await sending).toEqual({
      state: "unknown",
      why: "It was cancelled before WeCom had answered. It may have arrived.",
    });
    expect(await to.sendText({ chat: "user:U" }, "hi", { signal: stop.signal })).toMatchObject({
      state: "failed",
    });
  });

  it.each([
    [
      "a wrong secret",
      { secret: "wrong" },
      /^WeCom's connection ended: Authentication failed: invalid secret/,
    ],
    ["nobody there", { url: "ws://127.0.0.1:1" }, /^WeCom's connection ended: .*ECONNREFUSED/],
  ])("%s: nothing was sent", async (_what, values, why) => {
    const to = await channel(values);
    expect(await to.sendText({ chat: "user:U" }, "hi", { signal })).toEqual({
      state: "failed",
      why: expect.stringMatching(why),
    });
    expect(await to.testConnection(signal)).toEqual({ ok: false, message: expect.stringMatching(why) });
    await expect(listening(to)).rejects.toMatchObject({ code: "connection_failed" });
  });

  it("to something that is no chat, nothing is sent", async () => {
    const to = await channel();
    const why = 'there is no chat "U": it is written user:ID or group:ID';
    expect(await to.sendText({ chat: "U" }, "hi", { signal })).toEqual({ state: "failed", why });
    expect(await to.sendMedia({ chat: "U" }, [mediaFile("a.png")], none)).toEqual({
      files: [{ state: "failed", why }],
    });
    expect(wecom.bot.uploaded).toEqual([]);
  });
});

describe("files to WeCom", () => {
  it("go in pieces after their words, each with a receipt", async () => {
    const bytes = Buffer.alloc(1_200_000, "PNG");
    const receipts = await (await channel()).sendMedia(
      { chat: "group:G" },
      [mediaFile("a.png", bytes), mediaFile("报告.pdf")],
      { caption: "look", signal },
    );
    const good = { state: "confirmed", messageId: expect.any(String) };
    expect(receipts).toEqual({ files: [good, good], caption: good });
    expect(wecom.bot.uploaded).toEqual([
      { type: "image", filename: "a.png", bytes },
      { type: "file", filename: "报告.pdf", bytes: Buffer.from("content of 报告.pdf") },
    ]);
    expect(wecom.bot.sent).toMatchObject([
      { chatid: "G", chat_type: 2, msgtype: "markdown" },
      { chatid: "G", chat_type: 2, msgtype: "image", image: { media_id: expect.any(String) } },
      { chatid: "G", chat_type: 2, msgtype: "file", file: { media_id: expect.any(String) } },
    ]);
  });

  it.each([
    ["a.jpg", 100, "image"],
    ["a.gif", 100, "file"],
    ["a.mp4", 100, "video"],
    ["a.mov", 100, "file"],
    ["a.mp3", 100, "file"],
    ["a.mp4", 10 * 1024 * 1024 + 1, "file"],
  ])("%s of %i bytes goes as what WeCom shows it as", async (name, size, type) => {
    const receipts = await (await channel()).sendMedia(
      { chat: "user:U" },
      [mediaFile(name, Buffer.alloc(size))],
      none,
    );
    expect(receipts.files).toMatchObject([{ state: "confirmed" }]);
    expect(wecom.bot.uploaded.map((one) => one.type)).toEqual([type]);
  });

  it("fail one by one: too small, too large, turned down before and after they were uploaded, cut off", async () => {
    wecom.bot.next("aibot_upload_media_init", { errcode: 40004, errmsg: "invalid file type" }, "close");
    const files = [
      mediaFile("tiny.txt", "12345"),
      mediaFile("large.zip", Buffer.alloc(20 * 1024 * 1024 + 1)),
      mediaFile("no.exe.zip"),
      mediaFile("lost.zip"),
      mediaFile("unsent.zip"),
      mediaFile("good.zip"),
    ];
    wecom.bot.next(SEND, { errcode: 846607, errmsg: "frequency limit exceeded" });
    const receipts = await (await channel()).sendMedia({ chat: "user:U" }, files, none);
    expect(receipts.files).toEqual([
      { state: "failed", why: "tiny.txt: WeCom takes no file of less than 6 bytes" },
      {
        state: "failed",
        why: "large.zip has 20971521 bytes; the channel takes 20971520 at most of archive files",
      },
      { state: "failed", why: "WeCom refused: invalid file type (40004)" },
      { state: "failed", why: "The connection to WeCom broke off." },
      { state: "failed", why: "WeCom refused: frequency limit exceeded (846607)" },
      { state: "confirmed", messageId: expect.any(String) },
    ]);
  });
});

describe("a connection to WeCom", () => {
  it("is tested by being made, unless it stands", async () => {
    const to = await channel();
    const report = { ok: true, message: "WeCom has let the bot in." };
    expect(await to.testConnection(signal)).toEqual(report);
    await using _inbox = await listening(to);
    const before = wecom.bot.admitted;
    expect(await to.testConnection(signal)).toEqual(report);
    await to.sendText({ chat: "user:U" }, "hi", { signal });
    expect(wecom.bot.admitted).toBe(before);
  });

  it("brings messages of persons and of groups, and survives what is no message", async () => {
    await using inbox = await listening(await channel());
    const body = { from: { userid: "zhang" }, chattype: "single", create_time: 1_790_000_000 };
    wecom.bot.garble();
    wecom.bot.push({ msgtype: "text" });
    wecom.bot.push({ ...body, msgid: "1", msgtype: "text", text: { content: " hi " } });
    const group = { ...body, chattype: "group", chatid: "wr1" };
    wecom.bot.push({ ...group, msgid: "2", msgtype: "voice", voice: { content: "spoken" } });
    wecom.bot.push({ ...body, msgid: "3", msgtype: "location" });
    await inbox.until(3);
    const receivedAtMs = 1_790_000_000_000;
    expect(inbox.messages).toEqual([
      { id: "1", senderId: "zhang", chat: "user:zhang", text: "hi", files: [], receivedAtMs },
      { id: "2", senderId: "zhang", chat: "group:wr1", text: "spoken", files: [], receivedAtMs },
      { id: "3", senderId: "zhang", chat: "user:zhang", text: "[location]", files: [], receivedAtMs },
    ]);
  });

  it.each([0, 1, 31, 32, 33, 300_000])("brings files of %i bytes, deciphered", async (size) => {
    await using inbox = await listening(await channel());
    const content = Buffer.alloc(size, "file");
    const image = wecom.store(`/media/${size}`, content);
    wecom.bot.push({
      msgid: `f${size}`,
      from: { userid: "U" },
      msgtype: "mixed",
      mixed: {
        msg_item: [
          { msgtype: "text", text: { content: "see" } },
          { msgtype: "image", image },
        ],
      },
    });
    await inbox.until(1);
    const [message] = inbox.messages;
    expect({ text: message?.text, names: message?.files.map(({ name }) => name) }).toEqual({
      text: "see",
      names: ["image-2"],
    });
    expect(await bytesOf(message?.files[0])).toEqual(content);
  });

  it("refuses files that can't be deciphered, and those from elsewhere", async () => {
    await using inbox = await listening(await channel());
    const { url, aeskey } = wecom.store("/media/secret", Buffer.alloc(100, "x"));
    const other = Buffer.alloc(32, 7).toString("base64");
    const items = [
      { url, aeskey: other },
      { url, aeskey: "c2hvcnQ=" },
      { url: "http://10.0.0.1/x", aeskey },
      { url: `${wecom.url}/gone`, aeskey },
    ];
    const msg_item = items.map((file) => ({ msgtype: "image", image: file }));
    wecom.bot.push({ msgid: "bad", from: { userid: "U" }, msgtype: "mixed", mixed: { msg_item } });
    await inbox.until(1);
    const files = inbox.messages[0]?.files ?? [];
    const codes = await Promise.all(files.map((file) => bytesOf(file).catch(({ code }) => code)));
    expect(codes).toEqual(["connection_failed", "connection_failed", "unsupported", "connection_failed"]);
  });

  it("that is lost, or taken over by another, ends with the reason", async () => {
    {
      await using inbox = await listening(await channel());
      wecom.cut();
      expect(await inbox.ended).toMatchObject({ code: "connection_failed" });
    }
    await using older = await listening(await channel());
    await using _newer = await listening(await channel());
    expect(await older.ended).toMatchObject({
      code: "connection_failed",
      message: "WeCom's connection ended: another connection of this bot was opened.",
    });
  });

  it("keeps what comes while only a sender has it, and is closed after", async () => {
    const to = await channel();
    const gate = Promise.withResolvers<{ errcode: number; errmsg: string }>();
    wecom.bot.next(SEND, gate.promise);
    wecom.bot.commands.length = 0;
    const sending = to.sendText({ chat: "user:U" }, "hi", { signal });
    await expect.poll(() => wecom.bot.commands, soon).toContain(SEND);
    wecom.bot.push({ msgid: "kept", from: { userid: "U" }, msgtype: "text", text: { content: "x" } });
    gate.resolve({ errcode: 0, errmsg: "ok" });
    expect(await sending).toMatchObject({ state: "confirmed" });
    await expect.poll(() => wecom.sockets.size, soon).toBe(0);
    await using inbox = await listening(to);
    await inbox.until(1);
    expect(inbox.messages.map(({ id }) => id)).toEqual(["kept"]);
  });

  it("is kept up, and lets in whom the list names", async () => {
    const came: string[] = [];
    const states: string[] = [];
    await using channels = new Channels({
      firstDelayMs: 10,
      onMessage: ({ message }) => void came.push(message.id),
      onState: ({ connection }) => void states.push(connection.state),
    });
    channels.add(await channel(), { allowFrom: ["U"] });
    channels.start();
    await expect.poll(() => states.at(-1), soon).toBe("connected");
    wecom.cut();
    await expect.poll(() => states.filter((state) => state === "connected").length, soon).toBe(2);
    for (const userid of ["stranger", "U"]) {
      wecom.bot.push({ msgid: `of ${userid}`, from: { userid }, msgtype: "text", text: { content: "x" } });
    }
    await expect.poll(() => came, soon).toEqual(["of U"]);
    expect(channels.statuses[0]?.turnedAway).toEqual({ count: 1, lastSenderId: "stranger" });
  });
});

describe("settings of a bot at WeCom", () => {
  it("say what host is reached, and take no address in the clear", async () => {
    const { hosts } = await channel({ url: "wss://openws.work.weixin.qq.com" });
    expect(hosts).toEqual(["openws.work.weixin.qq.com"]);
    await expect(channel({ url: "ws://example.com" })).rejects.toMatchObject({ code: "invalid_settings" });
  });
});
