import { describe, expect, it } from "vitest";
import { now, type WorldOptions, world } from "../../test/permission-world.ts";
import type { Effect } from "../effect.ts";
import { PERMISSION_MODES } from "../rule.ts";
import type { ToolInput } from "../tool.ts";
import { ToolBase } from "../tool-base.ts";
import { decide } from "./engine.ts";

/** A tool whose calls have one effect. */
class Fenced extends ToolBase {
  readonly name = "Fenced";
  readonly description = "";
  readonly inputSchema = { type: "object" };
  readonly outsideWorkspace: "deny" | "ask";
  readonly #effect: Effect;
  readonly #never: string | undefined;

  constructor(effect: Effect, outside: "deny" | "ask" = "deny", never?: string) {
    super();
    this.outsideWorkspace = outside;
    this.#effect = effect;
    this.#never = never;
  }

  override effects(): readonly Effect[] {
    return [this.#effect];
  }

  forbids(_input: ToolInput): string | undefined {
    return this.#never;
  }
}

const links = {
  "/work/project/etc": "/etc",
  "/work/project/etc/passwd": "/etc/passwd",
  "/work/project/inner": "/work/project/src",
};

async function verdictOf(tool: Fenced, options: WorldOptions = {}): Promise<string> {
  const { behavior, bypassImmune } = await decide(tool, {}, world({ links, ...options }));
  return `${behavior}${bypassImmune === true ? "!" : ""}`;
}

describe("a tool that keeps to the working directories", () => {
  const read = (path: string, more: object = {}): Effect => ({ kind: "read", path, ...more });
  const rows: readonly (readonly [effect: Effect, deny: string, ask: string])[] = [
    [read("/work/project/a.txt"), "allow", "allow"],
    [read("/work/project"), "allow", "allow"],
    [read("/work/project/inner"), "allow", "allow"],
    [read("/etc/passwd"), "deny", "ask!"],
    [read("/work/project/etc/passwd"), "deny", "ask!"],
    [read("/work/project-evil/a.txt"), "deny", "ask!"],
    [read("/work/project/../secret"), "deny", "ask!"],
    [read("/work"), "deny", "ask!"],
    [read("/scratch/answer.txt"), "allow", "allow"],
    [{ kind: "list", path: "/work" }, "deny", "ask!"],
    [{ kind: "write", path: "/work/other/a.txt" }, "deny", "ask!"],
    [{ kind: "write", path: "/scratch/answer.txt" }, "deny", "ask!"],
    [{ kind: "write", path: "/dev/null" }, "allow", "allow"],
    [{ kind: "delete", path: "/work/other" }, "deny", "ask!"],
    // What can't be told is asked about.
    [read("/work/project", { dynamic: true }), "ask!", "ask!"],
    [read("/work/project/*/passwd", { pattern: true }), "ask!", "ask!"],
    [read("/work/project/*.txt", { pattern: true }), "allow", "allow"],
    // Inside, the rest of the engine goes on as ever.
    [read("/work/project/.env"), "ask", "ask"],
    [{ kind: "write", path: "/work/project/a.txt" }, "ask", "ask"],
    [{ kind: "write", path: "/work/project/.git/hooks/x" }, "ask!", "ask!"],
  ];

  it.each(rows)("%j: %s, or %s where it is lifted", async (effect, deny, ask) => {
    expect(await verdictOf(new Fenced(effect))).toBe(deny);
    expect(await verdictOf(new Fenced(effect, "ask"))).toBe(ask);
  });

  it.each(PERMISSION_MODES)("holds in %s mode, whatever rules say", async (mode) => {
    const outside = new Fenced(read("/etc/passwd"));
    expect(await verdictOf(outside, { mode, rules: ["allow:Fenced", "ask:Fenced"] })).toBe("deny");
  });

  it("knows more directories where they are added", async () => {
    const workingDirectories = ["/work/project", "/data"];
    expect(await verdictOf(new Fenced(read("/data/a.csv")), { workingDirectories })).toBe("allow");
  });

  it("says what is outside of what", () => {
    const { message, reason } = now(decide(new Fenced(read("/etc/passwd")), {}, world()));
    expect(message).toBe(
      "Fenced stays inside the workspace /work/project, and this call reads /etc/passwd, which is outside.",
    );
    expect(reason).toMatchObject({ step: "tool", effect: { path: "/etc/passwd" } });
  });

  it("says where a link leads", () => {
    const tool = new Fenced(read("/work/project/etc/passwd"));
    expect(now(decide(tool, {}, world({ links }))).message).toBe(
      "Fenced stays inside the workspace /work/project, and this call reads etc/passwd, which leads to /etc/passwd, outside.",
    );
  });
});

describe("what a tool never does", () => {
  it.each(PERMISSION_MODES)("is denied in %s mode, whatever rules say", (mode) => {
    const tool = new Fenced({ kind: "read", path: "/work/project/a" }, "deny", "Not with me.");
    const decision = now(decide(tool, {}, world({ mode, rules: ["allow:Fenced", "ask:Fenced"] })));
    expect(decision).toMatchObject({ behavior: "deny", message: "Not with me." });
  });
});
