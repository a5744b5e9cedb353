import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MEDIA_SAMPLES } from "../../test/media-files.ts";
import { png } from "../../test/pictures.ts";
import { mediaFile } from "../../test/stand-ins/chat/files.ts";
import { bytesOf, listening } from "../../test/stand-ins/chat/inbox.ts";
import {
  method,
  startTelegram,
  type TelegramStandIn,
  TOKEN,
  telegramError,
} from "../../test/stand-ins/telegram/stand-in.ts";
import { isToolgateError } from "../errors.ts";
import type { Channel, Receipt } from "./channel.ts";
import { makeTelegram } from "./telegram.ts";

let telegram: TelegramStandIn;
let channel: Channel;
beforeAll(async () => {
  telegram = await startTelegram();
  channel = await made();
});
afterAll(() => telegram[Symbol.asyncDispose]());

const made = (values: Readonly<Record<string, string>> = {}): Promise<Channel> =>
  makeTelegram({ account: "default", values: { botToken: TOKEN, apiUrl: telegram.url, ...values } });
const signal = AbortSignal.timeout(60_000);
const text = (words: string, chat = "7"): Promise<Receipt> => channel.sendText({ chat }, words, { signal });
const last = () => telegram.sent.at(-1);

describe("texts to Telegram", () => {
  it("are confirmed with the message's id, answer what they answer, and let no link be fetched", async () => {
    expect(await channel.sendText({ chat: "7", replyTo: "31" }, "Hello *there*", { signal })).toEqual({
      state: "confirmed",
      messageId: String(telegram.sent.length),
    });
    expect(last()?.fields).toEqual({
      chat_id: "7",
      text: "Hello *there*",
      link_preview_options: { is_disabled: true },
      reply_parameters: { message_id: 31, allow_sending_without_reply: true },
    });
  });

  it("that are long go as several, in order, and stop where one is lost", async () => {
    const before = telegram.sent.length;
    const words = "word ".repeat(1700);
    expect((await text(words)).state).toBe("confirmed");
    const parts = telegram.sent.slice(before).map(({ fields }) => String(fields.text));
    expect(parts.length).toBe(3);
    expect(Math.max(...parts.map((part) => part.length))).toBeLessThanOrEqual(4096);
    expect(parts.join(" ").trim()).toBe(words.trim());
    telegram.next(
      method("sendMessage"),
      { json: { ok: true, result: { message_id: 1 } } },
      telegramError(403, "Forbidden: bot was kicked"),
    );
    expect(await text(words)).toEqual({
      state: "failed",
      why: "1 of 3 parts arrived; then: Telegram refused: Forbidden: bot was kicked (403)",
    });
  });

  it.each<[string, () => void, Receipt["state"], RegExp]>([
    [
      "no such chat",
      () => telegram.next(method("sendMessage"), telegramError(400, "Bad Request: chat not found")),
      "failed",
      /chat not found \(400\)/,
    ],
    [
      "a wait that is too long",
      () =>
        telegram.next(
          method("sendMessage"),
          telegramError(429, "Too Many Requests: retry after 90", { retry_after: 90 }),
        ),
      "failed",
      /may be tried again in 90 s/,
    ],
    [
      "a connection that breaks off",
      () => telegram.next(method("sendMessage"), "drop"),
      "unknown",
      /broke off .*may have arrived/,
    ],
    [
      "an answer that is none",
      () => telegram.next(method("sendMessage"), { status: 502, bytes: Buffer.from("<html>") }),
      "unknown",
      /broke off .*may have arrived/,
    ],
    [
      "no id",
      () => telegram.next(method("sendMessage"), { json: { ok: true, result: {} } }),
      "unknown",
      /gave no id/,
    ],
  ])("that meet %s are not claimed as sent", async (_what, fault, state, why) => {
    fault();
    const receipt = await text("Hello");
    expect(receipt.state).toBe(state);
    expect(receipt).toMatchObject({ why: expect.stringMatching(why) });
    expect(JSON.stringify(receipt)).not.toContain(TOKEN);
  });

  it("wait for a short while when asked to", async () => {
    telegram.next(
      method("sendMessage"),
      telegramError(429, "Too Many Requests: retry after 1", { retry_after: 0.01 }),
    );
    expect((await text("Hello")).state).toBe("confirmed");
  });

  it("never leave when they are cancelled before, and are open when they are cancelled on the way", async () => {
    const before = telegram.sent.length;
    const gone = await channel.sendText({ chat: "7" }, "x", { signal: AbortSignal.abort() });
    expect(gone).toMatchObject({ state: "failed" });
    expect(telegram.sent.length).toBe(before);
    telegram.next(method("sendMessage"), "hang");
    const stop = new AbortController();
    const sending = channel.sendText({ chat: "7" }, "x", { signal: stop.signal });
    await expect.poll(() => telegram.heard(method("sendMessage")).at(-1)?.json).toMatchObject({ text: "x" });
    stop.abort();
    expect(await sending).toMatchObject({ state: "unknown" });
  });

  it("say that the service can't be reached, without the token", async () => {
    const lost = await made({ apiUrl: "http://127.0.0.1:9" });
    const receipt = await lost.sendText({ chat: "7" }, "x", { signal });
    expect(receipt).toMatchObject({ state: "failed", why: expect.stringContaining("couldn't be reached") });
    expect(JSON.stringify([receipt, await lost.testConnection(signal)])).not.toContain(TOKEN);
  });
});

describe("files to Telegram", () => {
  it("go as what they are shown as, whole, the words with the first", async () => {
    const rows: readonly [string, Buffer, string][] = [
      ["a.png", png(30, 20), "sendPhoto"],
      ["wide.png", png(2100, 20), "sendDocument"],
      ["a.gif", MEDIA_SAMPLES.get("gif") ?? Buffer.alloc(0), "sendAnimation"],
      ["a.mp4", MEDIA_SAMPLES.get("mp4") ?? Buffer.alloc(0), "sendVideo"],
      ["a.mp3", MEDIA_SAMPLES.get("mp3") ?? Buffer.alloc(0), "sendAudio"],
      ["报告.pdf", Buffer.from([...Buffer.from("%PDF-"), 0, 13, 10, 45, 45, 255]), "sendDocument"],
    ];
    const before = telegram.sent.length;
    const files = rows.map(([name, bytes]) => mediaFile(name, bytes));
    const { files: receipts, caption } = await channel.sendMedia({ chat: "7" }, files, {
      caption: "Look",
      signal,
    });
    expect(receipts.map(({ state }) => state)).toEqual(rows.map(() => "confirmed"));
    expect(caption).toEqual(receipts[0]);
    const sent = telegram.sent.slice(before);
    expect(sent.map(({ method: name }) => name)).toEqual(rows.map(([, , name]) => name));
    expect(sent.map(({ file }) => file?.bytes)).toEqual(rows.map(([, bytes]) => bytes));
    expect(sent.map(({ fields }) => fields.caption)).toEqual(["Look", ...rows.slice(1).map(() => undefined)]);
    expect(decodeURIComponent(sent.at(-1)?.file?.name ?? "")).toContain(".pdf");
  });

  it("send words that are too long for a caption before them", async () => {
    const before = telegram.sent.length;
    const caption = "x".repeat(1025);
    const outcome = await channel.sendMedia({ chat: "7", replyTo: "5" }, [mediaFile("a.txt")], {
      caption,
      signal,
    });
    expect([outcome.caption?.state, outcome.files[0]?.state]).toEqual(["confirmed", "confirmed"]);
    const sent = telegram.sent.slice(before);
    expect(sent.map(({ method: name }) => name)).toEqual(["sendMessage", "sendDocument"]);
    expect(sent.map(({ fields }) => fields.reply_parameters !== undefined)).toEqual([true, false]);
  });

  it("go as files when they aren't taken as pictures, and each has its own receipt", async () => {
    telegram.next(method("sendPhoto"), telegramError(400, "Bad Request: PHOTO_INVALID_DIMENSIONS"));
    telegram.next(method("sendAudio"), telegramError(400, "Bad Request: file must be non-empty"));
    telegram.next(method("sendVideo"), "drop");
    const files = ["a.png", "a.mp3", "a.mp4", "a.txt"].map((name) =>
      mediaFile(name, name === "a.png" ? png() : (MEDIA_SAMPLES.get(name.slice(2)) ?? "")),
    );
    const { files: receipts } = await channel.sendMedia({ chat: "7" }, files, { caption: "", signal });
    expect(receipts.map(({ state }) => state)).toEqual(["confirmed", "failed", "unknown", "confirmed"]);
    expect(telegram.sent.at(-2)).toMatchObject({ method: "sendDocument", file: { name: "a.png" } });
  });

  it("say why when the words and the first file are turned down", async () => {
    const outcome = await channel.sendMedia({ chat: "403" }, [mediaFile("a.txt")], {
      caption: "Look",
      signal,
    });
    const why = "Telegram refused: Forbidden: bot was blocked by the user (403)";
    expect(outcome).toEqual({ files: [{ state: "failed", why }], caption: { state: "failed", why } });
  });
});

describe("messages from Telegram", () => {
  const person = { id: 42, is_bot: false, first_name: "Ann", last_name: "Lee", username: "ann" };
  const message = (id: number, rest: object) => ({
    message_id: id,
    date: 1_700_000_000,
    chat: { id: -100123, type: "group" },
    from: person,
    ...rest,
  });

  it("come once each, with who sent them by id, and files that are fetched when they are opened", async () => {
    telegram.files.set("documents/f 1.pdf", Buffer.from("the file"));
    telegram.push(message(1, { text: "Hello" }));
    await using inbox = await listening(channel);
    telegram.push(
      message(2, {
        caption: "See",
        document: { file_id: "documents/f 1.pdf", file_name: "../f.pdf", file_size: 8 },
      }),
    );
    telegram.push(message(3, { photo: [{ file_id: "small" }, { file_id: "large", file_size: 9 }] }));
    telegram.push(message(4, { sender_chat: { id: -100123, title: "The group" }, text: "as the group" }));
    await inbox.until(4);
    expect(
      inbox.messages.map(({ id, senderId, senderName, chat, text: words, receivedAtMs }) => [
        id,
        senderId,
        senderName,
        chat,
        words,
        receivedAtMs,
      ]),
    ).toEqual([
      ["1", "42", "Ann Lee", "-100123", "Hello", 1_700_000_000_000],
      ["2", "42", "Ann Lee", "-100123", "See", 1_700_000_000_000],
      ["3", "42", "Ann Lee", "-100123", "", 1_700_000_000_000],
      ["4", "-100123", "The group", "-100123", "as the group", 1_700_000_000_000],
    ]);
    const [file] = inbox.messages[1]?.files ?? [];
    expect([file?.name, file?.size, String(await bytesOf(file))]).toEqual(["../f.pdf", 8, "the file"]);
    const [photo] = inbox.messages[2]?.files ?? [];
    expect([photo?.name, photo?.size]).toEqual(["photo.jpg", 9]);
    await expect(bytesOf(photo)).rejects.toThrow("wrong file_id");
  });

  it.each([
    ["a broken connection", "drop", /broke off/],
    [
      "another who polls",
      telegramError(409, "Conflict: terminated by other getUpdates request"),
      /Conflict: terminated/,
    ],
    ["a token that is no longer good", telegramError(401, "Unauthorized"), /Unauthorized/],
  ] as const)("end with %s, and go on where they stood", async (_what, fault, why) => {
    const lost = await listening(channel);
    telegram.next(method("getUpdates"), fault);
    const error = await lost.ended;
    expect(isToolgateError(error, "connection_failed") && error.text).toMatch(why);
    telegram.push(message(9, { text: "after" }));
    await using again = await listening(channel);
    await again.until(1);
    expect(again.messages.map(({ text: words }) => words)).toEqual(["after"]);
  });
});

describe("a Telegram channel", () => {
  it("says whether its bot is known", async () => {
    expect(await channel.testConnection(signal)).toEqual({
      ok: true,
      message: "Telegram knows the bot as @gate_bot.",
    });
    const stranger = await made({ botToken: "1:AAAA-another_secret_that_is_bad" });
    expect(await stranger.testConnection(signal)).toEqual({
      ok: false,
      message: "Telegram refused: Unauthorized (401)",
    });
  });

  it("is told apart by its bot, not by its secret", async () => {
    const renewed = await made({ botToken: "4242:BBBB-the_same_bots_new_secret" });
    expect(renewed.identity).toBe(channel.identity);
    expect(channel.identity).not.toContain("4242");
    expect(channel.hosts).toEqual(["127.0.0.1"]);
  });

  it.each([
    [{ botToken: "no token" }, /botToken is no token/],
    [{ apiUrl: "http://example.com" }, /apiUrl is no https address/],
  ])("isn't made with %j", async (values, why) => {
    await expect(made(values)).rejects.toThrow(why);
  });
});
