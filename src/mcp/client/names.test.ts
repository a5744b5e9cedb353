import { describe, expect, it } from "vitest";
import { serverParts, toolNames } from "./names.ts";

describe("serverParts", () => {
  it.each<[string, string[], string[]]>([
    ["a plain name", ["github"], ["github"]],
    ["signs that names can't have", ["git.hub/x"], ["git_hub_x"]],
    ["nothing but such signs", ["…"], ["server"]],
    ["a double underscore, which stands before the tool", ["a__b", "_c_"], ["a_b", "c"]],
    ["two that come to the same: who fits keeps it", ["a.b", "a_b"], ["a_b_2e7336dc", "a_b"]],
    ["a long one", ["n".repeat(60)], ["nnnnnnnnnnnnnnnnnnn_fb886b45"]],
  ])("%s", (_name, names, parts) => {
    expect([...serverParts(names).values()]).toEqual(parts);
  });
});

describe("toolNames", () => {
  it.each<[string, string[], string[]]>([
    ["plain names", ["get_issue", "list-all"], ["mcp__s__get_issue", "mcp__s__list-all"]],
    ["dots and blanks", ["get.issue", "list all"], ["mcp__s__get_issue", "mcp__s__list_all"]],
    ["two that come to the same", ["a.b", "a b"], ["mcp__s__a_b_2e7336dc", "mcp__s__a_b_c8687a08"]],
  ])("%s", (_name, originals, names) => {
    expect([...toolNames("s", originals).values()]).toEqual(names);
  });

  it("are the same whatever the order, never longer than 64 characters, and distinct", () => {
    const originals = ["x".repeat(80), `${"x".repeat(80)}y`, "x.y", "x_y", "x y", "é".repeat(40)];
    const names = toolNames("server", originals);
    const reversed = toolNames("server", originals.toReversed());
    expect(originals.map((name) => reversed.get(name))).toEqual(originals.map((name) => names.get(name)));
    expect(new Set(names.values()).size).toBe(originals.length);
    expect([...names.values()].every((name) => /^mcp__server__[\w-]+$/.test(name) && name.length <= 64)).toBe(
      true,
    );
  });
});
