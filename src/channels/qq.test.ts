import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { mediaFile } from "../../test/stand-ins/chat/files.ts";
import { bytesOf, listening } from "../../test/stand-ins/chat/inbox.ts";
import type { Reply } from "../../test/stand-ins/chat/server.ts";
import { APP_ID, type QqStandIn, SECRET, startQq } from "../../test/stand-ins/qq/stand-in.ts";
import type { Channel, Receipt } from "./channel.ts";
import { Channels } from "./channels.ts";
import { makeQq } from "./qq.ts";

let qq: QqStandIn;
beforeAll(async () => {
  qq = await startQq();
});
afterAll(() => qq[Symbol.asyncDispose]());

const TOKEN = "POST /app/getAppAccessToken";
const signal = AbortSignal.timeout(60_000);
const soon = { timeout: 10_000 };
const none = { caption: "", signal };

let chats = 0;
/** A chat that no other row has used. */
const newChat = (kind: "user" | "group"): { chat: string; messages: string; files: string } => {
  chats += 1;
  const path = `POST /v2/${kind}s/C${chats}`;
  return { chat: `${kind}:C${chats}`, messages: `${path}/messages`, files: `${path}/files` };
};

function channel(values: Readonly<Record<string, string>> = {}): Channel {
  return makeQq({
    account: "default",
    values: {
      appId: APP_ID,
      clientSecret: SECRET,
      apiUrl: qq.url,
      tokenUrl: `${qq.url}/app/getAppAccessToken`,
      ...values,
    },
  });
}

const bodies = (call: string): unknown[] => qq.heard(call).map(({ json }) => json);

/** Lets a message in, so that it can be answered. */
async function receive(to: Channel, id: string, chat: string, ageMs = 0): Promise<void> {
  await using inbox = await listening(to);
  const [kind, openid] = chat.split(":");
  const timestamp = new Date(Date.now() - ageMs).toISOString();
  const data = { id, content: "hello", timestamp };
  if (kind === "user") qq.gateway.push("C2C_MESSAGE_CREATE", { ...data, author: { user_openid: openid } });
  else {
    const author = { member_openid: "M1" };
    qq.gateway.push("GROUP_AT_MESSAGE_CREATE", { ...data, author, group_openid: openid });
  }
  await inbox.until(1);
}

describe("texts to QQ", () => {
  it("are answers to a message, numbered, with what QQ calls them as the receipt", async () => {
    const { chat, messages } = newChat("group");
    const to = channel();
    await receive(to, "m1", chat);
    const receipts = [
      await to.sendText({ chat, replyTo: "m1" }, "one", { signal }),
      await to.sendText({ chat, replyTo: "m1" }, "two", { signal }),
    ];
    expect(receipts).toEqual([
      { state: "confirmed", messageId: expect.stringMatching(/^reply-/) },
      { state: "confirmed", messageId: expect.stringMatching(/^reply-/) },
    ]);
    expect(bodies(messages)).toEqual([
      { msg_type: 0, content: "one", msg_id: "m1", msg_seq: 1 },
      { msg_type: 0, content: "two", msg_id: "m1", msg_seq: 2 },
    ]);
  });

  it("are sent unasked without a message to answer", async () => {
    const { chat, messages } = newChat("user");
    const receipt = await channel().sendText({ chat }, "hi", { signal });
    expect(receipt).toEqual({ state: "confirmed", messageId: expect.stringMatching(/^proactive-/) });
    expect(bodies(messages)).toEqual([{ msg_type: 0, content: "hi" }]);
  });

  it("that are long go in parts, as many as are let through", async () => {
    const { chat, messages } = newChat("user");
    const to = channel();
    await receive(to, "m2", chat);
    const long = Array.from({ length: 5 }, () => "x".repeat(3500)).join("\n");
    expect(await to.sendText({ chat, replyTo: "m2" }, `${long}\n${long}`, { signal })).toEqual({
      state: "failed",
      why: "QQ lets 5 answers to a message through; 0 were sent and 10 more are needed",
    });
    expect(bodies(messages)).toEqual([]);
    expect(await to.sendText({ chat, replyTo: "m2" }, long, { signal })).toMatchObject({
      state: "confirmed",
    });
    expect(bodies(messages)).toHaveLength(5);
    expect(await to.sendText({ chat, replyTo: "m2" }, "a sixth", { signal })).toEqual({
      state: "failed",
      why: "QQ lets 5 answers to a message through; 5 were sent and one more is needed",
    });
  });

  it.each([
    ["group", 4, "confirmed"],
    ["group", 6, "failed"],
    ["user", 6, "confirmed"],
    ["user", 61, "failed"],
  ] as const)("to a %s %i minutes after the message are %s", async (kind, minutes, state) => {
    const { chat, messages } = newChat(kind);
    const to = channel();
    await receive(to, `old-${kind}-${minutes}`, chat, minutes * 60_000);
    const receipt = await to.sendText({ chat, replyTo: `old-${kind}-${minutes}` }, "late", { signal });
    expect(receipt.state).toBe(state);
    expect(bodies(messages)).toHaveLength(state === "failed" ? 0 : 1);
  });

  it("to something that is no chat are refused here", async () => {
    expect(await channel().sendText({ chat: "C1" }, "hi", { signal })).toEqual({
      state: "failed",
      why: 'there is no chat "C1": it is written user:ID or group:ID',
    });
  });
});

const REFUSED = { status: 400, json: { code: 22009, message: "msg limit\n exceed" } };
const OFTEN = { status: 429, json: { message: "too often" }, headers: { "retry-after": "1" } };
const LATER = { status: 429, json: { message: "too often" }, headers: { "retry-after": "60" } };
const STALE = { status: 401, json: { code: 11244, message: "token expired" } };
const FAULTS: readonly [string, readonly Reply[], Receipt | { readonly state: "confirmed" }][] = [
  ["a no", [REFUSED], { state: "failed", why: "QQ refused: msg limit exceed (22009)" }],
  [
    "a no in an answer that looks good",
    [{ json: { code: 304003, message: "url not allowed" } }],
    { state: "failed", why: "QQ refused: url not allowed (304003)" },
  ],
  ["a no without words", [{ status: 500 }], { state: "failed", why: "QQ refused: it gave no reason (500)" }],
  [
    "a look at it by a person",
    [{ status: 202, json: { code: 304023, message: "push message is waiting for audit now" } }],
    { state: "unknown", why: "QQ has the message looked at before it is shown." },
  ],
  [
    "a gateway's timeout",
    [{ status: 504 }],
    { state: "unknown", why: "QQ broke off (504). It may have arrived." },
  ],
  ["no id", [{ json: {} }], { state: "unknown", why: "QQ gave no id for the message." }],
  [
    "a broken connection",
    ["drop"],
    {
      state: "unknown",
      why: expect.stringMatching(
        /^The connection to 127\.0\.0\.1:\d+ broke off \(\w+\)\. It may have arrived\.$/,
      ),
    },
  ],
  ["too often, once", [OFTEN], { state: "confirmed" }],
  [
    "too often for long",
    [LATER],
    { state: "failed", why: "QQ refused: too often (429); it may be tried again in 60 s" },
  ],
  ["an ended token", [STALE], { state: "confirmed" }],
  ["ended tokens only", [STALE, STALE], { state: "failed", why: "QQ refused: token expired (11244)" }],
];

describe("what QQ answers", () => {
  it.each(FAULTS)("%s is told as it is", async (_what, replies, expected) => {
    const { chat, messages } = newChat("user");
    qq.next(messages, ...replies);
    expect(await channel().sendText({ chat }, "hi", { signal })).toMatchObject(expected);
  });

  it("nothing leaves it open whether the message arrived", async () => {
    const { chat, messages } = newChat("user");
    qq.next(messages, "hang");
    const stop = new AbortController();
    const sending = channel().sendText({ chat }, "hi", { signal: stop.signal });
    await expect.poll(() => qq.heard(messages).length, soon).toBe(1);
    stop.abort();
    expect(await sending).toMatchObject({
      state: "unknown",
      why: expect.stringContaining("It may have arrived"),
    });
    expect(await channel().sendText({ chat }, "hi", { signal: stop.signal })).toMatchObject({
      state: "failed",
    });
  });

  it("nothing where nobody listens, so that nothing can have arrived", async () => {
    const { chat } = newChat("user");
    const gone = await startQq();
    await gone[Symbol.asyncDispose]();
    const nobody = channel({ apiUrl: gone.url });
    expect(await nobody.sendText({ chat }, "hi", { signal })).toMatchObject({
      state: "failed",
      why: expect.stringContaining("couldn't be reached"),
    });
  });
});

describe("an access token", () => {
  beforeEach(() => {
    qq.lifetime = 7200;
  });

  it.each([
    [7200, 1],
    [0, 3],
  ])("that lives %i seconds is fetched %i times for three messages", async (lifetime, count) => {
    qq.lifetime = lifetime;
    const { chat } = newChat("user");
    const to = channel();
    const before = qq.heard(TOKEN).length;
    for (const text of ["a", "b", "c"]) await to.sendText({ chat }, text, { signal });
    expect(qq.heard(TOKEN).length - before).toBe(count);
  });

  it("is fetched once for all who need it at that time", async () => {
    const { chat } = newChat("user");
    const to = channel();
    const before = qq.heard(TOKEN).length;
    await Promise.all(["a", "b", "c"].map((text) => to.sendText({ chat }, text, { signal })));
    expect(qq.heard(TOKEN).length - before).toBe(1);
  });

  it("that the service gives up early is replaced", async () => {
    const { chat } = newChat("user");
    const to = channel();
    await to.sendText({ chat }, "a", { signal });
    qq.tokens.clear();
    expect(await to.sendText({ chat }, "b", { signal })).toMatchObject({ state: "confirmed" });
  });
});

describe("files to QQ", () => {
  it("are uploaded and sent, a picture with its words in one message", async () => {
    const { chat, messages, files } = newChat("group");
    const to = channel();
    const receipts = await to.sendMedia({ chat }, [mediaFile("a.png", "PNG")], { caption: "look", signal });
    expect(receipts.files).toEqual([{ state: "confirmed", messageId: expect.any(String) }]);
    expect(receipts.caption).toEqual(receipts.files[0]);
    expect(bodies(files)).toEqual([
      { file_type: 1, file_data: Buffer.from("PNG").toString("base64"), srv_send_msg: false },
    ]);
    expect(bodies(messages)).toEqual([
      { msg_type: 7, content: "look", media: { file_info: expect.stringMatching(/^info-/) } },
    ]);
  });

  it("go after their words when they are no picture", async () => {
    const { chat, messages } = newChat("user");
    const receipts = await channel().sendMedia({ chat }, [mediaFile("a.pdf")], {
      caption: "the report",
      signal,
    });
    expect(receipts.caption).toMatchObject({ state: "confirmed" });
    expect(receipts.caption).not.toEqual(receipts.files[0]);
    expect(bodies(messages)).toEqual([
      { msg_type: 0, content: "the report" },
      { msg_type: 7, content: " ", media: { file_info: expect.any(String) } },
    ]);
  });

  it.each([
    ["a.png", { file_type: 1 }],
    ["a.jpeg", { file_type: 1 }],
    ["a.mp4", { file_type: 2 }],
    ["a.gif", { file_type: 4, file_name: "a.gif" }],
    ["a.mp3", { file_type: 4, file_name: "a.mp3" }],
    ["报告.docx", { file_type: 4, file_name: "报告.docx" }],
  ])("%s is sent as what QQ takes it for", async (name, expected) => {
    const { chat, files } = newChat("user");
    await channel().sendMedia({ chat }, [mediaFile(name)], none);
    expect(bodies(files)).toMatchObject([expected]);
  });

  it("have a receipt each: what QQ turned down, what is too large, what broke off", async () => {
    const { chat, messages, files } = newChat("user");
    qq.next(files, { status: 400, json: { code: 304020, message: "file size limit" } }, {}, "drop");
    const all = [
      mediaFile("no.png"),
      mediaFile("large.zip", Buffer.alloc(20 * 1024 * 1024 + 1)),
      mediaFile("empty.png"),
      mediaFile("lost.png"),
      mediaFile("good.png"),
    ];
    const receipts = await channel().sendMedia({ chat }, all, none);
    expect(receipts).toEqual({
      files: [
        { state: "failed", why: "QQ refused: file size limit (304020)" },
        {
          state: "failed",
          why: "large.zip has 20971521 bytes; the channel takes 20971520 at most of archive files",
        },
        { state: "failed", why: "QQ took the file and gave nothing to send it by" },
        { state: "failed", why: expect.stringMatching(/broke off \(\w+\)\.$/) },
        { state: "confirmed", messageId: expect.any(String) },
      ],
    });
    expect(bodies(messages)).toHaveLength(1);
  });

  it("more than QQ lets through as answers fail one by one, before they are uploaded", async () => {
    const { chat, files } = newChat("group");
    const to = channel();
    await receive(to, "m3", chat);
    await to.sendText({ chat, replyTo: "m3" }, "first", { signal });
    const five = [1, 2, 3, 4, 5].map((at) => mediaFile(`${at}.png`));
    const receipts = await to.sendMedia({ chat, replyTo: "m3" }, five, none);
    expect(receipts.files.map(({ state }) => state)).toEqual([...Array(4).fill("confirmed"), "failed"]);
    expect(bodies(files)).toHaveLength(4);
  });
});

describe("a connection to QQ", () => {
  it("is tested with the account's credentials", async () => {
    expect(await channel().testConnection(signal)).toEqual({
      ok: true,
      message: "QQ knows the bot as stand-in bot.",
    });
    const report = await channel({ clientSecret: "wrong" }).testConnection(signal);
    expect(report).toEqual({ ok: false, message: "QQ refused: invalid appid or secret (100016)" });
  });

  it("brings messages of persons and of groups, and nothing else", async () => {
    await using inbox = await listening(channel());
    const timestamp = "2026-11-30T10:00:00+08:00";
    qq.gateway.push("FRIEND_ADD", { id: "x" });
    qq.gateway.push("C2C_MESSAGE_CREATE", { id: "broken" });
    qq.gateway.push("C2C_MESSAGE_CREATE", {
      id: "p1",
      author: { user_openid: "U" },
      content: " hi ",
      timestamp,
    });
    qq.gateway.push("GROUP_AT_MESSAGE_CREATE", {
      id: "g1",
      author: { member_openid: "M" },
      group_openid: "G",
      content: " /do it",
      timestamp,
    });
    await inbox.until(2);
    const receivedAtMs = Date.parse(timestamp);
    expect(inbox.messages).toEqual([
      { id: "p1", senderId: "U", chat: "user:U", text: "hi", files: [], receivedAtMs },
      { id: "g1", senderId: "M", chat: "group:G", text: "/do it", files: [], receivedAtMs },
    ]);
  });

  it("brings files, which are fetched when they are opened", async () => {
    await using inbox = await listening(channel());
    qq.next("GET /file/1", { bytes: Buffer.from("the file") });
    qq.gateway.push("C2C_MESSAGE_CREATE", {
      id: "p2",
      author: { user_openid: "U" },
      content: "",
      attachments: [
        { content_type: "image/png", filename: "a.png", size: 8, url: `${qq.url}/file/1` },
        { content_type: "video/mp4", url: "http://169.254.169.254/latest" },
        { content_type: "file", url: `${qq.url}/file/2` },
      ],
    });
    await inbox.until(1);
    const [picture, elsewhere, missing] = inbox.messages[0]?.files ?? [];
    expect(qq.heard("GET /file/1")).toEqual([]);
    expect({ name: picture?.name, size: picture?.size }).toEqual({ name: "a.png", size: 8 });
    expect((await bytesOf(picture)).toString()).toBe("the file");
    expect(elsewhere?.name).toBe("attachment-2.mp4");
    await expect(bytesOf(elsewhere)).rejects.toMatchObject({ code: "unsupported" });
    await expect(bytesOf(missing)).rejects.toMatchObject({ code: "connection_failed" });
  });

  it.each([
    ["is lost", () => qq.cut(), /\(1006\)/],
    ["has expired", () => qq.cut(4009), /has expired \(4009\)/],
    ["is of a banned bot", () => qq.cut(4915), /the bot is banned \(4915\)/],
    ["is asked to be made anew", () => [...qq.sockets].map((one) => one.send('{"op":7}')), /asks for a new/],
  ])("that %s ends with the reason", async (_what, end, reason) => {
    await using inbox = await listening(channel());
    end();
    const error = await inbox.ended;
    expect(error).toMatchObject({ code: "connection_failed", message: expect.stringMatching(reason) });
  });

  it.each([
    ["no address", {}, "connection_failed"],
    ["an address in the clear", { url: "ws://example.com/" }, "invalid_settings"],
    ["an address where nobody is", { url: "ws://127.0.0.1:1/" }, "connection_failed"],
  ])("that is led to %s isn't made", async (_what, json, code) => {
    qq.next("GET /gateway", { json });
    await expect(listening(channel())).rejects.toMatchObject({ code });
  });

  it("that doesn't answer heartbeats is given up", async () => {
    qq.gateway.heartbeatMs = 20;
    await using inbox = await listening(channel());
    await expect.poll(() => qq.gateway.said, soon).toContainEqual({ op: 1, d: expect.any(Number) });
    qq.gateway.isAlive = false;
    expect(await inbox.ended).toMatchObject({ message: expect.stringContaining("doesn't answer any more") });
    Object.assign(qq.gateway, { isAlive: true, heartbeatMs: 45_000 });
  });

  it("with an ended token is made once more with a new one", async () => {
    const to = channel();
    await to.testConnection(signal);
    const gateway = { json: { url: qq.url.replace("http", "ws") } };
    qq.next("GET /gateway", gateway, gateway);
    qq.tokens.clear();
    await using inbox = await listening(to);
    expect(inbox.messages).toEqual([]);
  });

  it("goes on where the last one ended, unless QQ has forgotten it", async () => {
    const to = channel();
    {
      await using _first = await listening(to);
    }
    qq.gateway.push("C2C_MESSAGE_CREATE", { id: "missed", author: { user_openid: "U" }, content: "x" });
    {
      await using second = await listening(to);
      await second.until(1);
      expect(second.messages.map(({ id }) => id)).toEqual(["missed"]);
    }
    qq.gateway.isForgetful = true;
    await expect(listening(to)).rejects.toMatchObject({ message: expect.stringContaining("isn't valid") });
    await using _anew = await listening(to);
    qq.gateway.isForgetful = false;
  });

  it("is kept up, and lets in whom the list names", async () => {
    const came: string[] = [];
    await using channels = new Channels({
      firstDelayMs: 10,
      onMessage: ({ message }) => void came.push(message.id),
    });
    channels.add(channel(), { allowFrom: ["U"] });
    channels.start();
    const state = (): string | undefined => channels.statuses[0]?.connection.state;
    await expect.poll(state, soon).toBe("connected");
    qq.cut();
    qq.gateway.push("C2C_MESSAGE_CREATE", { id: "s1", author: { user_openid: "stranger" }, content: "x" });
    qq.gateway.push("C2C_MESSAGE_CREATE", { id: "s2", author: { user_openid: "U" }, content: "x" });
    await expect.poll(() => came, soon).toEqual(["s2"]);
    expect(channels.statuses[0]?.turnedAway).toEqual({ count: 1, lastSenderId: "stranger" });
  });
});

describe("settings of an account at QQ", () => {
  it("say what hosts are reached, and hide which account it is", () => {
    const made = makeQq({ account: "a", values: { appId: "1", clientSecret: "s" } });
    expect(made.hosts).toEqual(["api.sgroup.qq.com", "bots.qq.com"]);
    expect(made.identity).toMatch(/^[0-9a-f]{32}$/);
    expect(made.identity).toBe(makeQq({ account: "b", values: { appId: "1", clientSecret: "x" } }).identity);
  });

  it.each(["http://example.com", "api.sgroup.qq.com", "https://u@x.com", "https://x.com/?a=b", "ftp://x"])(
    "refuse %s as an address",
    (apiUrl) => {
      expect(() => channel({ apiUrl })).toThrow(expect.objectContaining({ code: "invalid_settings" }));
    },
  );
});
