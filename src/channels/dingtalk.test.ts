import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { mediaFile } from "../../test/stand-ins/chat/files.ts";
import { bytesOf, listening } from "../../test/stand-ins/chat/inbox.ts";
import type { Reply } from "../../test/stand-ins/chat/server.ts";
import { APP, type DingtalkStandIn, startDingtalk } from "../../test/stand-ins/dingtalk/stand-in.ts";
import type { Channel } from "./channel.ts";
import { Channels } from "./channels.ts";
import { CHANNEL_KINDS } from "./kinds.ts";

const signal = AbortSignal.timeout(120_000);
const none = { caption: "", signal };
const soon = { timeout: 10_000 };
const TOKEN = "POST /v1.0/oauth2/accessToken";
const TO_PERSON = "POST /v1.0/robot/oToMessages/batchSend";
const TO_GROUP = "POST /v1.0/robot/groupMessages/send";
const UPLOAD = "POST /media/upload";
const good = { state: "confirmed", messageId: expect.any(String) };

let ding: DingtalkStandIn;
beforeAll(async () => {
  ding = await startDingtalk();
});
afterAll(() => ding[Symbol.asyncDispose]());

/** What the package, or anybody, writes to standard output meanwhile. */
const written: unknown[] = [];
const { info, log } = console;
beforeEach(() => {
  console.info = (...words) => void written.push(words);
  console.log = (...words) => void written.push(words);
  written.length = 0;
  ding.uploaded.length = 0;
});
afterEach(() => {
  Object.assign(console, { info, log });
  expect(written).toEqual([]);
});

async function channel(values: Readonly<Record<string, string>> = {}): Promise<Channel> {
  const kind = CHANNEL_KINDS.get("dingtalk");
  if (kind === undefined) throw new Error("There is no such kind.");
  return await kind.make({
    account: "default",
    values: { ...APP, apiUrl: ding.url, oapiUrl: ding.url, ...values },
  });
}

/** The messages to a path since `count`, with what goes into the template read. */
const sent = (call: string, count: number): unknown[] =>
  ding
    .heard(call)
    .slice(count)
    .map(({ json }) => {
      const { msgParam, ...rest } = Object(json);
      return { ...rest, msgParam: JSON.parse(msgParam) };
    });

describe("texts to DingTalk", () => {
  it.each([
    ["user:zhang", TO_PERSON, { userIds: ["zhang"] }],
    ["group:cidABC==", TO_GROUP, { openConversationId: "cidABC==" }],
  ])("go to %s, and count when DingTalk has said so", async (chat, call, where) => {
    const before = ding.heard(call).length;
    expect(await (await channel()).sendText({ chat, replyTo: "m" }, "hi", { signal })).toEqual(good);
    expect(sent(call, before)).toEqual([
      { robotCode: APP.clientId, msgKey: "sampleText", msgParam: { content: "hi" }, ...where },
    ]);
  });

  it("that are long go in parts, and say how many arrived", async () => {
    const before = ding.heard(TO_GROUP).length;
    const to = await channel();
    expect(await to.sendText({ chat: "group:G" }, "长".repeat(15_000), { signal })).toEqual(good);
    expect(sent(TO_GROUP, before)).toHaveLength(3);
    ding.next(
      TO_GROUP,
      { json: { processQueryKey: "1" } },
      { status: 400, json: { code: "no", message: "stop" } },
    );
    expect(await to.sendText({ chat: "group:G" }, "长".repeat(15_000), { signal })).toEqual({
      state: "failed",
      why: "1 of 3 parts arrived; then: DingTalk refused: stop (no)",
    });
  });
});

const OFTEN = { status: 403, json: { code: "Forbidden.AccessDenied.QpsLimitForApi", message: "too fast" } };
const STALE = { status: 401, json: { code: "InvalidAuthentication", message: "old token" } };
const FAULTS: readonly [string, readonly Reply[], unknown][] = [
  [
    "a no",
    [{ status: 400, json: { code: "staffId.notExisted", message: "员工不存在" } }],
    { state: "failed", why: "DingTalk refused: 员工不存在 (staffId.notExisted)" },
  ],
  [
    "that the person isn't known",
    [{ json: { processQueryKey: "1", invalidStaffIdList: ["U"] } }],
    { state: "failed", why: 'DingTalk knows no person "U" whom the robot may write to' },
  ],
  [
    "that the person gets too much",
    [{ json: { processQueryKey: "1", flowControlledStaffIdList: ["U"] } }],
    { state: "failed", why: "DingTalk lets no more messages through to this person for now" },
  ],
  [
    "a no without words",
    [{ status: 500 }],
    { state: "failed", why: "DingTalk refused: it gave no reason (500)" },
  ],
  [
    "a gateway's timeout",
    [{ status: 504 }],
    { state: "unknown", why: "DingTalk broke off (504). It may have arrived." },
  ],
  ["no id", [{ json: {} }], { state: "unknown", why: "DingTalk gave no id for the message." }],
  [
    "a broken connection",
    ["drop"],
    { state: "unknown", why: expect.stringContaining("It may have arrived.") },
  ],
  ["too often, once", [OFTEN], good],
  [
    "too often, again and again",
    [OFTEN, OFTEN, OFTEN],
    {
      state: "failed",
      why: "DingTalk refused: too fast (Forbidden.AccessDenied.QpsLimitForApi); it may be tried again in 1 s",
    },
  ],
  ["an ended token", [STALE], good],
  [
    "ended tokens only",
    [STALE, STALE],
    { state: "failed", why: "DingTalk refused: old token (InvalidAuthentication)" },
  ],
];

describe("what DingTalk answers", () => {
  it.each(FAULTS)("%s is told as it is", async (_what, replies, expected) => {
    ding.next(TO_PERSON, ...replies);
    expect(await (await channel()).sendText({ chat: "user:U" }, "hi", { signal })).toEqual(expected);
  });

  it("nothing leaves it open whether the message arrived", async () => {
    ding.next(TO_PERSON, "hang");
    const before = ding.heard(TO_PERSON).length;
    const stop = new AbortController();
    const sending = (await channel()).sendText({ chat: "user:U" }, "hi", { signal: stop.signal });
    await expect.poll(() => ding.heard(TO_PERSON).length, soon).toBe(before + 1);
    stop.abort();
    expect(await sending).toMatchObject({ state: "unknown" });
  });

  it("a token is fetched once, and anew when it isn't taken any more", async () => {
    const to = await channel();
    const before = ding.heard(TOKEN).length;
    await Promise.all(["a", "b"].map((text) => to.sendText({ chat: "user:U" }, text, { signal })));
    expect(ding.heard(TOKEN).length - before).toBe(1);
    ding.tokens.clear();
    expect(await to.sendText({ chat: "user:U" }, "c", { signal })).toEqual(good);
    ding.tokens.clear();
    expect((await to.sendMedia({ chat: "user:U" }, [mediaFile("a.png")], none)).files).toEqual([good]);
  });

  it("to something that is no chat, nothing is sent", async () => {
    const why = 'there is no chat "U": it is written user:ID or group:ID';
    const to = await channel();
    expect(await to.sendText({ chat: "U" }, "hi", { signal })).toEqual({ state: "failed", why });
    expect(await to.sendMedia({ chat: "U" }, [mediaFile("a.png")], none)).toEqual({
      files: [{ state: "failed", why }],
    });
    expect(ding.uploaded).toEqual([]);
  });
});

/** A video of ten seconds, as far as its header says. */
function video(): Buffer {
  const bytes = Buffer.alloc(8 + 8 + 8 + 100);
  bytes.writeUInt32BE(8);
  bytes.write("ftyp", 4, "latin1");
  bytes.writeUInt32BE(116, 8);
  bytes.write("moov", 12, "latin1");
  bytes.writeUInt32BE(108, 16);
  bytes.write("mvhd", 20, "latin1");
  bytes.writeUInt32BE(1000, 24 + 12);
  bytes.writeUInt32BE(10_000, 24 + 16);
  return bytes;
}

describe("files to DingTalk", () => {
  it("go after their words, which aren't lost", async () => {
    const before = ding.heard(TO_GROUP).length;
    const files = [mediaFile("a.png", "PNG"), mediaFile("报告.pdf")];
    const receipts = await (await channel()).sendMedia({ chat: "group:G" }, files, {
      caption: "look",
      signal,
    });
    expect(receipts).toEqual({ files: [good, good], caption: good });
    expect(sent(TO_GROUP, before)).toMatchObject([
      { msgKey: "sampleText", msgParam: { content: "look" } },
      { msgKey: "sampleImageMsg", msgParam: { photoURL: expect.stringMatching(/^@image-/) } },
      {
        msgKey: "sampleFile",
        msgParam: { mediaId: expect.stringMatching(/^@file-/), fileName: "报告.pdf", fileType: "pdf" },
      },
    ]);
    expect(ding.uploaded).toEqual([
      { type: "image", name: "a.png", bytes: Buffer.from("PNG") },
      { type: "file", name: "报告.pdf", bytes: Buffer.from("content of 报告.pdf") },
    ]);
  });

  it("that are videos have their length and a picture", async () => {
    const before = ding.heard(TO_PERSON).length;
    const receipts = await (await channel()).sendMedia(
      { chat: "user:U" },
      [mediaFile("a.mp4", video())],
      none,
    );
    expect(receipts.files).toEqual([good]);
    expect(sent(TO_PERSON, before)).toMatchObject([
      {
        msgKey: "sampleVideo",
        msgParam: {
          duration: "10",
          videoType: "mp4",
          videoMediaId: expect.stringMatching(/^@video-/),
          picMediaId: expect.stringMatching(/^@image-/),
        },
      },
    ]);
    expect(ding.uploaded.map(({ type, name }) => [type, name])).toEqual([
      ["video", "a.mp4"],
      ["image", "cover.png"],
    ]);
  });

  it.each([
    ["a.gif", "image"],
    ["a.webp", "file"],
    ["a.mov", "file"],
    ["a.mp4", "file"],
    ["a.mp3", "file"],
    ["a.csv", "file"],
  ])("%s goes as what DingTalk shows it as", async (name, type) => {
    await (await channel()).sendMedia({ chat: "user:U" }, [mediaFile(name)], none);
    expect(ding.uploaded.map((one) => one.type)).toEqual([type]);
  });

  it("fail one by one: turned down before and after they were uploaded, too large, cut off", async () => {
    ding.next(UPLOAD, { json: { errcode: 40004, errmsg: "不支持的文件类型" } }, "drop");
    const before = ding.heard(TO_PERSON).length;
    const files = [
      mediaFile("no.7z"),
      mediaFile("lost.zip"),
      mediaFile("large.zip", Buffer.alloc(20 * 1024 * 1024 + 1)),
      mediaFile("unsent.zip"),
      mediaFile("good.zip"),
    ];
    ding.next(TO_PERSON, { status: 400, json: { code: "sendFailed", message: "no" } });
    expect((await (await channel()).sendMedia({ chat: "user:U" }, files, none)).files).toEqual([
      { state: "failed", why: "DingTalk refused: 不支持的文件类型 (40004)" },
      // It was never sent, so that nothing is open, and no token is shown.
      {
        state: "failed",
        why: expect.stringMatching(/^The connection to 127\.0\.0\.1:\d+ broke off \(\w+\)\.$/),
      },
      {
        state: "failed",
        why: "large.zip has 20971521 bytes; the channel takes 20971520 at most of archive files",
      },
      { state: "failed", why: "DingTalk refused: no (sendFailed)" },
      good,
    ]);
    expect(ding.heard(TO_PERSON)).toHaveLength(before + 2);
  });
});

describe("a connection to DingTalk", () => {
  it("is tested with the app's credentials", async () => {
    expect(await (await channel()).testConnection(signal)).toEqual({
      ok: true,
      message: "DingTalk knows the app.",
    });
    const wrong = await channel({ clientSecret: "wrong" });
    const why = "DingTalk refused: 无效的clientId或者clientSecret (invalidClientIdOrSecret)";
    expect(await wrong.testConnection(signal)).toEqual({ ok: false, message: why });
    expect(await wrong.sendText({ chat: "user:U" }, "hi", { signal })).toEqual({ state: "failed", why });
    await expect(listening(wrong)).rejects.toMatchObject({
      code: "connection_failed",
      message: "DingTalk refused: 鉴权失败 (authFailed).",
    });
  });

  it("brings messages of persons and of groups, and tells DingTalk so", async () => {
    await using inbox = await listening(await channel());
    const from = {
      senderStaffId: "zhang",
      senderId: "$:x",
      senderNick: "张三",
      conversationId: "cid1",
      createAt: 5,
    };
    const ids = [
      ding.push({ ...from, msgId: "1", conversationType: "1", msgtype: "text", text: { content: " hi " } }),
      ding.push({ ...from, msgId: "2", conversationType: "2", msgtype: "text", text: { content: "do it" } }),
      ding.push({ ...from, msgId: "3", conversationType: "1", msgtype: "location" }),
    ];
    await inbox.until(3);
    const person = { senderId: "zhang", senderName: "张三", files: [], receivedAtMs: 5 };
    expect(inbox.messages).toEqual([
      { ...person, id: "1", chat: "user:zhang", text: "hi" },
      { ...person, id: "2", chat: "group:cid1", text: "do it" },
      { ...person, id: "3", chat: "user:zhang", text: "[location]" },
    ]);
    await expect.poll(() => ding.acknowledged, soon).toEqual(expect.arrayContaining(ids));
  });

  it("brings files, which are fetched when they are opened", async () => {
    await using inbox = await listening(await channel());
    const from = { senderStaffId: "U", conversationId: "cid1", conversationType: "1" };
    const file = { downloadCode: "c1", fileName: "a.pdf" };
    const audio = { downloadCode: "c2", recognition: "spoken words" };
    const richText = [{ text: "see " }, { type: "picture", downloadCode: "c3" }, { text: "this" }];
    ding.push({ ...from, msgId: "f", msgtype: "file", content: file });
    ding.push({ ...from, msgId: "a", msgtype: "audio", content: audio });
    ding.push({ ...from, msgId: "r", msgtype: "richText", content: { richText } });
    await inbox.until(3);
    expect(inbox.messages.map(({ text, files }) => [text, ...files.map(({ name }) => name)])).toEqual([
      ["", "a.pdf"],
      ["spoken words", "audio-1.amr"],
      ["see this", "picture-2"],
    ]);
    const [first] = inbox.messages;
    expect((await bytesOf(first?.files[0])).toString()).toBe("bytes of c1");
    ding.next(
      "POST /v1.0/robot/messageFiles/download",
      { json: { downloadUrl: "http://10.0.0.1/x" } },
      { json: {} },
    );
    await expect(bytesOf(first?.files[0])).rejects.toMatchObject({ code: "unsupported" });
    await expect(bytesOf(first?.files[0])).rejects.toMatchObject({ code: "unsupported" });
  });

  it("survives what is no message", async () => {
    await using inbox = await listening(await channel());
    for (const said of [
      "{ no JSON",
      "null",
      "5",
      "{}",
      '{"type":"SYSTEM"}',
      '{"type":"CALLBACK","headers":{"topic":"error"}}',
    ]) {
      ding.say(said);
    }
    ding.push("no object");
    ding.say({ type: "SYSTEM", headers: { topic: "ping", messageId: "p" }, data: "{}" });
    ding.push({
      msgId: "1",
      senderStaffId: "U",
      conversationId: "c",
      msgtype: "text",
      text: { content: "x" },
    });
    await inbox.until(1);
    expect(inbox.messages).toHaveLength(1);
    await expect.poll(() => ding.acknowledged, soon).toContain("p");
  });

  it.each([
    ["is lost", () => ding.cut(), /it was closed \(1006\)/],
    [
      "is asked to be made anew",
      () => ding.say({ type: "SYSTEM", headers: { topic: "disconnect" } }),
      /asks for a new/,
    ],
  ])("that %s ends with the reason", async (_what, end, reason) => {
    await using inbox = await listening(await channel());
    end();
    expect(await inbox.ended).toMatchObject({
      code: "connection_failed",
      message: expect.stringMatching(reason),
    });
  });

  it.each([
    ["no place to connect to", { json: {} }, "connection_failed"],
    ["a place in the clear", { json: { endpoint: "ws://example.com", ticket: "t" } }, "invalid_settings"],
    ["nobody at the place", { json: { endpoint: "ws://127.0.0.1:1", ticket: "t" } }, "connection_failed"],
    ["a ticket that has ended", undefined, "connection_failed"],
  ])("with %s isn't made", async (_what, reply, code) => {
    ding.next(
      "POST /v1.0/gateway/connections/open",
      reply ?? { json: { endpoint: ding.url.replace("http", "ws"), ticket: "old" } },
    );
    // A ticket is looked at when the connection stands already.
    const ended = listening(await channel()).then(
      (inbox) => inbox.ended,
      (error: unknown) => error,
    );
    expect(await ended).toMatchObject({ code });
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
    ding.cut();
    await expect.poll(() => states.filter((state) => state === "connected").length, soon).toBe(2);
    for (const senderStaffId of ["stranger", "U"]) {
      const msgId = `of ${senderStaffId}`;
      ding.push({ msgId, senderStaffId, conversationId: "c", msgtype: "text", text: { content: "x" } });
    }
    await expect.poll(() => came, soon).toEqual(["of U"]);
    expect(channels.statuses[0]?.turnedAway).toEqual({ count: 1, lastSenderId: "stranger" });
  });
});

describe("settings of an app at DingTalk", () => {
  it("say what hosts are reached, and tell accounts apart by app and robot", async () => {
    const kind = CHANNEL_KINDS.get("dingtalk");
    const make = async (robotCode: string) =>
      await kind?.make({ account: "a", values: { ...APP, robotCode } });
    const made = await make("r1");
    expect(made?.hosts).toEqual(["api.dingtalk.com", "oapi.dingtalk.com"]);
    expect(made?.identity).not.toBe((await make("r2"))?.identity);
    await expect(channel({ oapiUrl: "http://example.com" })).rejects.toMatchObject({
      code: "invalid_settings",
    });
  });
});
