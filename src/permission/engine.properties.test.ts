import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { paperTool, verdict, world } from "../../test/permission-world.ts";
import type { Effect } from "../effect.ts";
import { PERMISSION_MODES } from "../rule.ts";
import { decide } from "./engine.ts";

const PATHS = [
  "/work/project/a.ts",
  "/work/project/src/a.ts",
  "/work/project/.env",
  "/work/project",
  "/home/ann/.ssh/id_rsa",
  "/home/ann/notes",
  "/etc/hosts",
  "/elsewhere/a",
  "/",
] as const;
const PROGRAMS = ["make", "git", "rm", "npm", "ls", "/bin/rm"] as const;
const RULES = [
  "Bash(make:*)",
  "Bash(git push:*)",
  "Bash(git *)",
  "Bash(rm:*)",
  "Bash(npm run:*)",
  "Bash(sudo make:*)",
  "Bash",
  "Read(.env)",
  "Read(~/.ssh/**)",
  "Read(**)",
  "Edit(src/**)",
  "Edit(//**)",
  "Edit(./a.ts)",
  "web_fetch(domain:example.com)",
  "*",
] as const;

const path = fc.constantFrom(...PATHS);
const part = fc.integer({ min: 0, max: 2 });
const word = fc.constantFrom("push", "run", "build", "-rf", "x", "/etc/hosts");

const effect: fc.Arbitrary<Effect> = fc.oneof(
  fc.record({ kind: fc.constant("read" as const), path, part, recursive: fc.boolean() }),
  fc.record({ kind: fc.constant("list" as const), path, part, recursive: fc.boolean() }),
  fc.record({ kind: fc.constant("write" as const), path, part, redirect: fc.boolean() }),
  fc.record({
    kind: fc.constant("delete" as const),
    path,
    part,
    recursive: fc.boolean(),
    forced: fc.boolean(),
  }),
  fc
    .record({
      program: fc.constantFrom(...PROGRAMS),
      rest: fc.array(fc.option(word), { maxLength: 3 }),
      opaque: fc.boolean(),
      part,
      wrappers: fc.array(fc.constantFrom("sudo", "timeout", "xargs"), { maxLength: 2 }),
    })
    .map(({ program, rest, ...more }) => ({
      ...more,
      kind: "execute" as const,
      program,
      argv: [program, ...rest],
    })),
  fc.record({ kind: fc.constant("connect" as const), host: fc.constantFrom("example.com", "x.test"), part }),
  fc.record({ kind: fc.constant("unknown" as const), why: fc.constant("no idea"), part }),
  fc.record({
    kind: fc.constant("unknown" as const),
    why: fc.constant("no idea"),
    danger: fc.constant("it is bad"),
    part,
  }),
);
const effects = fc.array(effect, { maxLength: 5 });
const mode = fc.constantFrom(...PERMISSION_MODES);
const behaviour = fc.constantFrom("allow", "ask", "deny");
const rules = fc.array(
  fc.tuple(behaviour, fc.constantFrom(...RULES)).map(([behavior, text]) => `${behavior}:${text}`),
  { maxLength: 4 },
);

const STRICTNESS = ["allow", "ask", "ask!", "deny"];

async function strictness(given: readonly Effect[], options: Parameters<typeof world>[0]): Promise<number> {
  const tool = paperTool({ name: "Bash", effects: () => given });
  return STRICTNESS.indexOf(verdict(await decide(tool, {}, world(options))));
}

/** In explore mode an ask rule puts to a person what would else be denied: the mode's contract. */
function floor(mode: string, list: readonly string[]): number {
  return mode === "explore" && list.some((text) => text.startsWith("ask:")) ? 1 : 3;
}

const RUNS = { numRuns: 1500 };

describe("whatever a call does and whatever rules there are", () => {
  it("a deny rule that fires wins in every mode", async () => {
    await fc.assert(
      fc.asyncProperty(effects, mode, rules, async (given, at, list) => {
        expect(await strictness(given, { mode: at, rules: [...list, "deny:Bash"] })).toBe(3);
      }),
      RUNS,
    );
  });

  it("adding a deny or ask rule never loosens", async () => {
    const tightening = fc.constantFrom(...RULES.flatMap((text) => [`deny:${text}`, `ask:${text}`]));
    await fc.assert(
      fc.asyncProperty(effects, mode, rules, tightening, async (given, at, list, added) => {
        const before = Math.min(
          await strictness(given, { mode: at, rules: list }),
          floor(at, [...list, added]),
        );
        expect(await strictness(given, { mode: at, rules: [...list, added] })).toBeGreaterThanOrEqual(before);
      }),
      RUNS,
    );
  });

  it("adding an allow rule never tightens", async () => {
    const loosening = fc.constantFrom(...RULES.map((text) => `allow:${text}`));
    await fc.assert(
      fc.asyncProperty(effects, mode, rules, loosening, async (given, at, list, added) => {
        const before = await strictness(given, { mode: at, rules: list });
        expect(await strictness(given, { mode: at, rules: [...list, added] })).toBeLessThanOrEqual(before);
      }),
      RUNS,
    );
  });

  it("no allow rule silences a danger", async () => {
    const danger: Effect = { kind: "unknown", why: "no idea", danger: "it is bad", part: 0 };
    const allows = fc.array(fc.constantFrom(...RULES.map((text) => `allow:${text}`)));
    await fc.assert(
      fc.asyncProperty(effects, allows, async (given, list) => {
        expect(await strictness([...given, danger], { rules: list })).toBe(2);
      }),
      RUNS,
    );
  });

  it("a call is judged at least as strictly as any of its parts", async () => {
    await fc.assert(
      fc.asyncProperty(effects, effects, mode, rules, async (first, second, at, list) => {
        const apart = second.map((one) => ({ ...one, part: (one.part ?? 0) + 10 }));
        const options = { mode: at, rules: list };
        const together = await strictness([...first, ...apart], options);
        const strictest = Math.max(await strictness(first, options), await strictness(apart, options));
        expect(together).toBeGreaterThanOrEqual(Math.min(strictest, floor(at, list)));
      }),
      RUNS,
    );
  });

  it("explore mode never lets through what isn't harmless", async () => {
    await fc.assert(
      fc.asyncProperty(effects, rules, async (given, list) => {
        const harmful = given.some(
          (one) => one.kind !== "read" && one.kind !== "list" && one.kind !== "execute",
        );
        fc.pre(harmful);
        expect(await strictness(given, { mode: "explore", rules: list })).toBeGreaterThan(0);
      }),
      RUNS,
    );
  });

  it("the answer is the same where paths take time", async () => {
    await fc.assert(
      fc.asyncProperty(effects, mode, rules, async (given, at, list) => {
        const tool = paperTool({ name: "Bash", effects: () => given });
        const slow = await decide(tool, {}, world({ mode: at, rules: list, waits: true }));
        expect(slow).toEqual(await decide(tool, {}, world({ mode: at, rules: list })));
      }),
      { numRuns: 300 },
    );
  });
});
