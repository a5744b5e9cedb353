import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { channelSettings } from "./channel-settings.ts";

const { HOME } = process.env;
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "toolgate-settings-"));
  process.env.HOME = join(root, "home");
});
afterEach(() => {
  process.env.HOME = HOME;
  rmSync(root, { recursive: true, force: true });
});

function write(where: "home" | "project", channels: unknown): void {
  const path = join(root, where, ".toolgate", "settings.json");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify({ channels }));
}

const env = { TELEGRAM: "4242:AAAA-stand-in_of_a_secret_1234", XIAOZHI: "wss://example.com/?token=t" };
const read = (projectTrusted = false) =>
  channelSettings({ project: join(root, "project"), projectTrusted, env });
const names = async (trusted = false): Promise<readonly string[]> =>
  (await read(trusted)).channels.map(
    ({ name, account, allowFrom }) => `${name}:${account} ${allowFrom.join(",")}`,
  );
const telegram = { botToken: "${TELEGRAM}" };

describe("channelSettings", () => {
  it("reads channels by name and account; nobody is let in who isn't named", async () => {
    write("home", {
      telegram: { ...telegram, allowFrom: ["42"] },
      "telegram:sales": telegram,
      xiaozhi: { url: "${XIAOZHI}" },
    });
    expect(await names()).toEqual(["telegram:default 42", "telegram:sales "]);
    const { xiaozhi, notices, channels } = await read();
    expect(xiaozhi?.entry).toEqual({ url: "${XIAOZHI}" });
    expect(notices).toEqual([]);
    expect((await channels[0]?.make())?.hosts).toEqual(["api.telegram.org"]);
  });

  it("takes nothing from a project that isn't trusted, and the user's own first from one that is", async () => {
    write("home", { telegram: { ...telegram, allowFrom: ["42"] } });
    write("project", { telegram: { ...telegram, allowFrom: ["666"] }, "telegram:other": telegram });
    expect(await names()).toEqual(["telegram:default 42"]);
    expect((await read()).notices.join()).toContain(
      "the channel telegram:other is left out until the project is trusted",
    );
    expect(await names(true)).toEqual(["telegram:default 42", "telegram:other "]);
    expect((await read(true)).notices).toEqual([
      "The channel telegram:default is set up twice; the user's own counts.",
    ]);
  });

  it.each<[string, unknown, RegExp]>([
    ["carrier-pigeon", {}, /there is no channel "carrier-pigeon"\. Known: .*telegram/],
    ["telegram", [], /must be an object/],
    ["telegram", {}, /botToken is missing/],
    ["telegram", { botToken: env.TELEGRAM }, /botToken is a secret\. Put it into the environment/],
    ["telegram", { botToken: "${NONE}" }, /in the environment as NONE, which isn't set/],
    ["telegram", { botToken: "a${TELEGRAM}" }, /botToken is a secret/],
    ["telegram", { ...telegram, webhook: "x" }, /it has no key webhook\. Known: botToken, apiUrl, allowFrom/],
    ["telegram", { ...telegram, apiUrl: "" }, /apiUrl must be a text/],
    ["telegram", { ...telegram, allowFrom: "*" }, /allowFrom must be a list/],
    ["telegram", { ...telegram, allowFrom: [42] }, /allowFrom must be a list/],
    ["telegram:a:b", telegram, /an account's name/],
    ["telegram:a/b", telegram, /an account's name/],
  ])("leaves out what is wrong with %s %j, and says what", async (key, entry, why) => {
    write("home", { [key]: entry, "telegram:fine": telegram });
    const { channels, notices } = await read();
    expect(channels.map(({ account }) => account)).toEqual(["fine"]);
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatch(why);
    expect(notices[0]).not.toContain(env.TELEGRAM);
  });

  it("says when it is no object", async () => {
    write("home", ["telegram"]);
    expect((await read()).notices).toEqual([expect.stringContaining("`channels` must be an object")]);
  });
});
