import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { has } from "../../../test/require.ts";
import { testFolder } from "../../../test/test-folder.ts";
import { parseConfig } from "./config.ts";
import { fingerprint, parseKnownHosts } from "./known-hosts.ts";

const A = "AAAAC3NzaC1lZDI1NTE5AAAAIEf8Ar+QwM8SM7dVz6hQe0N6oX6tKAg5FnVkh9HCBl9A";
const B = "AAAAC3NzaC1lZDI1NTE5AAAAIKq0jRrKfGQ3hTk4p2pS0y0XQj0p6kQ0uM1mJmRrY0mE";

/** Lines of a file of known hosts, the name that is looked up, and which of their keys are its own. */
const ROWS = [
  ["plain", `host.example ssh-ed25519 ${A}`, "host.example", [A]],
  ["another name", `host.example ssh-ed25519 ${A}`, "other.example", []],
  ["a longer name", `host.example ssh-ed25519 ${A}`, "host.example.org", []],
  ["a dot is a dot", `hostxexample ssh-ed25519 ${A}`, "host.example", []],
  ["several names", `one,host.example,1.2.3.4 ssh-ed25519 ${A} comment`, "1.2.3.4", [A]],
  ["letters count for nothing", `HOST.example ssh-ed25519 ${A}`, "host.example", [A]],
  ["a pattern", `*.example ssh-ed25519 ${A}`, "host.example", [A]],
  ["one character", `hos?.example ssh-ed25519 ${A}`, "host.example", [A]],
  ["a name left out", `*.example,!host.example ssh-ed25519 ${A}`, "host.example", []],
  ["a port", `[host.example]:2222 ssh-ed25519 ${A}`, "[host.example]:2222", [A]],
  ["another port", `[host.example]:2222 ssh-ed25519 ${A}`, "host.example", []],
  ["two keys", `host.example ssh-ed25519 ${A}\nhost.example ssh-ed25519 ${B}`, "host.example", [A, B]],
  [
    "blanks, comments and damage",
    `\n# host.example ssh-ed25519 ${A}\n\t host.example  ssh-ed25519\t${B}\nhost.example`,
    "host.example",
    [B],
  ],
] as const;

describe("known hosts", () => {
  it.each(ROWS)("%s", (_what, text, name, keys) => {
    expect(parseKnownHosts(text, name, "file").map(({ key }) => key)).toEqual(keys);
  });

  it("knows revoked keys, and no authorities", () => {
    const text = `@revoked host.example ssh-ed25519 ${A}\n@cert-authority *.example ssh-ed25519 ${B}\n`;
    expect(parseKnownHosts(text, "host.example", "file")).toEqual([
      { type: "ssh-ed25519", key: A, revoked: true, where: "file:1" },
    ]);
  });
});

describe.skipIf(!has("sshd"))("as OpenSSH itself reads", () => {
  let folder = "";
  let remove = async (): Promise<void> => undefined;
  beforeAll(async () => {
    ({ folder, remove } = await testFolder());
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(folder, "key")]);
  });
  afterAll(() => remove());

  it("fingerprints and hashed names", () => {
    const [type = "", key = ""] = execFileSync("cat", [join(folder, "key.pub")], { encoding: "utf8" }).split(
      " ",
    );
    const shown = execFileSync("ssh-keygen", ["-lf", join(folder, "key.pub")], { encoding: "utf8" });
    expect(shown).toContain(fingerprint(Buffer.from(key, "base64")).split(" ")[1]);
    const file = join(folder, "known_hosts");
    writeFileSync(file, `host.example ${type} ${key}\n[host.example]:2222 ${type} ${key}\n`);
    execFileSync("ssh-keygen", ["-q", "-H", "-f", file], { stdio: "ignore" });
    const text = execFileSync("cat", [file], { encoding: "utf8" });
    expect(text).not.toContain("host.example");
    for (const [name, count] of [
      ["host.example", 1],
      ["[host.example]:2222", 1],
      ["other.example", 0],
    ] as const) {
      expect(parseKnownHosts(text, name, file)).toHaveLength(count);
    }
  });

  it.each(["plain", "alias", "deep.alias", "not.alias", "quoted", "other"])(
    "settings of the host %s",
    (host) => {
      const text = `
# a comment
Host plain
  Port 2201
  User=someone
Host *.alias !not.alias
  HostName %h.example
Host alias "spare"
  HostName 10.0.0.1
  Port = 2202
Host quoted
  IdentityFile "~/a key"
  IdentityFile ~/second
Match user nobody
  Port 9
Host *
  Port 2299
  User fallback
`;
      const file = join(folder, "config");
      writeFileSync(file, text);
      const said = execFileSync("ssh", ["-G", "-F", file, host], { encoding: "utf8", stdio: "pipe" });
      const oracle = (word: string): string | undefined => new RegExp(`^${word} (.*)$`, "m").exec(said)?.[1];
      const { words, identityFiles } = parseConfig(text, host);
      expect((words.get("hostname") ?? host).replaceAll("%h", host)).toBe(oracle("hostname"));
      expect(words.get("port")).toBe(oracle("port"));
      expect(words.get("user")).toBe(oracle("user"));
      if (identityFiles.length > 0)
        expect(identityFiles).toEqual([...said.matchAll(/^identityfile (.*)$/gm)].map((one) => one[1]));
    },
  );
});
