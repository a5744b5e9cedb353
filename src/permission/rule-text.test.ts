import { describe, expect, it } from "vitest";
import { ToolgateError } from "../errors.ts";
import { formatRule, parseRule } from "./rule-text.ts";

describe("parseRule", () => {
  it.each([
    ["Bash", "Bash", null],
    ["  Bash  ", "Bash", null],
    ["Bash(npm run:*)", "Bash", "npm run:*"],
    ["Bash( npm run build )", "Bash", "npm run build"],
    ["Bash(echo (a))", "Bash", "echo (a)"],
    ["Bash(git commit -m 'a; b && c')", "Bash", "git commit -m 'a; b && c'"],
    ["Bash(:*)", "Bash", ":*"],
    ["Read(src/**)", "Read", "src/**"],
    ["Read(//etc/**)", "Read", "//etc/**"],
    ["Read(~/**)", "Read", "~/**"],
    ["web_fetch(domain:example.com)", "web_fetch", "domain:example.com"],
    ["WebFetch(domain:*.example.com)", "WebFetch", "domain:*.example.com"],
    ["web_fetch(domain:[::1])", "web_fetch", "domain:[::1]"],
    ["web_fetch(domain:bücher.example)", "web_fetch", "domain:bücher.example"],
    ["web_fetch(example.com)", "web_fetch", "example.com"],
    ["screenshot(domain:example.com)", "screenshot", "domain:example.com"],
    ["screenshot(desktop)", "screenshot", "desktop"],
    ["mcp__github__*", "mcp__github__*", null],
    ["mcp__github", "mcp__github", null],
    ["*", "*", null],
    ["deploy(prod-*)", "deploy", "prod-*"],
  ])("reads %s", (text, toolName, ruleContent) => {
    expect(parseRule(text, "deny", "user")).toEqual({
      toolName,
      ruleContent,
      behavior: "deny",
      source: "user",
    });
  });

  it.each([
    ["", "Write `Tool` or `Tool(content)`."],
    ["(ls)", "Write `Tool` or `Tool(content)`."],
    ["Bash ls", "Write `Tool` or `Tool(content)`."],
    ["Bash(ls", "Write `Bash(ls)`."],
    ["Bash(ls) x", "Write `Bash(ls) x)`."],
    ["Bash()", "For every call of the tool write `Bash` alone."],
    ["Bash(a:* b)", "Use `*` for anything in the middle."],
    ["Bash(echo 'a)", "Close it, or write `\\'` for the character itself."],
    ["Bash(ls && rm x)", "Write one rule for each command; redirections are settled by `Edit(path)` rules."],
    ["Bash(ls; rm x)", "Write one rule for each command; redirections are settled by `Edit(path)` rules."],
    ["Bash(ls | sh)", "Write one rule for each command; redirections are settled by `Edit(path)` rules."],
    ["Bash(ls > a)", "Write one rule for each command; redirections are settled by `Edit(path)` rules."],
    ["Bash(echo $(id))", "Use `*` in its place."],
    ["Bash(echo `id`)", "Use `*` in its place."],
    ["Read(src:*)", "Write `src/**`."],
    ["Read(file:///etc/passwd)", "Write `/etc/passwd`."],
    ["Read(~bob/x)", "Write the absolute path."],
    ["Read($HOME/x)", "Write the path itself, or `~/` for your home."],
    ["Edit(!src/**)", "Write a rule of the other behaviour."],
    ["mcp__github__*(x)", "Write `mcp__github__*` alone."],
    ["mcp__github(x)", "Write `mcp__github` alone."],
    [
      "web_fetch(domain:https://example.com/a)",
      "Write `web_fetch(domain:example.com)`, without scheme or path.",
    ],
    ["web_fetch(https://example.com/*)", "Write `web_fetch(domain:example.com)`, without scheme or path."],
    ["WebFetch(example.com/docs)", "Write `WebFetch(domain:example.com)`, without scheme or path."],
    ["web_fetch(domain:exa*mple.com)", "Write `web_fetch(domain:example.com)`, without scheme or path."],
    ["web_fetch(domain:)", "Write `web_fetch(domain:example.com)`, without scheme or path."],
    ["Bash(ls\u0007)", "Type it again by hand."],
  ])("refuses %j and says how to mend it", (text, hint) => {
    let thrown: unknown;
    try {
      parseRule(text, "allow", "session");
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(ToolgateError);
    expect(thrown).toMatchObject({ code: "invalid_rule", hint });
    expect(String(thrown)).toContain(JSON.stringify(text));
  });
});

describe("formatRule", () => {
  it.each(["Bash", "Bash(npm run:*)", "Read(~/**)", "mcp__github__*"])("writes %s as it was read", (text) => {
    expect(formatRule(parseRule(text, "ask", "user"))).toBe(text);
  });
});
