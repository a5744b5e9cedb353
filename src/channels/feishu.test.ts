import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { mediaFile } from "../../test/stand-ins/chat/files.ts";
import { bytesOf, listening } from "../../test/stand-ins/chat/inbox.ts";
import type { Reply } from "../../test/stand-ins/chat/server.ts";
import { APP, type FeishuStandIn, startFeishu } from "../../test/stand-ins/feishu/stand-in.ts";
import type { Channel } from "./channel.ts";
import { Channels } from "./channels.ts";
import { CHANNEL_KINDS } from "./kinds.ts";

const signal = AbortSignal.timeout(120_000);
const none = { caption: "", signal };
const soon = { timeout: 10_000 };
const TOKEN = "POST /open-apis/auth/v3/tenant_access_token/internal";
const SEND = "POST /open-apis/im/v1/messages";
const IMAGES = "POST /open-apis/im/v1/images";
const FILES = "POST /open-apis/im/v1/files";
const RECEIVE = "im.message.receive_v1";
const good = { state: "confirmed", messageId: expect.stringMatching(/^om_/) };

let feishu: FeishuStandIn;
beforeAll(async () => {
  feishu = await startFeishu();
});
afterAll(() => feishu[Symbol.asyncDispose]());

/** What the package, or anybody, writes meanwhile. */
const written: unknown[] = [];
const { info, log, error, warn } = console;
beforeEach(() => {
  const write = (...words: unknown[]): void => void written.push(words);
  Object.assign(console, { info: write, log: write, error: write, warn: write });
  written.length = 0;
  feishu.shown.length = 0;
  feishu.uploaded.length = 0;
});
afterEach(() => {
  Object.assign(console, { info, log, error, warn });
  expect(written).toEqual([]);
});

async function channel(values: Readonly<Record<string, string>> = {}): Promise<Channel> {
  const kind = CHANNEL_KINDS.get("feishu");
  if (kind === undefined) throw new Error("There is no such kind.");
  return await kind.make({ account: "default", values: { ...APP, domain: feishu.url, ...values } });
}

const said = (words: string): object => ({ type: "text", content: { text: words } });

describe("texts to Feishu", () => {
  it.each([
    ["a chat", { chat: "oc_1" }, "chat_id:oc_1"],
    ["a person", { chat: "ou_1" }, "open_id:ou_1"],
    ["a message", { chat: "oc_1", replyTo: "om_7" }, "om_7"],
  ])("go to %s, and count when Feishu has said so", async (_what, destination, to) => {
    expect(await (await channel()).sendText(destination, "hi", { signal })).toEqual(good);
    expect(feishu.shown).toEqual([{ to, ...said("hi") }]);
  });

  it("call nobody, whatever they hold", async () => {
    await (await channel()).sendText({ chat: "oc_1" }, '<at user_id="all"></at>', { signal });
    expect(feishu.shown).toMatchObject([said('＜at user_id="all">＜/at>')]);
  });

  it("that are long go in parts, of which the first is the answer, and say how many arrived", async () => {
    const to = await channel();
    const text = "长".repeat(50_000);
    expect(await to.sendText({ chat: "oc_1", replyTo: "om_7" }, text, { signal })).toEqual(good);
    expect(feishu.shown.map((one) => Object(one).to)).toEqual(["om_7", "chat_id:oc_1", "chat_id:oc_1"]);
    feishu.next(
      SEND,
      { json: { code: 0, data: { message_id: "om_x" } } },
      { json: { code: 230002, msg: "Bot is not in the chat" } },
    );
    expect(await to.sendText({ chat: "oc_1" }, text, { signal })).toEqual({
      state: "failed",
      why: "1 of 3 parts arrived; then: Feishu refused: Bot is not in the chat (230002)",
    });
  });
});

const wait = (seconds: number): Reply => ({
  status: 429,
  json: { code: 99991400, msg: "request trigger frequency limit" },
  headers: { "x-ogw-ratelimit-reset": String(seconds) },
});
const OLD_WAIT = { status: 400, json: { code: 99991400, msg: "too often" } };
const STALE = { status: 400, json: { code: 99991663, msg: "Invalid access token" } };
const FAULTS: readonly [string, readonly Reply[], unknown][] = [
  [
    "a no",
    [{ status: 400, json: { code: 230013, msg: "Bot has NO availability to this user." } }],
    { state: "failed", why: "Feishu refused: Bot has NO availability to this user. (230013)" },
  ],
  [
    "a no in an answer that looks good",
    [{ json: { code: 230002, msg: "Bot is not in the chat" } }],
    { state: "failed", why: "Feishu refused: Bot is not in the chat (230002)" },
  ],
  [
    "a no without words",
    [{ status: 500 }],
    { state: "failed", why: "Feishu refused: it gave no reason (500)" },
  ],
  ["no id", [{ json: { code: 0 } }], { state: "unknown", why: "Feishu gave no id for the message." }],
  [
    "what isn't understood, twice",
    [{ bytes: Buffer.from("<html>") }, { bytes: Buffer.from("<html>") }],
    { state: "unknown", why: "Feishu's answer isn't understood. It may have arrived." },
  ],
  [
    "a gateway's timeout, twice",
    [{ status: 504 }, { status: 504 }],
    { state: "unknown", why: "Feishu broke off (504). It may have arrived." },
  ],
  ["a broken connection, once", ["drop"], good],
  [
    "a broken connection, and then a no",
    ["drop", { status: 400, json: { code: 230049, msg: "being sent" } }],
    { state: "unknown", why: expect.stringMatching(/broke off \(\w+\)\. It may have arrived\.$/) },
  ],
  [
    "a redirection",
    [{ status: 302, headers: { location: "http://127.0.0.1:1/" } }],
    { state: "failed", why: "Feishu refused: it gave no reason (302)" },
  ],
  ["too often, once", [wait(1)], good],
  ["too often, the old way", [OLD_WAIT], good],
  [
    "too often for long",
    [wait(52)],
    {
      state: "failed",
      why: "Feishu refused: request trigger frequency limit (99991400); it may be tried again in 52 s",
    },
  ],
  ["an ended token", [STALE], good],
  [
    "ended tokens only",
    [STALE, STALE],
    { state: "failed", why: "Feishu refused: Invalid access token (99991663)" },
  ],
];

describe("what Feishu answers", () => {
  it.each(FAULTS)("%s is told as it is", async (_what, replies, expected) => {
    feishu.next(SEND, ...replies);
    expect(await (await channel()).sendText({ chat: "oc_1" }, "hi", { signal })).toEqual(expected);
  });

  it("nothing, though it has shown the message: it isn't shown twice", async () => {
    const before = feishu.heard(SEND).length;
    feishu.next(SEND, "drop");
    await (await channel()).sendText({ chat: "oc_1" }, "hi", { signal });
    const numbers = feishu
      .heard(SEND)
      .slice(before)
      .map(({ json }) => Object(json).uuid);
    expect(numbers).toEqual([expect.any(String), numbers[0]]);
    expect(feishu.shown).toHaveLength(1);
  });

  it("nothing leaves it open whether the message arrived", async () => {
    feishu.next(SEND, "hang");
    const before = feishu.heard(SEND).length;
    const stop = new AbortController();
    const sending = (await channel()).sendText({ chat: "oc_1" }, "hi", { signal: stop.signal });
    await expect.poll(() => feishu.heard(SEND).length, soon).toBe(before + 1);
    stop.abort();
    expect(await sending).toMatchObject({ state: "unknown", why: expect.stringContaining("cancelled") });
    expect(feishu.heard(SEND)).toHaveLength(before + 1);
  });

  it("nothing where nobody listens, so that nothing can have arrived", async () => {
    const gone = await startFeishu();
    await gone[Symbol.asyncDispose]();
    const to = await channel({ domain: gone.url });
    const why = expect.stringMatching(/couldn't be reached \(ECONNREFUSED\)/);
    expect(await to.sendText({ chat: "oc_1" }, "hi", { signal })).toEqual({ state: "failed", why });
    await expect(listening(to)).rejects.toMatchObject({ code: "connection_failed" });
  });

  it("a token is fetched once, and anew when it isn't taken any more", async () => {
    const to = await channel();
    const before = feishu.heard(TOKEN).length;
    await Promise.all(["a", "b"].map((text) => to.sendText({ chat: "oc_1" }, text, { signal })));
    expect(feishu.heard(TOKEN).length - before).toBe(1);
    feishu.tokens.clear();
    expect(await to.sendText({ chat: "oc_1" }, "c", { signal })).toEqual(good);
  });

  it("to something that is no chat, nothing is sent", async () => {
    const why = 'there is no chat "U": chats begin with oc_, and persons with ou_';
    const to = await channel();
    expect(await to.sendText({ chat: "U" }, "hi", { signal })).toEqual({ state: "failed", why });
    expect(await to.sendMedia({ chat: "U" }, [mediaFile("a.png")], none)).toEqual({
      files: [{ state: "failed", why }],
    });
    expect(feishu.uploaded).toEqual([]);
  });
});

describe("files to Feishu", () => {
  it("go after their words, each with a receipt", async () => {
    const bytes = Buffer.from([0x89, 0x50, 0, 255, 13, 10, 13, 10]);
    const files = [mediaFile("a.png", bytes), mediaFile("报告.pdf")];
    const destination = { chat: "oc_1", replyTo: "om_7" };
    const receipts = await (await channel()).sendMedia(destination, files, { caption: "look", signal });
    expect(receipts).toEqual({ files: [good, good], caption: good });
    expect(feishu.shown).toEqual([
      { to: "om_7", ...said("look") },
      { to: "chat_id:oc_1", type: "image", content: { image_key: expect.any(String) } },
      { to: "chat_id:oc_1", type: "file", content: { file_key: expect.any(String) } },
    ]);
    expect(feishu.uploaded).toEqual([
      { image_type: Buffer.from("message"), image: bytes },
      {
        file_type: Buffer.from("pdf"),
        file_name: Buffer.from("报告.pdf"),
        file: Buffer.from("content of 报告.pdf"),
      },
    ]);
  });

  it.each([
    ["a.webp", 100, "image", undefined],
    ["a.png", 10 * 1024 * 1024 + 1, "file", "stream"],
    ["a.mp4", 100, "media", "mp4"],
    ["a.mov", 100, "file", "stream"],
    ["a.mp3", 100, "file", "stream"],
    ["a.docx", 100, "file", "doc"],
    ["a.xls", 100, "file", "xls"],
    ["a.pptx", 100, "file", "ppt"],
    ["a.md", 100, "file", "stream"],
  ])("%s of %i bytes goes as what Feishu shows it as", async (name, size, type, fileType) => {
    const file = mediaFile(name, Buffer.alloc(size));
    expect((await (await channel()).sendMedia({ chat: "oc_1" }, [file], none)).files).toEqual([good]);
    expect(feishu.shown).toMatchObject([{ type }]);
    expect(feishu.uploaded[0]?.file_type?.toString()).toBe(fileType);
  });

  it("fail one by one, with Feishu's reason: turned down before and after they were uploaded, empty, cut off", async () => {
    feishu.next(IMAGES, { json: { code: 234011, msg: "Can't regonnize the image format." } });
    feishu.next(FILES, "drop", { json: { code: 0, data: {} } });
    feishu.next(SEND, { json: { code: 230002, msg: "Bot is not in the chat" } });
    const files = [
      mediaFile("no.png"),
      mediaFile("lost.zip"),
      mediaFile("odd.zip"),
      mediaFile("empty.zip", ""),
      mediaFile("large.zip", Buffer.alloc(20 * 1024 * 1024 + 1)),
      mediaFile("unsent.zip"),
      mediaFile("good.zip"),
    ];
    expect((await (await channel()).sendMedia({ chat: "oc_1" }, files, none)).files).toEqual([
      { state: "failed", why: "Feishu refused: Can't regonnize the image format. (234011)" },
      { state: "failed", why: expect.stringMatching(/broke off \(\w+\)\.$/) },
      { state: "failed", why: "Feishu took the file and gave nothing to send it by" },
      { state: "failed", why: "empty.zip: Feishu takes no empty file" },
      {
        state: "failed",
        why: "large.zip has 20971521 bytes; the channel takes 20971520 at most of archive files",
      },
      { state: "failed", why: "Feishu refused: Bot is not in the chat (230002)" },
      good,
    ]);
    expect(feishu.shown).toHaveLength(1);
  });
});

/** A message's event. */
const event = (id: string, type: string, content: unknown, more: object = {}): object => ({
  sender: { sender_id: { open_id: "ou_zhang" }, sender_type: "user" },
  message: {
    message_id: id,
    chat_id: "oc_1",
    chat_type: "group",
    message_type: type,
    content: JSON.stringify(content),
    create_time: "1790000000000",
    ...more,
  },
});

describe("a connection to Feishu", () => {
  it("is tested with the app's credentials", async () => {
    const report = { ok: true, message: "Feishu knows the bot as stand-in bot." };
    expect(await (await channel()).testConnection(signal)).toEqual(report);
    const wrong = await channel({ appSecret: "wrong" });
    const why = "Feishu refused: app secret invalid (10014)";
    expect(await wrong.testConnection(signal)).toEqual({ ok: false, message: why });
    expect(await wrong.sendText({ chat: "oc_1" }, "hi", { signal })).toEqual({ state: "failed", why });
    await expect(listening(wrong)).rejects.toMatchObject({ code: "connection_failed", message: `${why}.` });
  });

  it("brings messages, also in pieces, and tells Feishu so", async () => {
    await using inbox = await listening(await channel());
    const mentions = [{ key: "@_user_1", name: "Bot" }];
    const post = {
      title: "Title",
      content: [
        [
          { tag: "text", text: "see " },
          { tag: "a", text: "here", href: "https://x.y" },
        ],
        [
          { tag: "at", user_name: "Li" },
          { tag: "img", image_key: "img_9" },
        ],
      ],
    };
    const ids = [
      feishu.push("im.message.message_read_v1", {}),
      feishu.push(RECEIVE, { message: {} }),
      feishu.push(RECEIVE, event("om_1", "text", { text: "@_user_1 do it" }, { mentions }), 3),
      feishu.push(RECEIVE, event("om_2", "post", post)),
      feishu.push(RECEIVE, event("om_3", "sticker", { file_key: "s" })),
      feishu.push(RECEIVE, { ...event("om_4", "text", {}), sender: { sender_type: "app" } }),
    ];
    await inbox.until(3);
    const common = { senderId: "ou_zhang", chat: "oc_1", receivedAtMs: 1_790_000_000_000 };
    expect(inbox.messages).toEqual([
      { ...common, id: "om_1", text: "@Bot do it", files: [] },
      {
        ...common,
        id: "om_2",
        text: "Title\nsee here (https://x.y)\n@Li",
        files: [{ name: "image-1", open: expect.any(Function) }],
      },
      { ...common, id: "om_3", text: "[sticker]", files: [] },
    ]);
    for (const id of ids)
      await expect.poll(() => feishu.acknowledged.get(id), soon).toMatchObject({ code: 200 });
  });

  it("brings files, which are fetched when they are opened", async () => {
    await using inbox = await listening(await channel());
    feishu.push(RECEIVE, event("om_1", "image", { image_key: "img_1" }));
    feishu.push(RECEIVE, event("om_2", "file", { file_key: "file_1", file_name: "a.pdf" }));
    feishu.push(RECEIVE, event("om_3", "media", { file_key: "gone", image_key: "img_2" }));
    await inbox.until(3);
    const files = inbox.messages.flatMap((message) => message.files);
    expect(files.map(({ name }) => name)).toEqual(["image-1", "a.pdf", "video-1.mp4"]);
    expect(String(await bytesOf(files[0]))).toBe("image img_1 of om_1");
    feishu.tokens.clear();
    expect(String(await bytesOf(files[1]))).toBe("file file_1 of om_2");
    await expect(bytesOf(files[2])).rejects.toThrow("Feishu refused: file not in msg (234003)");
  });

  it("survives what is no message", async () => {
    await using inbox = await listening(await channel());
    feishu.say(Buffer.from("this is no frame"));
    feishu.say(Buffer.alloc(0));
    feishu.push(RECEIVE, event("om_1", "text", { text: "hi" }));
    await inbox.until(1);
    expect(inbox.messages.map(({ text }) => text)).toEqual(["hi"]);
  });

  it("that is lost ends with the reason", async () => {
    await using inbox = await listening(await channel());
    feishu.cut();
    expect(await inbox.ended).toMatchObject({
      code: "connection_failed",
      message: "the connection to Feishu ended: it was lost.",
    });
  });

  it.each([
    ["refused", { json: { code: 403, msg: "forbidden", data: {} } }, /code=403, msg=forbidden/],
    ["answered with nonsense", { json: {} }, /connect failed/],
    [
      "led to nobody",
      {
        json: {
          code: 0,
          data: {
            URL: "ws://127.0.0.1:1/?service_id=1",
            ClientConfig: { PingInterval: 1, ReconnectCount: 1, ReconnectInterval: 1, ReconnectNonce: 1 },
          },
        },
      },
      /connect failed/,
    ],
  ])("that is %s isn't made", async (_what, reply, message) => {
    feishu.next("POST /callback/ws/endpoint", reply);
    await expect(listening(await channel())).rejects.toMatchObject({
      code: "connection_failed",
      message: expect.stringMatching(message),
    });
  });

  it("is kept up, and lets in whom the list names", async () => {
    const came: string[] = [];
    const states: string[] = [];
    await using channels = new Channels({
      firstDelayMs: 10,
      onMessage: ({ message }) => void came.push(message.id),
      onState: ({ connection }) => void states.push(connection.state),
    });
    channels.add(await channel(), { allowFrom: ["ou_zhang"] });
    channels.start();
    await expect.poll(() => states.at(-1), soon).toBe("connected");
    feishu.cut();
    await expect.poll(() => states.filter((state) => state === "connected").length, soon).toBe(2);
    feishu.push(RECEIVE, { ...event("om_1", "text", {}), sender: { sender_id: { open_id: "ou_x" } } });
    feishu.push(RECEIVE, event("om_2", "text", { text: "hi" }));
    feishu.push(RECEIVE, event("om_2", "text", { text: "hi" }));
    feishu.push(RECEIVE, event("om_3", "text", { text: "hi" }));
    await expect.poll(() => came, soon).toEqual(["om_2", "om_3"]);
    expect(channels.statuses[0]?.turnedAway).toEqual({ count: 1, lastSenderId: "ou_x" });
  });
});

describe("settings of an app at Feishu", () => {
  it.each([
    ["feishu", "open.feishu.cn"],
    ["lark", "open.larksuite.com"],
    ["https://feishu.example.com", "feishu.example.com"],
  ])("with the domain %s lead to %s", async (domain, host) => {
    expect((await channel({ domain })).hosts).toEqual([host]);
  });

  it.each([{ domain: "http://example.com" }, { domain: "elsewhere" }, { appId: "cli_1" }])(
    "like %o are refused",
    async (values) => {
      await expect(channel(values)).rejects.toMatchObject({ code: "invalid_settings" });
    },
  );
});
