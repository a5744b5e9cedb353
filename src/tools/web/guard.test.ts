import { describe, expect, it } from "vitest";
import { HARMLESS, HOSTILE, NAMES } from "../../../test/hostile-urls.ts";
import { isToolgateError } from "../../errors.ts";
import { readAccess, type WebAccessOptions } from "./access.ts";
import { readAllowList } from "./allow-list.ts";
import { Guard } from "./guard.ts";
import { readTarget } from "./target.ts";

const signal = new AbortController().signal;

/** The addresses that would be connected to, or what is said instead. */
async function reach(url: string, options: WebAccessOptions = {}): Promise<string> {
  const guard = new Guard(readAccess({ resolve: async (host) => NAMES[host] ?? [], ...options }));
  try {
    return (await guard.addresses(readTarget(url), signal)).join(" ");
  } catch (error) {
    if (isToolgateError(error)) return `${error.code}: ${error.message}`;
    throw error;
  }
}

describe("what a web tool reaches", () => {
  it("has a table of more than a hundred ways in", () => {
    expect(HOSTILE.length).toBeGreaterThan(100);
  });

  it.each(HOSTILE)("refuses %j: %s", async (url, why) => {
    const said = await reach(url);
    expect(said).toMatch(/^(?:blocked_host|invalid_input): /);
    expect(said).toContain(why);
  });

  it.each(HARMLESS)("lets %j through", async (url) => {
    expect(await reach(url)).toMatch(/^[\d.a-f:]+/);
  });

  it("finds no host without an address", async () => {
    expect(await reach("http://nothing.example/")).toMatch(/^connection_failed: /);
    const fails = { resolve: () => Promise.reject(new Error("ENOTFOUND")) };
    expect(await reach("http://example.com/", fails)).toMatch(/^connection_failed: /);
  });
});

describe("what an operator opens", () => {
  it.each([
    ["http://wiki.corp/", ["wiki.corp"], "10.1.2.3"],
    ["http://wiki.corp:8080/", ["wiki.corp"], "10.1.2.3"],
    ["http://wiki.corp:8080/", ["wiki.corp:8080"], "10.1.2.3"],
    ["http://wiki.corp/", ["wiki.corp:8080"], "blocked_host"],
    ["http://wiki.corp/", ["*.corp"], "10.1.2.3"],
    ["http://wiki.corp/", ["other.corp", "10.1.0.0/16"], "blocked_host"],
    ["http://dev.example.com/", ["10.9.0.0/16"], "10.9.9.9"],
    ["http://dev.example.com:9000/", ["10.9.0.0/16"], "10.9.9.9"],
    ["http://dev.example.com:9000/", ["10.9.0.0/16:9001"], "blocked_host"],
    ["http://example.com:9000/", ["10.9.0.0/16"], "blocked_host"],
    ["http://example.com:9000/", ["example.com"], "93.184.215.14"],
    ["http://localhost:3000/", ["localhost:3000"], "127.0.0.1"],
    ["http://127.0.0.1:3000/", ["127.0.0.1:3000"], "127.0.0.1"],
    ["http://2130706433:3000/", ["127.0.0.1:3000"], "127.0.0.1"],
    ["http://[::ffff:127.0.0.1]:3000/", ["127.0.0.1:3000"], "::ffff:7f00:1"],
    ["http://127.0.0.1:3001/", ["127.0.0.1:3000"], "blocked_host"],
    ["http://127.0.0.2:3000/", ["127.0.0.1:3000"], "blocked_host"],
    ["http://[::1]:3000/", ["[::1]:3000"], "::1"],
    ["http://[fd12::1]/", ["fd12::/16"], "fd12::1"],
    ["http://[fd12::1]/", ["[fd12::]/16:80"], "fd12::1"],
    // A name opens what is inside, never the network's own addresses; metadata takes its very address.
    ["http://sneaky.corp/", ["sneaky.corp"], "blocked_host"],
    ["http://sneaky.corp/", ["*.corp", "169.254.0.0/16"], "blocked_host"],
    ["http://169.254.169.254/", ["169.254.0.0/16"], "blocked_host"],
    ["http://169.254.169.254/", ["169.254.169.254"], "169.254.169.254"],
    ["http://169.254.1.1/", ["169.254.0.0/16"], "169.254.1.1"],
    ["http://100.100.100.200/", ["100.64.0.0/10"], "blocked_host"],
    ["http://100.64.0.1/", ["100.64.0.0/10"], "100.64.0.1"],
    // What is carried inside counts as well.
    ["http://[64:ff9b::808:808]/", ["64:ff9b::/96"], "64:ff9b::808:808"],
    ["http://nat64.example/", ["64:ff9b::/96"], "blocked_host"],
    ["http://nat64.example/", ["64:ff9b::/96", "10.0.0.0/8"], "64:ff9b::a00:1"],
    ["http://[2002:7f00:1::]/", ["2002::/16"], "blocked_host"],
  ])("%s with %j: %s", async (url, allow, expected) => {
    const named: Readonly<Record<string, readonly string[]>> = { ...NAMES, localhost: ["127.0.0.1"] };
    const said = await reach(url, { allow, resolve: async (host) => named[host] ?? [] });
    expect(said).toContain(expected);
  });

  it("may be other ports of public hosts", async () => {
    expect(await reach("https://example.com:8443/", { ports: [443, 8443] })).toContain("93.184.215.14");
    expect(await reach("http://example.com/", { ports: [443] })).toContain("port 80");
  });

  it.each([
    "",
    "*",
    "*.",
    "http://x",
    "a/b",
    "10.0.0.0/33",
    "10.0.0.0/x",
    "::1/129",
    "a:0",
    "a:70000",
    "1.2.3",
    "a b",
  ])("can't be %j", (text) => {
    expect(() => readAllowList([text])).toThrow(/names no host/);
  });
});
