import { describe, expect, it } from "vitest";
import { formatRule } from "./rule-text.ts";
import { type LoadSettingsOptions, loadSettings, type Settings, settingsPaths } from "./settings.ts";

const PLACES = { project: "/p", home: "/home/ann" };

function load(
  files: Readonly<Record<string, unknown>>,
  options: Partial<LoadSettingsOptions> = {},
): Promise<Settings> {
  const texts = new Map(
    Object.entries(files).map(([path, value]) => [
      path,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
  return loadSettings({ ...PLACES, readText: (path) => Promise.resolve(texts.get(path)), ...options });
}

/** Rules as `tier behaviour text`. */
function lines(settings: Settings): readonly string[] {
  return settings.rules.map((rule) => `${rule.source} ${rule.behavior} ${formatRule(rule)}`);
}

describe("loadSettings", () => {
  it("has nothing to say without files", async () => {
    expect(await load({})).toEqual({
      mode: undefined,
      rules: [],
      workingDirectories: [],
      additionalDangerousFiles: [],
      additionalDangerousDirectories: [],
      bypassDisabled: false,
      projectTrusted: false,
      files: [],
      notices: [],
    });
  });

  it("joins all tiers, strongest first", async () => {
    const settings = await load(
      {
        "/managed.json": { permissions: { deny: ["Bash(curl:*)"], disableBypass: true } },
        "/p/.toolgate/settings.local.json": { permissions: { allow: ["Bash(make)"], mode: "bypass" } },
        "/p/.toolgate/settings.json": {
          permissions: { ask: ["Bash(git push:*)"], additionalDirectories: ["../lib", "~/shared"] },
        },
        "/home/ann/.toolgate/settings.json": {
          permissions: {
            mode: "accept_edits",
            allow: ["Read(~/notes/**)"],
            additionalDangerousFiles: [".secrets"],
          },
        },
      },
      { managedPath: "/managed.json", trustProject: true },
    );
    expect({ ...settings, rules: lines(settings), files: settings.files.map((file) => file.path) }).toEqual({
      mode: "acceptEdits",
      rules: [
        "managed deny Bash(curl:*)",
        "local allow Bash(make)",
        "project ask Bash(git push:*)",
        "user allow Read(~/notes/**)",
      ],
      workingDirectories: ["/lib", "/home/ann/shared"],
      additionalDangerousFiles: [".secrets"],
      additionalDangerousDirectories: [],
      bypassDisabled: true,
      projectTrusted: true,
      files: [
        "/managed.json",
        "/p/.toolgate/settings.local.json",
        "/p/.toolgate/settings.json",
        "/home/ann/.toolgate/settings.json",
      ],
      notices: [],
    });
  });

  const LOOSE = {
    permissions: { allow: ["Bash"], deny: ["Bash(rm:*)"], mode: "bypass", additionalDirectories: ["/"] },
  };

  it("lets a project that isn't trusted only tighten, and says what it left out", async () => {
    const settings = await load({
      "/p/.toolgate/settings.json": LOOSE,
      "/home/ann/.toolgate/settings.json": { trustedProjects: ["/other"] },
    });
    expect([settings.mode, lines(settings), settings.workingDirectories, settings.notices]).toEqual([
      undefined,
      ["project deny Bash(rm:*)"],
      [],
      [
        "/p/.toolgate/settings.json: left out until the project is trusted: allow Bash; mode bypass; directory /.",
      ],
    ]);
  });

  it("trusts a project that the user names", async () => {
    const settings = await load({
      "/p/.toolgate/settings.json": LOOSE,
      "/home/ann/.toolgate/settings.json": { trustedProjects: ["/p/"] },
    });
    expect([settings.mode, lines(settings), settings.workingDirectories]).toEqual([
      "bypass",
      ["project deny Bash(rm:*)", "project allow Bash"],
      ["/"],
    ]);
  });

  it("takes the user's own file as the user's when the project is the home", async () => {
    const settings = await load(
      { "/home/ann/.toolgate/settings.json": { permissions: { allow: ["Bash(make)"] } } },
      { project: "/home/ann" },
    );
    expect(lines(settings)).toEqual(["user allow Bash(make)"]);
  });

  it("allows comments", async () => {
    const text = `{
      // what may run: "https://x" stays as it is
      "permissions": { /* all */ "allow": ["Bash(echo //x)"] }
    }`;
    expect(lines(await load({ "/home/ann/.toolgate/settings.json": text }))).toEqual([
      "user allow Bash(echo //x)",
    ]);
  });

  it.each([
    ['{"permissions":', "invalid_settings", "it isn't valid JSON"],
    ["[]", "invalid_settings", "it must hold a JSON object"],
    ['{"permision":{}}', "invalid_settings", "`permision` isn't a setting"],
    ['{"permissions":{"alow":[]}}', "invalid_settings", "`permissions.alow` isn't a setting"],
    ['{"__proto__":{"permissions":{}}}', "invalid_settings", "`__proto__` isn't a setting"],
    ['{"permissions":[]}', "invalid_settings", "`permissions` must be an object"],
    ['{"permissions":{"allow":"Bash"}}', "invalid_settings", "`permissions.allow` must be a list of texts"],
    ['{"permissions":{"allow":[1]}}', "invalid_settings", "`permissions.allow[0]` must be a text"],
    ['{"permissions":{"deny":["Bash","Read(~bob/x)"]}}', "invalid_rule", "`permissions.deny[1]`"],
    ['{"permissions":{"mode":"yolo"}}', "invalid_settings", "`permissions.mode`"],
    ['{"permissions":{"disableBypass":"yes"}}', "invalid_settings", "`permissions.disableBypass`"],
  ])("refuses %s, naming file and key", async (text, code, part) => {
    const path = "/home/ann/.toolgate/settings.json";
    await expect(load({ [path]: text })).rejects.toMatchObject({ code });
    await expect(load({ [path]: text })).rejects.toThrow(path);
    await expect(load({ [path]: text })).rejects.toThrow(part);
  });

  it("refuses a project that trusts itself", async () => {
    const files = { "/p/.toolgate/settings.json": { trustedProjects: ["/p"] } };
    await expect(load(files)).rejects.toMatchObject({ code: "invalid_settings" });
  });

  it("stops when a file is there and can't be read", async () => {
    const readText = (): Promise<string> => Promise.reject(new Error("EACCES"));
    await expect(load({}, { readText })).rejects.toThrow("EACCES");
  });
});

describe("Claude Code's settings", () => {
  const claude = { claude: true, trustProject: true };

  it("are read by their permissions block alone", async () => {
    const settings = await load(
      {
        "/p/.claude/settings.json": {
          model: "x",
          hooks: {},
          permissions: {
            allow: ["Bash(npm run:*)", "Edit(/src/**)", "Read(//etc/hosts)", "WebFetch(domain:example.com)"],
            deny: ["Read(./.env)"],
            ask: ["Bash(git push:*)"],
            defaultMode: "plan",
            additionalDirectories: ["../docs"],
            newThing: true,
          },
        },
      },
      claude,
    );
    expect([settings.mode, lines(settings), settings.workingDirectories, settings.notices]).toEqual([
      "explore",
      [
        "project deny Read(./.env)",
        "project ask Bash(git push:*)",
        "project allow Bash(npm run:*)",
        "project allow Edit(./src/**)",
        "project allow Read(//etc/hosts)",
        "project allow WebFetch(domain:example.com)",
      ],
      ["/docs"],
      ["/p/.claude/settings.json: `permissions.newThing` is not known here and has no effect."],
    ]);
  });

  it("may hold allow rules that mean nothing here, never deny rules", async () => {
    const path = "/p/.claude/settings.json";
    const settings = await load({ [path]: { permissions: { allow: ["Bash(a && b)"] } } }, claude);
    expect([lines(settings), settings.notices.length]).toEqual([[], 1]);
    await expect(load({ [path]: { permissions: { deny: ["Bash(a && b)"] } } }, claude)).rejects.toMatchObject(
      {
        code: "invalid_rule",
      },
    );
  });

  it("are left alone unless asked for", () => {
    expect(settingsPaths(PLACES).map((file) => `${file.tier} ${file.path}`)).toEqual([
      "local /p/.toolgate/settings.local.json",
      "project /p/.toolgate/settings.json",
      "user /home/ann/.toolgate/settings.json",
    ]);
    expect(settingsPaths({ ...PLACES, claude: true })).toHaveLength(6);
  });
});
