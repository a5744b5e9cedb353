import { describe, expect, it } from "vitest";
import { type RulePlace, withoutRule, withRule } from "./settings-edit.ts";

const place = (rule: string, behavior: RulePlace["behavior"] = "allow"): RulePlace => ({
  source: { path: "settings.json", tier: "user", format: "toolgate" },
  behavior,
  rule,
});

const COMMENTED = `{
  // first
  "permissions": {
    "deny": [], // none
    "allow": [
      "Bash(ls:*)", // looks
      "Bash(cat:*)" /* reads */
    ]
  }
}
`;

describe("withRule", () => {
  it.each([
    ["an empty file", "", '{\n  "permissions": {\n    "allow": [\n      "Bash(id:*)"\n    ]\n  }\n}\n'],
    [
      "a filled list, comments kept",
      COMMENTED,
      COMMENTED.replace('"Bash(cat:*)" /*', '"Bash(cat:*)",\n      "Bash(id:*)" /*'),
    ],
    [
      "a list that holds a comment only",
      '{"permissions": {"allow": [ // x\n]}}',
      '{"permissions": {"allow": [\n      "Bash(id:*)" // x\n]}}',
    ],
    [
      "an empty list on one line",
      '{"permissions": {"allow": []}}',
      '{"permissions": {"allow": [\n      "Bash(id:*)"]}}',
    ],
  ])("adds to %s", (_name, text, expected) => {
    expect(withRule(text, place("Bash(id:*)"))).toBe(expected);
  });

  it("keeps everything else when it has to write the whole file", () => {
    const text = '{"trustedProjects": ["/a"], "permissions": {"mode": "explore"}}';
    expect(JSON.parse(withRule(text, place("Bash(id:*)", "deny")))).toEqual({
      trustedProjects: ["/a"],
      permissions: { mode: "explore", deny: ["Bash(id:*)"] },
    });
  });

  it("isn't taken in by a text that looks like the list", () => {
    const text = '{"permissions": {"deny": ["Read(\\"allow\\": [])"], "allow": ["Bash(ls)"]}}';
    expect(JSON.parse(withRule(text, place("Bash(id:*)")))).toEqual({
      permissions: { deny: ['Read("allow": [])'], allow: ["Bash(ls)", "Bash(id:*)"] },
    });
  });

  it("changes nothing when the rule is there", () => {
    expect(withRule(COMMENTED, place("Bash(ls:*)"))).toBe(COMMENTED);
  });

  it.each(["{ nonsense", "[]", '{"permissions": 5}', '{"permissions": {"allow": "x"}}'])(
    "refuses %s",
    (text) => {
      expect(() => withRule(text, place("Bash(id:*)"))).toThrow(/settings\.json/);
    },
  );
});

describe("withoutRule", () => {
  it.each([
    ["the first", "Bash(ls:*)", COMMENTED.replace('"Bash(ls:*)", // looks', "// looks")],
    [
      "the last",
      "Bash(cat:*)",
      COMMENTED.replace('"Bash(ls:*)", // looks\n      "Bash(cat:*)" /*', '"Bash(ls:*)" // looks\n       /*'),
    ],
  ])("takes %s out, comments kept", (_name, rule, expected) => {
    const edited = withoutRule(COMMENTED, place(rule)) ?? "";
    const spaces = (text: string) => text.replace(/\s+/g, " ");
    expect(spaces(edited)).toBe(spaces(expected));
  });

  it("takes out what was put in", () => {
    const added = withRule(COMMENTED, place("Bash(id:*)"));
    expect(withoutRule(added, place("Bash(id:*)"))).toBe(COMMENTED);
  });

  it("says when it isn't there", () => {
    expect(withoutRule(COMMENTED, place("Bash(id:*)"))).toBeUndefined();
    expect(withoutRule(COMMENTED, place("Bash(ls:*)", "deny"))).toBeUndefined();
  });
});
