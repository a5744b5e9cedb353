import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Backend } from "../src/backend.ts";
import { bubblewrapBackend } from "../src/backends/bubblewrap.ts";
import { localBackend } from "../src/backends/local.ts";
import type { RuleInput } from "../src/toolkit/options.ts";
import { Toolkit } from "../src/toolkit/toolkit.ts";
import { Bash } from "../src/tools/bash.ts";
import { type LinkedWorld, linkedWorld } from "./linked-world.ts";
import { has } from "./require.ts";

/** A home with keys and a project with an environment file beside a tracked one. */
function homely(): Promise<LinkedWorld> {
  return linkedWorld([
    "secret/plan.txt",
    ".ssh/id_rsa",
    ".ssh/config",
    ".aws/credentials",
    ".config/gh/hosts.yml",
    ".netrc",
    "project/a.txt",
    "project/.env",
    "project/.env.example",
    "project/sub/.env.local",
    "project/sub/b.txt",
    "project/node_modules/x/.env",
    "project/locked/c.txt",
  ]);
}

interface Setting {
  readonly rules?: readonly RuleInput[];
  readonly backend?: Backend;
  readonly confine?: "auto" | "require" | "off";
}

async function run(world: LinkedWorld, command: string, setting: Setting = {}): Promise<string> {
  const { rules = [], confine = "require" } = setting;
  const backend = setting.backend ?? world.backend;
  const toolkit = new Toolkit({
    tools: [new Bash()],
    backend,
    cwd: world.project,
    rules: [...rules],
    confine,
  });
  const { text, state } = await toolkit.execute("Bash", { command });
  return state === "success" ? text : `${state}: ${text}`;
}

/** Which of these files a command that names none of them got to see. */
function seen(text: string): readonly string[] {
  return [...text.matchAll(/content of (\S+)/g)].map(([, name]) => name ?? "").toSorted();
}

describe.skipIf(!has("bwrap"))("what only reads can't read what it wasn't asked about", () => {
  it("leaves out secrets that a search in depth comes to, and says so", async () => {
    await using world = await homely();
    const text = await run(world, "grep -rh content . | sort");
    expect(seen(text)).toEqual([
      "project/.env.example",
      "project/a.txt",
      "project/locked/c.txt",
      "project/node_modules/x/.env",
      "project/sub/b.txt",
    ]);
    expect(text).toMatch(
      /\n\n\[Left out, as secrets or by rules: \.env, sub\/\.env\.local\. A command that names one of them is asked about\.\]$/,
    );
  });

  it("says nothing where nothing was left out", async () => {
    await using world = await homely();
    expect(await run(world, "grep -rh content locked")).toBe("content of project/locked/c.txt");
  });

  it.each([
    // A name that isn't known, another that was known and isn't any more.
    ['x=$(echo ../.ssh/id_rsa); cat "$x"', []],
    ['x=$(echo ../.aws/credentials); cat "$x"', []],
    ['x=$(echo ../.config/gh/hosts.yml); cat "$x"', []],
    ['x=$(echo ../.netrc); cat "$x"', []],
    ['x=$(echo .env); cat "$x"', []],
    ['x=$(echo ../.ssh/config); cat "$x"', [".ssh/config"]],
    ['x=$(echo a.txt); cat "$x"', ["project/a.txt"]],
    ["find . -name '*.txt' | xargs cat", ["project/a.txt", "project/locked/c.txt", "project/sub/b.txt"]],
    ["printf '%s\\n' ../.ssh/id_rsa a.txt | xargs cat", ["project/a.txt"]],
  ])("%s", async (command, expected) => {
    await using world = await homely();
    expect(seen(await run(world, command))).toEqual(expected);
  });

  it("holds for a link that was put there after the verdict", async () => {
    await using world = await homely();
    const rules: readonly RuleInput[] = ["deny:Read(~/secret/**)"];
    // The file is what it is called while it is judged; by the time it is read it is a link.
    const backend: Backend = Object.create(world.backend, {
      exec: {
        value: async (...given: Parameters<Backend["exec"]>) => {
          await world.link("project/swapped", "secret");
          return world.backend.exec(...given);
        },
      },
    });
    expect(await run(world, "grep -R plan . ; ls swapped/", { rules, backend })).not.toContain("content of");
  });

  it("holds for what rules keep, and for what they open", async () => {
    await using world = await homely();
    const through = 'x=$(echo ../secret/plan.txt); cat "$x"';
    // Where a rule speaks about it, a name that isn't known is asked about; where another keeps a name, it is hidden.
    expect(await run(world, through)).toBe("content of secret/plan.txt");
    const answered = await run(world, "grep -rh content .", { rules: ["allow:Read(.env)"] });
    expect(seen(answered)).toContain("project/.env");
    expect(seen(answered)).not.toContain("project/sub/.env.local");
  });

  it("leaves a work tree as it is where git looks at it", async () => {
    await using world = await homely();
    const text = await run(world, "git status --short 2>/dev/null; grep -rh content sub");
    expect(seen(text)).toEqual(["project/sub/.env.local", "project/sub/b.txt"]);
  });

  it("hides nothing from what names all that it reads", async () => {
    await using world = await homely();
    expect(await run(world, "ls -l ../.ssh/id_rsa | cut -c1")).toBe("-");
    expect(await run(world, "wc -c < .env.example")).toBe("32");
  });

  it("is no more than a verdict where nothing can be confined", async () => {
    await using world = await homely();
    await using free = localBackend({ cwd: world.project, home: world.home, bwrap: false });
    const text = await run(world, "grep -rh content sub", { backend: free, confine: "auto" });
    expect(seen(text)).toContain("project/sub/.env.local");
  });

  it("holds in a sandbox too", async () => {
    await using world = await homely();
    await using backend = await bubblewrapBackend({ workspace: world.project });
    const toolkit = new Toolkit({ tools: [new Bash()], backend, confine: "require" });
    const { text } = await toolkit.execute("Bash", { command: "grep -rh content . | sort" });
    expect(seen(text)).toContain("project/a.txt");
    expect(seen(text)).not.toContain("project/sub/.env.local");
    expect(text).toContain("[Left out, as secrets or by rules: .env, sub/.env.local.");
    const dynamic = await toolkit.execute("Bash", { command: 'x=$(echo .env); cat "$x" a.txt' });
    expect(seen(dynamic.text)).toEqual(["project/a.txt"]);
    expect((await toolkit.execute("Bash", { command: "ls -d .env" })).text).toBe(".env");
  });

  it("goes on where what was to be hidden is gone, or is no file", async () => {
    await using world = await homely();
    await using backend = localBackend({ cwd: world.project, home: world.home });
    await mkdir(join(world.home, "kept"));
    await writeFile(join(world.home, "kept/x"), "x");
    const bytes: Buffer[] = [];
    const hide = [join(world.home, "gone"), join(world.home, "gone/x"), join(world.home, "kept"), "/dev/tty"];
    const { exitCode, confined } = await backend.exec(["/bin/ls", join(world.home, "kept")], {
      cwd: world.project,
      confine: { write: "none", network: false, hide },
      onOutput: (piece) => void bytes.push(Buffer.from(piece)),
    });
    expect([exitCode, confined, Buffer.concat(bytes).toString()]).toEqual([0, { enforced: true }, ""]);
  });
});
