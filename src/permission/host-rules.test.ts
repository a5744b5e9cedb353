import { describe, expect, it } from "vitest";
import { now, paperTool, verdict, world } from "../../test/permission-world.ts";
import { decide } from "./engine.ts";
import { hostName } from "./host-name.ts";
import { mayConnect } from "./may-connect.ts";
import { proveSuggestions } from "./prove.ts";

const web = paperTool({
  name: "web_fetch",
  effects: ({ hosts }) =>
    (Array.isArray(hosts) ? hosts : []).map((host) => ({ kind: "connect", host: String(host) })),
});

describe("rules about hosts", () => {
  it.each([
    ["example.com", "ask", []],
    ["example.com", "allow", ["allow:web_fetch(domain:example.com)"]],
    ["example.com", "allow", ["allow:web_fetch(example.com)"]],
    ["example.com", "allow", ["allow:WebFetch(domain:example.com)"]],
    ["example.com", "allow", ["allow:web_fetch(domain:*)"]],
    ["example.com", "ask", ["allow:web_fetch(domain:*.example.com)"]],
    ["www.example.com", "ask", ["allow:web_fetch(domain:example.com)"]],
    ["www.example.com", "allow", ["allow:web_fetch(domain:*.example.com)"]],
    ["a.b.example.com", "allow", ["allow:web_fetch(domain:*.example.com)"]],
    ["badexample.com", "ask", ["allow:web_fetch(domain:*.example.com)"]],
    ["example.com.evil.example", "ask", ["allow:web_fetch(domain:example.com)"]],
    ["example.com", "ask", ["allow:screenshot(domain:example.com)"]],
    ["EXAMPLE.com.", "allow", ["allow:web_fetch(domain:example.com)"]],
    ["xn--bcher-kva.example", "allow", ["allow:web_fetch(domain:bücher.example)"]],
    ["bücher.example", "allow", ["allow:web_fetch(domain:xn--bcher-kva.example)"]],
    ["a.xn--bcher-kva.example", "allow", ["allow:web_fetch(domain:*.bücher.example)"]],
    // Every host of a call must be covered, and one that is denied denies it.
    ["example.com other.example", "ask", ["allow:web_fetch(domain:example.com)"]],
    ["example.com other.example", "ask", ["allow:web_fetch(example.com)"]],
    [
      "example.com other.example",
      "allow",
      ["allow:web_fetch(domain:example.com)", "allow:web_fetch(domain:other.example)"],
    ],
    ["example.com other.example", "deny", ["deny:web_fetch(domain:other.example)", "allow:web_fetch"]],
    ["api.example.com", "deny", ["deny:web_fetch(domain:example.com)", "allow:web_fetch"]],
    ["api.example.com", "deny", ["deny:screenshot(domain:example.com)", "allow:web_fetch"]],
    // An address is one address in every notation.
    ["127.0.0.1", "deny", ["deny:web_fetch(domain:127.0.0.1)", "allow:web_fetch"]],
    ["2130706433", "deny", ["deny:web_fetch(domain:127.0.0.1)", "allow:web_fetch"]],
    ["0x7f.1", "deny", ["deny:web_fetch(domain:127.0.0.1)", "allow:web_fetch"]],
    ["[::ffff:127.0.0.1]", "deny", ["deny:web_fetch(domain:127.0.0.1)", "allow:web_fetch"]],
    ["[0:0::1]", "deny", ["deny:web_fetch(domain:[::1])", "allow:web_fetch"]],
    ["１２７.0.0.1", "deny", ["deny:web_fetch(domain:127.0.0.1)", "allow:web_fetch"]],
    ["127.0.0.1", "deny", ["deny:web_fetch(domain:2130706433)", "allow:web_fetch"]],
    ["128.0.0.1", "allow", ["deny:web_fetch(domain:127.0.0.1)", "allow:web_fetch"]],
  ] as const)("%s → %s (%j)", (hosts, expected, rules) => {
    const decision = now(decide(web, { hosts: hosts.split(" ") }, world({ rules })));
    expect(verdict(decision)).toBe(expected);
  });

  it("are suggested for each host", () => {
    const context = world();
    const input = { hosts: ["example.com", "bücher.example"] };
    const found = now(proveSuggestions(web, input, context, now(decide(web, input, context))));
    expect(found.map(({ text }) => text)).toContain(
      "web_fetch(domain:example.com), web_fetch(domain:xn--bcher-kva.example)",
    );
  });
});

describe("a host that is met on the way", () => {
  it.each([
    ["example.com", "open", {}],
    ["example.com", "allowed", { rules: ["allow:web_fetch(domain:example.com)"] }],
    ["example.com", "allowed", { rules: ["allow:web_fetch"] }],
    ["example.com", "open", { rules: ["allow:Bash"] }],
    ["a.example.com", "refused", { rules: ["deny:web_fetch(domain:example.com)", "allow:web_fetch"] }],
    ["a.example.com", "refused", { rules: ["ask:web_fetch(domain:example.com)", "allow:web_fetch"] }],
    ["example.com", "allowed", { mode: "bypass" }],
    ["example.com", "refused", { mode: "bypass", rules: ["deny:web_fetch(domain:example.com)"] }],
    ["example.com", "open", { mode: "explore", rules: ["allow:web_fetch"] }],
    ["example.com", "allowed", { mode: "dontAsk", rules: ["allow:web_fetch"] }],
  ] as const)("%s is %s (%j)", (host, expected, options) => {
    expect(now(mayConnect("web_fetch", host, world(options)))).toBe(expected);
  });
});

describe("hostName", () => {
  it.each([
    ["Example.COM", "example.com"],
    ["example.com:8080", "example.com"],
    ["*.Example.com", "*.example.com"],
    ["*", "*"],
    ["[::1]:80", "::1"],
    ["::ffff:7f00:1", "127.0.0.1"],
    ["127.1", "127.0.0.1"],
    ["0300.0250.1", "192.168.0.1"],
    ["host1", "host1"],
    ["a_b.example", "a_b.example"],
    ["not a host", "not a host"],
    ["a/b", "a/b"],
    ["u@1", "u@1"],
    ["1.2.3.4.5", "1.2.3.4.5"],
  ])("%s is %s", (text, expected) => {
    expect(hostName(text)).toBe(expected);
  });
});
