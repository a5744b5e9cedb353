import { describe, expect, it } from "vitest";
import { now, verdict, type WorldOptions, world } from "../../test/permission-world.ts";
import type { Effect } from "../effect.ts";
import { judgeEffects } from "./judge.ts";
import { mayRead } from "./may-read.ts";

/** `read`, `write` and `delete` of one path, in letters: `allow`, `ask`, `ask!`, `-` for no opinion. */
function judge(effect: Effect, options: WorldOptions = {}): string {
  const decision = now(judgeEffects([effect], world(options)));
  return decision.behavior === "passthrough" ? "-" : verdict(decision);
}

describe("protected names and secrets", () => {
  const rows: readonly (readonly [path: string, read: string, write: string])[] = [
    // Secrets: reading asks, changing asks whatever rules say.
    [".env", "ask", "ask!"],
    ["deep/down/.env", "ask", "ask!"],
    [".ENV", "ask", "ask!"],
    [".env.production", "ask", "ask!"],
    [".env.local", "ask", "ask!"],
    ["~/.ssh/id_rsa", "ask", "ask!"],
    ["~/.ssh/work", "ask", "ask!"],
    ["~/.aws/credentials", "ask", "ask!"],
    ["~/.kube/config", "ask", "ask!"],
    ["~/.docker/config.json", "ask", "ask!"],
    ["~/.config/gcloud/credentials.db", "ask", "ask!"],
    ["~/.config/gh/hosts.yml", "ask", "ask!"],
    ["~/.netrc", "ask", "ask!"],
    ["~/.npmrc", "ask", "ask!"],
    ["~/.pypirc", "ask", "ask!"],
    ["~/.git-credentials", "ask", "ask!"],
    ["~/.bash_history", "ask", "ask!"],
    ["~/Library/Keychains/login.keychain-db", "ask", "ask!"],
    ["certs/server.key", "ask", "ask!"],
    ["certs/privkey.pem", "ask", "ask!"],
    ["/etc/shadow", "ask", "ask!"],
    ["/etc/sudoers.d/ann", "ask", "ask!"],
    ["/proc/1/environ", "ask", "ask!"],
    ["/run/secrets/token", "ask", "ask!"],
    // Protected: reading is fine.
    ["~/.bashrc", "allow", "ask!"],
    ["~/.BASHRC", "allow", "ask!"],
    ["~/.zshenv", "allow", "ask!"],
    ["~/.gitconfig", "allow", "ask!"],
    ["~/.ssh/config", "allow", "ask!"],
    ["~/.ssh/known_hosts", "allow", "ask!"],
    ["~/.ssh/id_rsa.pub", "allow", "ask!"],
    ["~/.aws/config", "allow", "ask!"],
    [".git/config", "allow", "ask!"],
    [".GIT/config", "allow", "ask!"],
    [".git/hooks/pre-commit", "allow", "ask!"],
    [".github/workflows/ci.yml", "allow", "ask!"],
    [".gitlab-ci.yml", "allow", "ask!"],
    [".husky/pre-commit", "allow", "ask!"],
    [".vscode/tasks.json", "allow", "ask!"],
    [".idea/workspace.xml", "allow", "ask!"],
    [".claude/settings.json", "allow", "ask!"],
    [".cursor/mcp.json", "allow", "ask!"],
    [".mcp.json", "allow", "ask!"],
    [".skills_config.json", "allow", "ask!"],
    [".hg/hgrc", "allow", "ask!"],
    [".svn/entries", "allow", "ask!"],
    [".mvn/jvm.config", "allow", "ask!"],
    [".cargo/config.toml", "allow", "ask!"],
    [".cargo/notes", "allow", "-"],
    [".gdbinit", "allow", "ask!"],
    ["mise.toml", "allow", "ask!"],
    [".toolgate/settings.json", "allow", "ask!"],
    ["data/audit_logs/today.jsonl", "allow", "ask!"],
    [".envrc", "allow", "ask!"],
    ["/etc/hosts", "allow", "ask!"],
    ["/etc/cron.d/x", "allow", "ask!"],
    ["/var/spool/cron/ann", "allow", "ask!"],
    ["/usr/bin/ls", "allow", "ask!"],
    ["/home/bob/authorized_keys", "allow", "ask!"],
    // Neighbours that are neither.
    [".env.example", "allow", "-"],
    [".env.local.example", "allow", "-"],
    [".env.sample", "allow", "-"],
    ["environment.ts", "allow", "-"],
    ["src/env.ts", "allow", "-"],
    ["src/git/config.ts", "allow", "-"],
    [".gitignore", "allow", "-"],
    [".github/README.md", "allow", "-"],
    [".claude/worktrees/a/b.ts", "allow", "-"],
    ["certs/server.pem", "allow", "-"],
    ["keys.ts", "allow", "-"],
    ["monkey.ts", "allow", "-"],
    ["/elsewhere/a", "allow", "-"],
  ];
  it.each(rows)("%s: read %s, write %s", (text, read, write) => {
    const path = text.startsWith("~/")
      ? `/home/ann/${text.slice(2)}`
      : text.startsWith("/")
        ? text
        : `/work/project/${text}`;
    expect([judge({ kind: "read", path }), judge({ kind: "write", path })]).toEqual([read, write]);
  });

  it("counts directory names from the project, which may live under such a name itself", () => {
    const home = "/home/ann";
    const project = "/home/ann/.vscode/extensions/mine";
    const options = { home, cwd: project, workingDirectories: [project] };
    expect([
      judge({ kind: "write", path: `${project}/a.ts` }, options),
      judge({ kind: "write", path: `${project}/.vscode/a.json` }, options),
      judge({ kind: "write", path: "/home/ann/.vscode/settings.json" }, options),
    ]).toEqual(["-", "ask!", "ask!"]);
  });

  it("sees through links, to the secret and away from it", () => {
    const links = { "/work/project/notes": "/home/ann/.ssh", "/work/project/a": "/home/ann/.bashrc" };
    expect([
      judge({ kind: "read", path: "/work/project/notes/id_rsa" }, { links }),
      judge({ kind: "read", path: "/work/project/src/../notes/id_rsa" }, { links }),
      judge({ kind: "write", path: "/work/project/a" }, { links }),
      judge({ kind: "delete", path: "/work/project/a" }, { links }),
    ]).toEqual(["ask", "ask", "ask!", "-"]);
  });

  it("goes through a link before it takes a `..`, as the kernel does", () => {
    const links = { "/work/project/link": "/home/ann/.ssh/keys" };
    const path = "/work/project/link/../id";
    expect(judge({ kind: "read", path }, { links })).toBe("ask");
  });

  it("takes names that a context adds", () => {
    const options = {
      additionalDangerousFiles: [".secrets", "conf/prod.json"],
      additionalDangerousDirectories: ["vault"],
    };
    const paths = ["a/.secrets", "conf/prod.json", "a/prod.json", "vault/x", "vaults/x"];
    expect(paths.map((path) => judge({ kind: "write", path: `/work/project/${path}` }, options))).toEqual([
      "ask!",
      "ask!",
      "-",
      "ask!",
      "-",
    ]);
  });

  it.each([
    ["/work/project/*", "allow"],
    ["/work/project/*.ts", "allow"],
    ["/work/project/*.json", "allow"],
    ["/work/project/.e*", "ask"],
    ["/work/project/.*", "ask"],
    ["/work/project/certs/*.key", "ask"],
    ["/home/ann/.s*/config", "ask"],
  ])("a pattern %s → %s", (path, expected) => {
    expect(judge({ kind: "read", path, pattern: true })).toBe(expected);
  });

  it.each([
    ["/", "ask"],
    ["/home", "ask"],
    ["/home/ann", "ask"],
    ["/home/ann/src", "allow"],
    ["/work/project", "allow"],
    ["/usr/lib", "allow"],
  ])("reading everything below %s → %s", (path, expected) => {
    expect(judge({ kind: "read", path, recursive: true })).toBe(expected);
  });

  it("leaves the keys below to a tool that filters by itself", () => {
    const effect = { kind: "read", path: "/home/ann", recursive: true, filtered: true } as const;
    expect([judge(effect), judge({ ...effect, path: "/home/ann/.ssh" })]).toEqual(["allow", "ask"]);
  });

  it("says of single files whether they may be shown unasked", () => {
    const context = world({
      rules: ["deny:Read(./private/**)", "ask:Grep(drafts/**)", "allow:Read(.env.local)"],
    });
    const shown = (tool: string, ...paths: readonly string[]): readonly boolean[] =>
      now(
        mayRead(
          tool,
          paths.map((path) => `/work/project/${path}`),
          context,
        ),
      );
    const paths = ["a.ts", "private/a.ts", "drafts/a", ".env", ".env.local"];
    expect(shown("Grep", ...paths)).toEqual([true, false, false, false, true]);
    expect(shown("Read", "drafts/a")).toEqual([true]);
    expect(shown("Grep")).toEqual([]);
  });

  it("compares names without regard to case and Unicode form where the file system does", () => {
    const options = { foldsCase: true, home: "/Users/Ann", cwd: "/Work/P", workingDirectories: ["/Work/P"] };
    expect([
      judge({ kind: "write", path: "/work/p/A.ts" }, { ...options, mode: "acceptEdits" }),
      judge({ kind: "write", path: "/work/p/A.ts" }, { ...options, mode: "acceptEdits", foldsCase: false }),
    ]).toEqual(["allow", "-"]);
  });

  it.each([
    "C:\\Users\\Ann\\.ssh\\id_rsa",
    "c:/users/ann/.SSH/id_rsa.",
    "\\\\?\\C:\\Users\\Ann\\.ssh\\id_rsa::$DATA",
  ])("reads Windows' spellings of a path: %s", (path) => {
    const options: WorldOptions = {
      flavour: "win32",
      home: "C:\\Users\\Ann",
      cwd: "C:\\P",
      workingDirectories: ["C:\\P"],
    };
    expect(judge({ kind: "read", path }, options)).toBe("ask");
  });
});

describe("removals", () => {
  const rows: readonly (readonly [
    path: string,
    flags: Partial<Effect & { kind: "delete" }>,
    verdict: string,
  ])[] = [
    ["/", { recursive: true }, "ask!"],
    ["/*", { recursive: true, pattern: true }, "ask!"],
    ["/usr", { recursive: true }, "ask!"],
    ["/opt", {}, "ask!"],
    ["/home/ann", { recursive: true }, "ask!"],
    ["/home/ann/*", { recursive: true, pattern: true }, "ask!"],
    ["/home", { recursive: true }, "ask!"],
    ["/work", { recursive: true }, "ask!"],
    ["/work/project", { recursive: true }, "ask!"],
    ["/work/project/.", { recursive: true }, "ask!"],
    ["/work/project/*", { pattern: true }, "ask!"],
    ["/work/project/.*", { pattern: true, recursive: true }, "ask!"],
    ["/work/project/**", { pattern: true, recursive: true }, "-"],
    ["/home/ann/**", { pattern: true, recursive: true }, "ask!"],
    ["/elsewhere/a", { recursive: true }, "ask!"],
    ["/elsewhere/a", { forced: true }, "ask!"],
    ["/elsewhere/a", {}, "-"],
    ["/work/project/build", { recursive: true, forced: true }, "-"],
    ["/work/project/*.log", { pattern: true }, "-"],
    ["/work/project/.git", { recursive: true }, "ask!"],
    ["/work/project/src/../..", { recursive: true }, "ask!"],
  ];
  it.each(rows)("%s %j → %s", (path, flags, expected) => {
    expect(judge({ ...flags, kind: "delete", path })).toBe(expected);
  });

  it("asks when what is removed isn't known, or is removed with more rights", () => {
    const runs = { kind: "execute", program: "rm", opaque: false, part: 0 } as const;
    const unknown = [{ ...runs, argv: ["rm", null] }];
    const raised: readonly Effect[] = [
      { ...runs, argv: ["rm", "a"], wrappers: ["sudo"] },
      { kind: "delete", path: "/work/project/a", part: 0 },
    ];
    expect([unknown, raised].map((effects) => verdict(now(judgeEffects(effects, world()))))).toEqual([
      "ask!",
      "ask!",
    ]);
  });
});

describe("plain edits in acceptEdits mode", () => {
  const by = (program: string, wrappers: readonly string[] = [], opaque = false): Effect => ({
    kind: "execute",
    program,
    argv: [program],
    opaque,
    part: 0,
    ...(wrappers.length === 0 ? {} : { wrappers }),
  });
  const write = (path: string): Effect & { kind: "write" } => ({ kind: "write", path, part: 0 });
  const rows: readonly (readonly [what: string, effects: readonly Effect[], verdict: string])[] = [
    ["a file tool", [{ kind: "write", path: "/work/project/a" }], "allow"],
    ["touch", [by("touch"), write("/work/project/a")], "allow"],
    ["timeout touch", [by("touch", ["timeout"]), write("/work/project/a")], "allow"],
    ["sudo touch", [by("touch", ["sudo"]), write("/work/project/a")], "-"],
    ["touch outside", [by("touch"), write("/elsewhere/a")], "-"],
    ["cp to inside and outside", [by("cp"), write("/work/project/a"), write("/elsewhere/a")], "-"],
    ["a redirect of a reader", [by("cat"), { ...write("/work/project/a"), redirect: true }], "allow"],
    ["a redirect of anything", [by("make", [], true), { ...write("/work/project/a"), redirect: true }], "-"],
    ["to nowhere", [by("cat"), { ...write("/dev/null"), redirect: true }], "allow"],
    ["another program's write", [by("tar"), write("/work/project/a")], "-"],
    ["a neighbour with a longer name", [by("touch"), write("/work/project2/a")], "-"],
    ["a protected name", [by("touch"), write("/work/project/.bashrc")], "ask!"],
    [
      "rm -rf inside",
      [by("rm"), { kind: "delete", path: "/work/project/b", recursive: true, part: 0 }],
      "allow",
    ],
    ["through a link out", [by("touch"), write("/work/project/out/a")], "-"],
    ["through a link in", [by("touch"), write("/elsewhere/in/a")], "-"],
    ["a pattern", [by("touch"), { ...write("/work/project/*.ts"), pattern: true }], "allow"],
    ["a pattern on the way", [by("touch"), { ...write("/work/project/*/a"), pattern: true }], "-"],
    ["a connection as well", [by("touch"), write("/work/project/a"), { kind: "connect", part: 0 }], "-"],
  ];
  const links = { "/work/project/out": "/elsewhere", "/elsewhere/in": "/work/project" };
  it.each(rows)("%s → %s", (_, effects, expected) => {
    const decision = now(judgeEffects(effects, world({ mode: "acceptEdits", links })));
    expect(decision.behavior === "passthrough" ? "-" : verdict(decision)).toBe(expected);
  });
});
