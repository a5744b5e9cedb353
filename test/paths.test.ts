import { link, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Backend } from "../src/backend.ts";
import { localBackend } from "../src/backends/local.ts";
import { memoryBackend } from "../src/backends/memory.ts";
import { posixBackend } from "../src/backends/posix.ts";
import { decide } from "../src/permission/engine.ts";
import { mayRead } from "../src/permission/may-read.ts";
import type { PermissionMode } from "../src/rule.ts";
import { loadParser } from "../src/shell/analyse.ts";
import type { PermissionContext, Tool } from "../src/tool.ts";
import { BASH } from "./permission-bash.ts";
import { fileTool, rule, verdict } from "./permission-world.ts";
import { processTransport } from "./process-transport.ts";
import { testFolder } from "./test-folder.ts";

/** A path by which a call may get somewhere, the verdict, the rules that are there, and the mode. */
type Row = [call: string, expected: string, rules?: readonly string[], mode?: PermissionMode];

/** `Read x` and `Edit x` are calls of those tools, everything else is a command. */
async function judge(
  call: string,
  backend: Backend,
  rules: readonly string[],
  mode: PermissionMode,
): Promise<string> {
  const [, name, path] = /^(Read|Edit|Grep) (.*)$/s.exec(call) ?? [];
  const isFile = name === "Read" || name === "Edit" || name === "Grep";
  const tool: Tool = isFile ? fileTool(name) : BASH;
  const context = {
    mode,
    cwd: backend.cwd,
    workingDirectories: [backend.cwd],
    rules: rules.map(rule),
    backend,
  };
  const input = isFile
    ? { path: path?.startsWith("/") ? path : `${backend.cwd}/${path}` }
    : { command: call };
  return verdict(await decide(tool, input, context));
}

beforeAll(() => loadParser());

/** The same files, asked for here one by one and over a transport many at once. */
const OPEN: readonly { readonly name: string; open(folder: string): Backend }[] = [
  {
    name: "a real file system",
    open: (folder) =>
      localBackend({ cwd: join(folder, "project"), home: join(folder, "home"), bwrap: false }),
  },
  {
    name: "a real file system over a transport",
    open(folder) {
      const [cwd, home] = [join(folder, "project"), join(folder, "home")];
      const transport = processTransport({ env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home } });
      return posixBackend({ id: "paths", transport, cwd, home, scratch: join(folder, "scratch") });
    },
  },
];

describe.each(OPEN)("paths on $name", ({ open }) => {
  let backend: Backend;
  let remove: () => Promise<void>;
  let folder = "";

  beforeAll(async () => {
    ({ folder, remove } = await testFolder());
    const files = [
      ...[
        "home/.ssh/id_rsa",
        "home/.bashrc",
        "home/notes",
        "home/deep/er/x",
        "home/deep/plan",
        "home/private/plan",
      ],
      ...["project/src/a.ts", "project/.env", "project/plain", "outside/x"],
    ];
    for (const file of files) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), file);
    }
    const links = {
      "to-ssh": "../home/.ssh",
      key: "../home/.ssh/id_rsa",
      chain: "key",
      env: ".env",
      er: "../home/deep/er",
      loop: "loop",
      dangling: "../home/.ssh/new",
      out: "../outside",
      here: ".",
    };
    for (const [name, target] of Object.entries(links)) await symlink(target, join(folder, "project", name));
    await link(join(folder, "home/.ssh/id_rsa"), join(folder, "project/hard"));
    await link(join(folder, "home/.bashrc"), join(folder, "project/rc"));
    await link(join(folder, "home/private/plan"), join(folder, "project/hard-plan"));
    await link(join(folder, "project/plain"), join(folder, "project/plain2"));
    backend = open(folder);
  });
  afterAll(async () => {
    await backend[Symbol.asyncDispose]();
    await remove();
  });

  const check = async (
    call: string,
    expected: string,
    rules: readonly string[] = [],
    mode: PermissionMode = "default",
  ): Promise<void> => {
    const spelled = call.replaceAll("$HOME", join(folder, "home"));
    expect(await judge(spelled, backend, rules, mode)).toBe(expected);
  };

  const links: readonly Row[] = [
    ["cat src/a.ts", "allow"],
    ["cat to-ssh/id_rsa", "ask"],
    ["cat key", "ask"],
    ["cat chain", "ask"],
    ["cat env", "ask"],
    ["cat here/here/.env", "ask"],
    ["cat here/src/a.ts", "allow"],
    ["Read key", "ask"],
    ["Read here/.env", "ask"],
    ["Grep to-ssh", "ask"],
    ["cat key", "deny", ["deny:Read(~/.ssh/**)"]],
    ["cat chain", "deny", ["deny:Read(~/.ssh/id_rsa)"]],
    ["cat chain", "deny", ["deny:Read(chain)"]],
    ["grep -r x to-ssh", "deny", ["deny:Read(~/.ssh/**)"]],
    ["cat < key", "deny", ["deny:Read(~/.ssh/**)"]],
    ["cd to-ssh && cat id_rsa", "ask"],
    ["cd to-ssh; cat ./id_rsa", "deny", ["deny:Read(~/.ssh/**)"]],
    ["echo x > dangling", "ask!", [], "acceptEdits"],
    ["Edit dangling", "ask!", [], "acceptEdits"],
    ["echo x > src/b.ts", "allow", [], "acceptEdits"],
    ["echo x > out/b", "ask", [], "acceptEdits"],
    ["Edit out/b", "ask", [], "acceptEdits"],
    ["Edit out/deeper/b", "ask", [], "acceptEdits"],
    ["Edit out/b", "ask", ["allow:Edit(out/**)"]],
    ["Edit src/a.ts", "allow", ["allow:Edit(src/**)"]],
    ["mkdir -p out/b/c", "ask", [], "acceptEdits"],
    ["rm out", "allow", [], "acceptEdits"],
    ["rm -rf out/x", "ask!", [], "acceptEdits"],
    ["rm -rf out/*", "ask!", [], "acceptEdits"],
    ["rm -rf src", "allow", [], "acceptEdits"],
    ["rm -rf here", "allow", [], "acceptEdits"],
    ["cat loop", "allow"],
    ["echo x > loop", "ask", [], "acceptEdits"],
  ];
  it.each(links)("links: %s → %s %j %s", check);

  const spellings: readonly Row[] = [
    ["cat src/../.env", "ask"],
    ["cat src/./../.env", "ask"],
    ["cat .//.env", "ask"],
    ["cat ./src//..//.env", "ask"],
    ["cat missing/../.env", "ask"],
    ["cat er/../plan", "deny", ["deny:Read(~/deep/**)"]],
    ["cat er/../../.ssh/id_rsa", "ask"],
    ["Read er/../plan", "deny", ["deny:Read(~/deep/plan)"]],
    ["echo x > er/../plan", "ask", [], "acceptEdits"],
    ["cat ../project/.env", "ask"],
    ["cat ../home/.ssh/id_rsa", "ask"],
    ["echo x > ../project/src/b.ts", "allow", [], "acceptEdits"],
    ["echo x > src/../../outside/b", "ask", [], "acceptEdits"],
    ["cat /proc/self/root$HOME/.ssh/id_rsa", "ask"],
    ["cat /proc/self/root$HOME/notes", "deny", ["deny:Read(~/notes)"]],
    ["cat /proc/self/root/proc/self/root$HOME/notes", "deny", ["deny:Read(~/notes)"]],
    ["cat /proc/thread-self/root$HOME/notes", "deny", ["deny:Read(~/notes)"]],
    ["cat /proc/1/root$HOME/notes", "deny", ["deny:Read(~/notes)"]],
    ["cat /proc/self/task/1/root$HOME/notes", "deny", ["deny:Read(~/notes)"]],
    ["cat /proc/self/cwd/.env", "ask"],
    ["cat /proc/self/cwd/src/a.ts", "deny", ["deny:Read(src/**)"]],
    ["cat /proc/self/cwd/../home/notes", "deny", ["deny:Read(~/notes)"]],
    ["cat /proc/self/cwd/er/../plan", "deny", ["deny:Read(~/deep/**)"]],
    ["cat /proc//self/./cwd/.env", "ask"],
    ["cat /proc/../proc/self/cwd/src/a.ts", "deny", ["deny:Read(src/**)"]],
    ["cat /proc/self/cwd/er/x", "deny", ["deny:Read(~/deep/**)"]],
    ["echo x > /proc/self/cwd/src/b.ts", "allow", [], "acceptEdits"],
    ["echo x > /proc/self/cwd/out/b", "ask", [], "acceptEdits"],
    ["cat /proc/self/environ", "ask"],
    // Where only the middle isn't known.
    ["cat /proc/$$/environ", "ask"],
    ["tr '\\0' '\\n' < /proc/$pid/environ", "ask"],
    ["for p in /proc/[0-9]*; do cat $p/environ; done", "ask"],
    ['cat "$DIR"/.env', "ask"],
    ["cat $(git rev-parse --show-toplevel)/.ssh/id_rsa", "ask"],
    ["cat /proc/$$/status; cat $x/a.ts", "allow"],
    ["cat /dev/fd/../root$HOME/notes", "deny", ["deny:Read(~/notes)"]],
    ["cat /dev/fd/3 3< .env", "ask"],
    ["cat /dev/stdin < .env", "ask"],
    ["cat /dev/fd/0 < src/a.ts", "allow"],
    ["cat '.env'", "ask"],
    ["cat .e''nv", "ask"],
    ["cat .e\\nv", "ask"],
    ["cat .{env,x}", "ask"],
    ["cat .e?v", "ask"],
    ["cat .[e]nv", "ask"],
    ["cat $'\\x2eenv'", "ask"],
    ["cat ~/.ssh/id_rsa", "ask"],
    ["cat ~/.ssh/../.ssh/./id_rsa", "ask"],
  ];
  it.each(spellings)("spellings: %s → %s %j %s", check);

  const hardLinks: readonly Row[] = [
    ["cat hard", "ask"],
    ["head -1 < hard", "ask"],
    ["Read hard", "ask"],
    ["cat hard", "deny", ["deny:Read(~/.ssh/**)"]],
    ["cat hard", "ask", ["allow:Read(hard)"]],
    ["cat hard", "allow", ["allow:Bash(cat hard)"]],
    ["echo x >> rc", "ask!", [], "acceptEdits"],
    ["Edit rc", "ask!", ["allow:Edit(rc)"]],
    ["cat rc", "allow"],
    ["rm rc", "allow", [], "acceptEdits"],
    ["cat hard-plan", "allow"],
    ["cat hard-plan", "deny", ["deny:Read(~/private/plan)"]],
    ["cat hard-plan", "deny", ["deny:Read(~/private/**)"]],
    ["Edit hard-plan", "deny", ["deny:Edit(~/private/**)"], "acceptEdits"],
    ["cat plain2", "allow"],
    ["echo x >> plain2", "allow", [], "acceptEdits"],
  ];
  const deep: Row[] = [
    ["grep -r x src", "allow", ["deny:Read(.env)"]],
    ["grep -r x .", "deny", ["deny:Read(.env)"]],
    ["grep -r x .", "deny", ["deny:Read(.env*)"]],
    ["grep -r x .", "allow", ["deny:Read(.env.local)"]],
    ["grep -r x .", "deny", ["deny:Read(*.ts)"]],
    ["grep -r x src", "ask", ["ask:Read(a.ts)"]],
    ["grep -r x missing", "allow", ["deny:Read(.env)"]],
    ["grep -r x src/a.ts", "allow", ["deny:Read(.env)"]],
    ["grep -r x .env", "deny", ["deny:Read(.env)"]],
    ["grep -r x ../home", "deny", ["deny:Read(id_rsa)"]],
    ["tar -cf - . | wc -c", "deny", ["deny:Read(.env)"]],
    ["Grep src", "allow", ["deny:Read(.env)"]],
    ["grep -r x src", "deny", ["deny:Read(./src/never.ts)"]],
  ];
  it.each(deep)("what a directory holds: %s → %s %j", check);

  it.each(hardLinks)("other names of one file: %s → %s %j %s", check);

  it("what may be shown unasked of many files at once", async () => {
    const hidden = ["key", "chain", "env", ".env", "hard", "loop", "here/.env", "hard-plan", "out/x"];
    const shown = ["src/a.ts", "plain", "plain2", "rc", "here/src/a.ts"];
    const context: PermissionContext = {
      mode: "default",
      cwd: backend.cwd,
      workingDirectories: [backend.cwd],
      rules: ["deny:Read(~/private/**)", "ask:Read(../outside/**)"].map(rule),
      backend,
    };
    const paths = [...hidden, ...shown].map((path) => join(backend.cwd, path));
    const answers = await mayRead("Grep", paths, context);
    expect(paths.filter((_path, index) => answers[index] === true)).toEqual(
      shown.map((path) => join(backend.cwd, path)),
    );
  });
});

describe("names where case and Unicode forms don't count", () => {
  const files = { "/w/p/a": "", "/w/p/Secrets/a": "", "/h/u/.ssh/id_rsa": "", "/w/p/caf\u00e9/a": "" };
  const open = (foldsCase: boolean): Backend =>
    memoryBackend({ cwd: "/w/p", home: "/h/u", files, foldsCase });
  type Pair = [call: string, folded: string, exact: string, rules?: readonly string[]];
  const folding: readonly Pair[] = [
    ["cat .ENV", "ask", "ask"],
    ["cat /H/U/.SSH/ID_RSA", "ask", "ask"],
    ["cat secrets/a", "deny", "allow", ["deny:Read(./Secrets/**)"]],
    ["cat SECRETS/A", "deny", "allow", ["deny:Read(./secrets/a)"]],
    ["Read SECRETS/a", "deny", "allow", ["deny:Read(Secrets/*)"]],
    ["cat cafe\u0301/a", "deny", "deny", ["deny:Read(./caf\u00e9/**)"]],
    ["cat caf\u00e9/a", "deny", "deny", ["deny:Read(./cafe\u0301/**)"]],
    ["cat CAFE\u0301/a", "deny", "allow", ["deny:Read(./caf\u00e9/**)"]],
    ["Edit SRC/a", "allow", "ask", ["allow:Edit(src/**)"]],
    ["cat .env.", "ask", "ask"],
    ["cat '.env '", "allow", "allow"],
  ];
  it.each(folding)("%s → %s folded, %s exactly %j", async (call, folded, exact, rules = []) => {
    expect([
      await judge(call, open(true), rules, "default"),
      await judge(call, open(false), rules, "default"),
    ]).toEqual([folded, exact]);
  });
});

describe("Windows' spellings of one path", () => {
  const files = { "C:\\Users\\Ann\\.ssh\\id_rsa": "", "C:\\P\\src\\a.ts": "", "C:\\P\\.env": "" };
  const backend = memoryBackend({ flavour: "win32", cwd: "C:\\P", home: "C:\\Users\\Ann", files });
  const rows: Row[] = [
    ["C:\\Users\\Ann\\.ssh\\id_rsa", "ask"],
    ["c:/users/ann/.SSH/ID_RSA", "ask"],
    ["C:\\P\\..\\Users\\Ann\\.ssh\\id_rsa", "ask"],
    ["\\\\?\\C:\\Users\\Ann\\.ssh\\id_rsa", "ask"],
    ["\\\\.\\C:\\Users\\Ann\\.ssh\\id_rsa", "ask"],
    ["C:\\P\\.env", "ask"],
    ["C:\\P\\.env.", "ask"],
    ["C:\\P\\.env ", "ask"],
    ["C:\\P\\.env::$DATA", "ask"],
    ["C:\\P\\.ENV", "ask"],
    ["C:\\P\\src\\a.ts", "allow"],
    ["C:\\P\\src\\a.ts", "deny", ["deny:Read(src/**)"]],
    ["C:\\P\\SRC\\A.TS", "deny", ["deny:Read(src/**)"]],
    ["C:\\P\\src.\\a.ts", "deny", ["deny:Read(src/**)"]],
    ["C:/P/src/a.ts", "deny", ["deny:Read(C:/P/src/**)"]],
    ["C:\\P\\src\\a.ts", "deny", ["deny:Read(c:\\p\\src\\**)"]],
    ["C:\\P\\src\\a.ts", "deny", ["deny:Read(.\\src\\*)"]],
    ["C:\\Users\\Ann\\notes", "deny", ["deny:Read(~/**)"]],
  ];
  it.each(rows)("Read %s → %s %j", async (path, expected, rules = []) => {
    const context = { mode: "default", cwd: "C:\\P", workingDirectories: ["C:\\P"], backend } as const;
    const decision = await decide(fileTool("Read"), { path }, { ...context, rules: rules.map(rule) });
    expect(verdict(decision)).toBe(expected);
  });

  const edits: Row[] = [
    ["C:\\P\\src\\b.ts", "allow"],
    ["c:/p/SRC/b.ts", "allow"],
    ["C:\\P\\..\\Q\\b.ts", "ask"],
    ["D:\\P\\b.ts", "ask"],
    ["C:\\P\\.git\\config", "ask!"],
    ["C:\\P\\.GIT.\\config", "ask!"],
    ["\\\\server\\share\\b.ts", "ask"],
    ["C:\\P2\\b.ts", "ask"],
  ];
  it.each(edits)("in acceptEdits mode, Edit %s → %s", async (path, expected) => {
    const context = { mode: "acceptEdits", cwd: "C:\\P", workingDirectories: ["C:\\P"], backend } as const;
    expect(verdict(await decide(fileTool("Edit"), { path }, { ...context, rules: [] }))).toBe(expected);
  });
});
