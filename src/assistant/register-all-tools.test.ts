import { mkdirSync, symlinkSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FileWorld, localWorld } from "../../test/file-world.ts";
import { Channels } from "../channels/channels.ts";
import { defineTool } from "../define-tool.ts";
import { Toolkit } from "../toolkit/toolkit.ts";
import { registerAllTools } from "./register-all-tools.ts";
import { readSecurityConfig, securityOptions } from "./security.ts";

let world: FileWorld;
let toolkit: Toolkit;
beforeEach(() => {
  world = localWorld();
  toolkit = new Toolkit({ backend: world.backend });
});
afterEach(async () => {
  await toolkit[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

const named = (name: string) =>
  defineTool({ name, description: "", input: { type: "object" }, call: () => "" });

describe("registerAllTools", () => {
  it("registers what needs nothing, and says what the others need", async () => {
    const statuses = await registerAllTools(toolkit, { screenshot: false });
    expect(statuses.map(({ name, why = "" }) => `${name} ${why}`.trim())).toEqual([
      "read_file",
      "write_file",
      "edit_file",
      "list_dir",
      "exec",
      "file_search",
      "web_fetch",
      "spawn needs a job engine and a model",
      "spawn_status needs a job engine and a model",
      "spawn_output needs a job engine and a model",
      "spawn_stop needs a job engine and a model",
      "workflow_run needs a job engine and a model",
      "schedule_create needs a job engine",
      "schedule_list needs a job engine",
      "schedule_delete needs a job engine",
      "send_media needs a channel",
      "screenshot needs a browser or a display",
      "memory needs a memory store",
      "send_message needs the Xiaozhi conversation mode",
    ]);
    expect(toolkit.tools).toHaveLength(7);
  });

  it("leaves out what it is told to", async () => {
    const statuses = await registerAllTools(toolkit, { web: false });
    expect(statuses).toContainEqual({ name: "web_fetch", isRegistered: false, why: "needs web access" });
    expect(toolkit.get("web_fetch")).toBeUndefined();
  });

  it("registers what it is given, and goes on when something fails", async () => {
    const statuses = await registerAllTools(toolkit, {
      web: () => named("web_fetch"),
      jobs: async () => [named("spawn")],
      memory: () => {
        throw new Error("the store is locked");
      },
    });
    const status = (wanted: string) => statuses.find(({ name }) => name === wanted);
    expect(status("web_fetch")).toEqual({ name: "web_fetch", isRegistered: true });
    expect(status("spawn")?.isRegistered).toBe(true);
    expect(status("workflow_run")?.why).toBe("needs a job engine and a model");
    expect(status("memory")?.why).toBe("the store is locked");
    expect(toolkit.get("web_fetch")).toBeDefined();
  });

  it("has send_media where there are channels, and send_message in a conversation only", async () => {
    await using channels = new Channels();
    const statuses = await registerAllTools(toolkit, { channels, conversation: async () => "reply" });
    const there = statuses.filter(({ isRegistered }) => isRegistered).map(({ name }) => name);
    expect(there).toEqual(expect.arrayContaining(["send_media", "send_message"]));
  });

  it("takes no settings with a pattern that is no good", async () => {
    const security = { customDenyPatterns: ["fine", "(bad"] };
    await expect(registerAllTools(toolkit, { security })).rejects.toThrow(
      'The deny pattern "(bad" is no good',
    );
    expect(toolkit.tools).toEqual([]);
  });
});

describe("skills", () => {
  const text = (name: string) => `---\nname: ${name}\ndescription: Does it.\n---\n\n# How ${name} works\n`;

  it("are read through the loader, and not when they are switched off", async () => {
    await world.put("skills/on/SKILL.md", text("On"));
    await world.put("skills/off/SKILL.md", text("Off"));
    await world.put("skills/off/helper.txt", "x");
    // The same name elsewhere is another folder.
    await world.put("docs/off/SKILL.md", text("Other"));
    mkdirSync(world.path("links"));
    symlinkSync(world.path("skills/off"), world.path("links/innocent"));
    await registerAllTools(toolkit, { skills: { folders: [world.path("skills")], disabled: ["off"] } });
    const read = async (path: string) => {
      const { state, text: said } = await toolkit.execute("read_file", { path });
      return `${state}: ${said}`;
    };
    expect(await read("skills/on/SKILL.md")).toBe("success: # How On works\n");
    expect(await read("docs/off/SKILL.md")).toContain("success: ");
    const off = "denied: The skill Off is switched off";
    expect(await read("skills/off/SKILL.md")).toContain(off);
    expect(await read("./skills/../skills/off/SKILL.md")).toContain(off);
    expect(await read("links/innocent/SKILL.md")).toContain(off);
    // Nor by another way.
    expect(await read("skills/off/helper.txt")).toContain("denied: ");
    expect((await toolkit.execute("exec", { command: "cat skills/off/SKILL.md" })).state).toBe("denied");
    expect((await toolkit.execute("exec", { command: "cat links/innocent/SKILL.md" })).state).toBe("denied");
  });
});

describe("CountBot's settings", () => {
  it("are read in both spellings", () => {
    const snake = {
      dangerous_commands_blocked: false,
      custom_deny_patterns: ["x"],
      command_whitelist_enabled: true,
      custom_allow_patterns: [],
      audit_log_enabled: false,
      command_timeout: 180,
      subagent_timeout: 600,
      max_output_length: 5000,
      restrict_to_workspace: false,
    };
    const options = securityOptions(readSecurityConfig(snake));
    expect(options).toEqual({
      tools: {
        outsideWorkspace: "rules",
        exec: {
          dangerousCommandsBlocked: false,
          deny: ["x"],
          allow: [],
          timeoutSec: 180,
          maxOutputChars: 5000,
        },
      },
      mode: "acceptEdits",
      rules: ["allow:exec"],
      auditLogEnabled: false,
      subagentTimeoutMs: 600_000,
    });
    expect(readSecurityConfig({ commandTimeout: 1 })).toEqual({ commandTimeout: 1 });
  });

  it("keep to the workspace when nothing is said", () => {
    expect(securityOptions().tools).toEqual({
      outsideWorkspace: "deny",
      exec: { dangerousCommandsBlocked: true },
    });
    expect(securityOptions().auditLogEnabled).toBe(true);
  });

  it.each([
    [{ restrict: true }, "`restrict` isn't known"],
    [{ restrict_to_workspace: "yes" }, '`restrict_to_workspace` must be true or false, not "yes"'],
    [{ command_timeout: 0 }, "`command_timeout` must be a number from 1 to 3600, not 0"],
    [{ maxOutputLength: 99 }, "`maxOutputLength` must be a number from 100 to 1000000"],
    [{ custom_deny_patterns: "x" }, "must be a list of regular expressions"],
    [{ commandTimeout: 5, command_timeout: 5 }, "is given twice"],
    ["x", "are no object"],
  ])("%j is refused", (value, message) => {
    expect(() => readSecurityConfig(value)).toThrow(message);
  });
});
