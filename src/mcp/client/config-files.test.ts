import { describe, expect, it } from "vitest";
import { loadMcpConfig, type McpConfig } from "./config-files.ts";

const USER = "/home/u/.toolgate/settings.json";
const PROJECT = "/p/.toolgate/settings.json";
const SHARED = "/p/.mcp.json";

function load(files: Readonly<Record<string, unknown>>, trusted = true): Promise<McpConfig> {
  return loadMcpConfig({
    project: "/p",
    home: "/home/u",
    trusted,
    expand: (name) =>
      new Map([
        ["TOKEN", "secret"],
        ["EMPTY", ""],
        ["NESTED", "${TOKEN}"],
      ]).get(name),
    readText: async (path) => (path in files ? JSON.stringify(files[path]) : undefined),
  });
}

const stdio = { command: "serve" };

describe("loadMcpConfig", () => {
  it.each<[string, unknown, unknown]>([
    [
      "a command",
      { command: "npx", args: ["-y", "x"], env: { A: "b" }, cwd: "sub" },
      { command: "npx", args: ["-y", "x"], env: { A: "b" }, cwd: "sub" },
    ],
    [
      "an address",
      { type: "http", url: "https://example.com/mcp", headers: { A: "b" } },
      { type: "http", url: "https://example.com/mcp", headers: { A: "b" } },
    ],
    [
      "an address without a type",
      { url: "https://example.com/mcp" },
      { type: "http", url: "https://example.com/mcp" },
    ],
    [
      "another spelling of the type",
      { type: "streamable-http", url: "http://localhost/" },
      { type: "http", url: "http://localhost/" },
    ],
    ["SSE", { type: "sse", url: "http://localhost/sse" }, { type: "sse", url: "http://localhost/sse" }],
    [
      "variables",
      {
        command: "x",
        args: ["${TOKEN}", "a${TOKEN}b", "${NONE:-other}", "${EMPTY:-other}", "${EMPTY}", "$TOKEN"],
      },
      { command: "x", args: ["secret", "asecretb", "other", "other", "", "$TOKEN"] },
    ],
    ["what is filled in is left as it is", { command: "${NESTED}" }, { command: "${TOKEN}" }],
    [
      "variables in headers",
      { url: "http://h/", headers: { Authorization: "Bearer ${TOKEN}" } },
      { type: "http", url: "http://h/", headers: { Authorization: "Bearer secret" } },
    ],
    ["a longest time as others call it", { command: "x", timeout: 5000 }, { command: "x", timeoutMs: 5000 }],
    [
      "what to offer",
      { command: "x", include: ["a*"], exclude: ["ab"], trusted: true },
      { command: "x", include: ["a*"], exclude: ["ab"], trusted: true },
    ],
    ["keys of other clients", { command: "x", autoApprove: ["*"], alwaysAllow: true }, { command: "x" }],
  ])("reads %s", async (_name, entry, config) => {
    const { servers, notices } = await load({ [SHARED]: { mcpServers: { s: entry } } });
    expect({ config: servers.get("s"), notices }).toEqual({ config, notices: [] });
  });

  it.each<[string, unknown, string]>([
    ["a variable that isn't set", { command: "${NONE}" }, "the environment variable NONE isn't set."],
    ["neither command nor address", {}, "it needs a `command` or a `url`."],
    [
      "a strange type",
      { type: "pigeon", url: "http://h/" },
      'its type "pigeon" is none of stdio, http and sse.',
    ],
    ["a strange address", { url: "file:///etc/passwd" }, "`url` must be a full http or https address."],
    ["args that are no texts", { command: "x", args: [1] }, "`args` must be a list of texts."],
    ["env that is no texts", { command: "x", env: { A: 1 } }, "`env.A` must be a text."],
    ["a list that is a text", { command: "x", include: "a" }, "`include` must be a list of texts."],
    [
      "a time that is none",
      { command: "x", timeoutMs: -1 },
      "`timeoutMs` must be milliseconds, from 1 to 86400000.",
    ],
    ["a text", "x", "it must be an object."],
  ])("leaves out one with %s, and keeps the others", async (_name, entry, why) => {
    const { servers, notices } = await load({ [SHARED]: { mcpServers: { bad: entry, good: stdio } } });
    expect([...servers.keys()]).toEqual(["good"]);
    expect(notices).toEqual([expect.stringContaining(`${SHARED}: the MCP server bad is left out: ${why}`)]);
  });

  it("starts nothing that came with a project which isn't trusted, and says how to trust it", async () => {
    const files = {
      [USER]: { mcpServers: { mine: stdio } },
      [PROJECT]: { mcpServers: { theirs: stdio } },
      [SHARED]: { mcpServers: { a: stdio, b: stdio } },
    };
    const { servers, notices } = await load(files, false);
    expect([...servers.keys()]).toEqual(["mine"]);
    expect(notices).toEqual([
      expect.stringContaining(
        `${PROJECT}: these MCP servers are not started until the project is trusted: theirs.`,
      ),
      expect.stringMatching(/\.mcp\.json: these MCP servers .*: a, b\..*add "\/p" to "trustedProjects"/),
    ]);
  });

  it("lets a project take no name of a server of the user's own", async () => {
    const files = {
      [USER]: { mcpServers: { s: { command: "mine" } } },
      [SHARED]: { mcpServers: { s: { command: "theirs" } } },
    };
    const { servers, notices } = await load(files);
    expect(servers.get("s")).toEqual({ command: "mine" });
    expect(notices).toEqual([`${SHARED}: the MCP server s is left out: there is another of that name.`]);
  });

  it("goes on without a file that can't be understood, and leaves out what is switched off", async () => {
    const files = {
      [SHARED]: { mcpServers: [] },
      [USER]: { mcpServers: { off: { ...stdio, disabled: true }, on: stdio } },
    };
    const { servers, notices } = await load(files);
    expect([...servers.keys()]).toEqual(["on"]);
    expect(notices).toEqual([`${SHARED}: \`mcpServers\` must be an object.`]);
  });

  it("takes names such as __proto__ as names", async () => {
    const text = '{"mcpServers":{"__proto__":{"command":"x"},"constructor":{"command":"y"}}}';
    const { servers } = await loadMcpConfig({
      project: "/p",
      home: "/home/u",
      trusted: true,
      expand: () => undefined,
      readText: async (path) => (path === SHARED ? text : undefined),
    });
    expect([...servers.keys()]).toEqual(["__proto__", "constructor"]);
  });
});
