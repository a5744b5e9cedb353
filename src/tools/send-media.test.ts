import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { rename, symlink, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FileWorld, localWorld } from "../../test/file-world.ts";
import { MEDIA_SAMPLES } from "../../test/media-files.ts";
import { ScriptedChannel } from "../../test/scripted-channel.ts";
import { registerAllTools } from "../assistant/register-all-tools.ts";
import { Channels } from "../channels/channels.ts";
import { setChannelTarget } from "../channels/target.ts";
import type { ToolResponse } from "../response.ts";
import type { RuleInput } from "../toolkit/options.ts";
import { Toolkit } from "../toolkit/toolkit.ts";

let world: FileWorld;
let channels: Channels;
let chat: ScriptedChannel;
let toolkit: Toolkit;
beforeEach(async () => {
  world = localWorld();
  channels = new Channels();
  chat = new ScriptedChannel();
  channels.add(chat, { allowFrom: [] });
  toolkit = new Toolkit({ backend: world.backend, rules: ["allow:send_media"] });
  await registerAllTools(toolkit, { channels, web: false, screenshot: false });
  setChannelTarget(toolkit.state, { channel: "scripted", account: "default", to: { chat: "room-1" } });
});
afterEach(async () => {
  await toolkit[Symbol.asyncDispose]();
  await channels[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

const sample = (format: string): Buffer => MEDIA_SAMPLES.get(format) ?? Buffer.alloc(0);
const send = (paths: readonly string[], message?: string): Promise<ToolResponse> =>
  toolkit.execute("send_media", { file_paths: paths, ...(message === undefined ? {} : { message }) });
const textOf = (response: ToolResponse): string => response.text.replaceAll(world.root, "ROOT");

describe("send_media", () => {
  it("sends what was checked to the session's chat, and says so when the channel confirmed it", async () => {
    await world.put("out/report.pdf", sample("pdf"));
    await world.put("chart.png", sample("png"));
    const response = await send(["out/report.pdf", "chart.png"], "The report");
    expect(response.state).toBe("success");
    expect(textOf(response)).toBe(
      "Sent 2 of 2 files to the channel scripted.\n- out/report.pdf: sent (message 1)\n- chart.png: sent (message 2)",
    );
    expect(chat.handed).toHaveLength(1);
    const [{ to, caption, files } = { to: {}, caption: "", files: [] }] = chat.handed;
    expect({ to, caption, names: files.map(({ name }) => name) }).toEqual({
      to: { chat: "room-1" },
      caption: "The report",
      names: ["report.pdf", "chart.png"],
    });
    expect(Buffer.from(files[0]?.bytes ?? [])).toEqual(sample("pdf"));
  });

  // The original reported success whatever became of it.
  it("claims nothing that the channel didn't confirm", async () => {
    for (const name of ["a.txt", "b.txt", "c.txt"]) await world.put(name, "text");
    chat.says.set("b.txt", { state: "failed", why: "the chat is closed" });
    chat.says.set("c.txt", { state: "unknown", why: "the connection broke" });
    chat.captionReceipt = { state: "failed", why: "too long" };
    const response = await send(["a.txt", "b.txt", "c.txt", "gone.txt", "x.exe"], "Words");
    expect(response.state).toBe("error");
    expect(textOf(response)).toBe(
      [
        "Sent 1 of 5 files to the channel scripted.",
        "- a.txt: sent (message 1)",
        "- b.txt: not sent: the chat is closed",
        "- c.txt: not known whether it arrived: the connection broke",
        "- gone.txt: not sent: ROOT/gone.txt doesn't exist. List ROOT with list_dir to see what is there.",
        "- x.exe: not sent: ROOT/x.exe doesn't exist. List ROOT with list_dir to see what is there.",
        "- the message: not sent: too long",
        "Don't send again what may have arrived, unless the person says it didn't.",
      ].join("\n"),
    );
    expect(response.metadata).toMatchObject({ sent: 1, channel: "scripted" });
  });

  it("says nothing is sent when the channel says nothing, or there is none", async () => {
    await world.put("a.txt", "text");
    chat.sendMedia = async () => ({ files: [] });
    expect((await send(["a.txt"])).text).toContain("a.txt: not known whether it arrived");
    setChannelTarget(toolkit.state, undefined);
    const response = await send(["a.txt", "gone.pdf", "also-gone.md"]);
    expect(response.state).toBe("error");
    expect(response.text).toContain(
      "isn't held in a channel: nothing was sent. 1 file of 3 could have been.",
    );
    expect(response.metadata).toMatchObject({ sent: 0, missing: ["gone.pdf", "also-gone.md"] });
    setChannelTarget(toolkit.state, { channel: "other", account: "default", to: { chat: "x" } });
    expect((await send(["a.txt"])).text).toContain("There is no channel other here: nothing was sent.");
  });

  it("keeps to what a stricter channel takes", async () => {
    await world.put("a.txt", "text");
    await world.put("b.png", sample("png"));
    await world.put("c.png", sample("png"));
    await world.put("d.gif", sample("gif"));
    chat.limits = { ...chat.limits, files: 1, media: { image: { maxBytes: 80, formats: ["png", "jpg"] } } };
    const { text } = await send(["a.txt", "b.png", "c.png", "d.gif"]);
    expect(text.split("\n").slice(1, 5)).toEqual([
      "- a.txt: not sent: a.txt: the channel takes no document files",
      "- b.png: sent (message 1)",
      "- c.png: not sent: the channel takes 1 file at a time",
      "- d.gif: not sent: d.gif: the channel takes png, jpg, and no gif, as image files",
    ]);
  });

  it.each<[string, string, RegExp]>([
    ["a directory", "folder.zip", /is a directory, not a file/],
    ["a named pipe", "pipe.txt", /is a device, pipe or socket, not a file/],
    ["what isn't what its name says", "fake.png", /isn't a PNG image, as its name says/],
    ["a link to what isn't", "link.pdf", /isn't a PDF document/],
    ["what is too large", "large.txt", /has 20971521 bytes; 20971520 \(20 MiB\) are the most/],
  ])("refuses %s", async (_what, name, why) => {
    await world.backend.mkdir(world.path("folder.zip"));
    execFileSync("mkfifo", [world.path("pipe.txt")]);
    await world.put("fake.png", "no picture");
    await world.put("notes.txt", "text");
    await world.link("notes.txt", "link.pdf");
    if (name === "large.txt") await world.put(name, Buffer.alloc(20 * 1024 * 1024 + 1, "a"));
    const response = await send([name]);
    expect(response.state).toBe("error");
    expect(response.text).toMatch(why);
    expect(chat.handed).toEqual([]);
  });
});

describe("what may be sent", () => {
  const outside = (): string => {
    const folder = mkdtempSync(join(tmpdir(), "toolgate-outside-"));
    writeFileSync(join(folder, "secret.txt"), "secret");
    return folder;
  };

  it("is kept to the workspace, by where paths and links lead", async () => {
    const folder = outside();
    try {
      await symlink(join(folder, "secret.txt"), world.path("innocent.txt"));
      await symlink(folder, world.path("sub"));
      for (const path of [
        join(folder, "secret.txt"),
        "innocent.txt",
        "sub/secret.txt",
        "../x.txt",
        "/dev/zero",
      ]) {
        expect((await send([path])).state).toBe("denied");
      }
      expect((await send(["/etc/hosts", "innocent.txt"])).state).toBe("denied");
      expect(chat.handed).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("is asked about where it is a secret, whatever is allowed", async () => {
    await world.put(".env", "KEY=1");
    await world.put("id_rsa", "KEY");
    for (const path of [".env", "id_rsa"]) {
      expect((await toolkit.judge("send_media", { file_paths: [path] })).behavior).toBe("ask");
    }
  });

  it("is what was judged: a link that is turned meanwhile is noticed", async () => {
    const folder = outside();
    try {
      await world.put("a.txt", "harmless");
      await world.link("a.txt", "link.txt");
      const asked = new Toolkit({
        backend: world.backend,
        approver: async () => {
          await unlink(world.path("link.txt"));
          await symlink(join(folder, "secret.txt"), world.path("link.txt"));
          return { approved: true, by: "ann" };
        },
      });
      await registerAllTools(asked, { channels, web: false, screenshot: false });
      setChannelTarget(asked.state, { channel: "scripted", account: "default", to: { chat: "room-1" } });
      const response = await asked.execute("send_media", { file_paths: ["link.txt"] });
      expect(response.state).not.toBe("success");
      expect(chat.handed).toEqual([]);
      await asked[Symbol.asyncDispose]();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("is the bytes that were checked, though the file is changed while they are sent", async () => {
    await world.put("a.txt", "checked");
    const before = chat.sendMedia.bind(chat);
    chat.sendMedia = async (to, files, options) => {
      await writeFile(world.path("b.txt"), "changed");
      await rename(world.path("b.txt"), world.path("a.txt"));
      return before(to, files, options);
    };
    expect((await send(["a.txt"])).state).toBe("success");
    expect(Buffer.from(chat.handed[0]?.files[0]?.bytes ?? []).toString()).toBe("checked");
    expect(existsSync(world.path("b.txt"))).toBe(false);
  });
});

describe("rules for send_media", () => {
  const judged = async (...rules: readonly RuleInput[]): Promise<string> => {
    await world.put("a.txt", "text");
    const strict = new Toolkit({ backend: world.backend, rules });
    await registerAllTools(strict, { channels, web: false, screenshot: false });
    setChannelTarget(strict.state, { channel: "scripted", account: "default", to: { chat: "room-1" } });
    const { behavior } = await strict.judge("send_media", { file_paths: ["a.txt"] });
    await strict[Symbol.asyncDispose]();
    return behavior;
  };

  it.each<[readonly RuleInput[], string]>([
    [[], "ask"],
    [["allow:send_media"], "allow"],
    [["allow:send_media(channel:scripted)"], "allow"],
    [["allow:send_media(channel:scripted:default)"], "allow"],
    [["allow:send_media(channel:scripted:sales)"], "ask"],
    [["allow:send_media(channel:telegram)"], "ask"],
    [["allow:send_media(domain:api.scripted.example)"], "allow"],
    [["allow:send_media", "deny:send_media(channel:scripted)"], "deny"],
    [["allow:send_media", "ask:send_media(channel:scripted)"], "ask"],
    [["allow:send_media", "deny:send_media(domain:*.example)"], "deny"],
    [["allow:send_media", "deny:Read(a.txt)"], "deny"],
  ])("%j: %s", async (rules, behavior) => {
    expect(await judged(...rules)).toBe(behavior);
  });

  it("offers the channel as one", async () => {
    await world.put("a.txt", "text");
    const strict = new Toolkit({ backend: world.backend });
    await registerAllTools(strict, { channels, web: false, screenshot: false });
    setChannelTarget(strict.state, { channel: "scripted", account: "default", to: { chat: "room-1" } });
    const { suggestions = [] } = await strict.judge("send_media", { file_paths: ["a.txt"] });
    expect(JSON.stringify(suggestions)).toContain("channel:scripted");
    await strict[Symbol.asyncDispose]();
  });

  // The original kept the session's chat in the tool, which all sessions shared.
  it("send each session's media to its own chat, side by side", async () => {
    await world.put("a.txt", "text");
    const other = new Toolkit({ backend: world.backend, rules: ["allow:send_media"] });
    await registerAllTools(other, { channels, web: false, screenshot: false });
    setChannelTarget(other.state, { channel: "scripted", account: "default", to: { chat: "room-2" } });
    await Promise.all([
      send(["a.txt"], "1"),
      other.execute("send_media", { file_paths: ["a.txt"], message: "2" }),
    ]);
    const chats = chat.handed.map(({ to, caption }) => `${caption} → ${to.chat}`).sort();
    expect(chats).toEqual(["1 → room-1", "2 → room-2"]);
    await other[Symbol.asyncDispose]();
  });
});
