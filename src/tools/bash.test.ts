import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type CommandWorld, commandWorld, isRunning } from "../../test/command-world.ts";
import { has } from "../../test/require.ts";
import { Bash } from "./bash.ts";

interface Row {
  readonly title: string;
  readonly command: string;
  readonly text: string;
  readonly state?: "success" | "error";
  readonly exitCode?: number;
}

const rows: readonly Row[] = [
  { title: "a plain program", command: "echo hi", text: "hi" },
  { title: "silence is said", command: "true", text: "(no output)" },
  { title: "both streams in the order they came", command: "echo a; echo b >&2; echo c", text: "a\nb\nc" },
  { title: "a failing plain program", command: "false", text: "[Exit code 1.]", state: "error", exitCode: 1 },
  {
    title: "an exit code comes after the output",
    command: "echo before; exit 3",
    text: "before\n[Exit code 3.]",
    state: "error",
    exitCode: 3,
  },
  {
    title: "a missing program",
    command: "no-such-program-here",
    text: "bash: line 1: no-such-program-here: command not found\n[Exit code 127: command not found.]",
    state: "error",
    exitCode: 127,
  },
  {
    title: "a syntax error names the command's own line",
    command: "echo one\necho )",
    text: "one\nbash: eval: line 2: syntax error near unexpected token `)'\nbash: eval: line 2: `echo )'\n[Exit code 2.]",
    state: "error",
    exitCode: 2,
  },
  { title: "line numbers start at 1", command: "echo $LINENO\necho $LINENO", text: "1\n2" },
  { title: "a command sees no arguments", command: 'echo "$0:$#:$*"', text: "bash:0:" },
  {
    title: "a program ended by a signal",
    command: "exit 137",
    text: "[Exit code 137: a program was ended by SIGKILL.]",
    state: "error",
    exitCode: 137,
  },
  { title: "standard input is at its end", command: "cat; read x; echo $?", text: "1" },
  { title: "a search without files doesn't wait for input", command: "grep -c x || true", text: "0" },
  {
    title: "set -e ends it at the failure",
    command: "set -e; false; echo no",
    text: "[Exit code 1.]",
    state: "error",
  },
  {
    title: "set -x shows the command and nothing of ours",
    command: "set -x; echo hi",
    text: "++ echo hi\nhi",
  },
  { title: "set -u works", command: "set -u; x=set; echo $x", text: "set" },
  { title: "an EXIT trap of its own runs", command: "trap 'echo bye' EXIT; echo hi", text: "hi\nbye" },
  { title: "a replaced shell", command: "exec echo replaced; echo no", text: "replaced" },
  {
    title: "its own standard error can be sent elsewhere",
    command: "exec 2>/dev/null; ls /nowhere; true",
    text: "(no output)",
  },
  { title: "a here-document", command: "cat <<'X'\n$HOME `id`\nX", text: "$HOME `id`" },
  { title: "a comment at the end", command: "echo hi # there", text: "hi" },
  { title: "a backslash at the end", command: "echo a\\", text: "a\\" },
  { title: "tee to /dev/stderr", command: "echo x | tee /dev/stderr", text: "x\nx" },
  { title: "characters outside ASCII", command: "printf 'é漢😀\\n'", text: "é漢😀" },
  { title: "bash and not sh", command: "a=(1 2 3); [[ a == a ]] && echo $((a[2]))", text: "3" },
  { title: "no start-up file is read", command: "shopt -q login_shell; echo $?", text: "1" },
];

describe.skipIf(!has("bash"))("Bash answers", () => {
  it.each(rows)("$title", async ({ command, text, state, exitCode }) => {
    await using world = await commandWorld();
    const outcome = await world.call(new Bash(), { command });
    expect({ text: outcome.text, state: outcome.state }).toEqual({ text, state: state ?? "success" });
    if (exitCode !== undefined) expect(outcome.metadata.exitCode).toBe(exitCode);
  });

  it("inherits none of the host's secrets, and takes what the constructor sets", async () => {
    const hostEnv = {
      ...process.env,
      OPENAI_API_KEY: "sk-secret",
      AWS_SECRET_ACCESS_KEY: "secret",
      BASH_ENV: "/x",
    };
    await using world = await commandWorld({}, { hostEnv });
    const { text } = await world.call(new Bash({ env: { MINE: "yes", LANG: undefined } }), {
      command: "env | cut -d= -f1; echo MINE=$MINE",
    });
    expect(text).toContain("MINE=yes");
    for (const name of ["OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "BASH_ENV", "LANG"]) {
      expect(text.split("\n")).not.toContain(name);
    }
  });

  it("doesn't load a project's .env file", async () => {
    await using world = await commandWorld({
      ".env": "PROJECT_SECRET=1\n",
      ".envrc": "export PROJECT_SECRET=1\n",
    });
    expect((await world.call(new Bash(), { command: "echo [$PROJECT_SECRET]" })).text).toBe("[]");
  });

  it.each([
    ["empty", " \n", "command is empty."],
    ["with a NUL", "echo \0", "command holds a NUL character, which no shell takes."],
    [
      "with half a surrogate pair",
      "echo \ud800",
      "command holds half a surrogate pair, which no shell takes.",
    ],
    [
      "longer than the system takes",
      `echo ${"x".repeat(130_000)}`,
      "command has 130005 bytes; at most 120000 can be given. Put long content into a file with Write, then run a short command that uses it.",
    ],
  ])("a command that is %s is refused", async (_title, command, text) => {
    await using world = await commandWorld();
    expect(await world.call(new Bash(), { command })).toMatchObject({
      text,
      state: "error",
      code: "invalid_input",
    });
  });
});

describe.skipIf(!has("bash"))("Bash ends", () => {
  it("when its command ends, although a silent background child holds the pipes", async () => {
    await using world = await commandWorld();
    const started = performance.now();
    const { text, state, metadata } = await world.call(new Bash(), {
      command: "sleep 300 & echo done; echo $! > pid",
    });
    expect(performance.now() - started).toBeLessThan(5000);
    const pid = Number(await readFile(join(world.folder, "pid"), "utf8"));
    try {
      expect(state).toBe("success");
      expect(text).toBe(
        `done\n[Still running in the background: ${pid} (sleep 300). Output from there is no longer read; end it with kill.]`,
      );
      expect(metadata.survivors).toEqual([{ pid, command: "sleep 300" }]);
    } finally {
      process.kill(pid, "SIGKILL");
    }
  });

  it("at its timeout, keeps what came, and stops the whole tree, what ignores SIGTERM and what escaped its group included", async () => {
    await using world = await commandWorld();
    const command = [
      "echo partial",
      "setsid sleep 301 & echo $! >> pids",
      "(trap '' TERM; echo $BASHPID >> pids; sleep 302; sleep 303) & ",
      "sleep 304",
    ].join("\n");
    const started = performance.now();
    const outcome = await world.call(new Bash(), { command, timeout: 500 });
    expect(performance.now() - started).toBeLessThan(8000);
    expect(outcome).toMatchObject({
      text:
        "partial\n[Timed out after 500 ms: the command and everything it started were stopped. " +
        "Give a longer timeout (600000 at most), or set run_in_background.]",
      state: "error",
    });
    await expectGone(world);
  });

  it("when it is cancelled, as interrupted, with what came", async () => {
    await using world = await commandWorld();
    const controller = new AbortController();
    const running = world.call(
      new Bash(),
      { command: "echo partial; sleep 305 & echo $! > pids; wait" },
      { signal: controller.signal },
    );
    await appears(join(world.folder, "pids"));
    controller.abort();
    expect(await running).toMatchObject({
      text: "partial\n[Interrupted: the command and everything it started were stopped.]",
      state: "interrupted",
    });
    await expectGone(world);
  });

  it("when nobody reads its answer any more", async () => {
    await using world = await commandWorld();
    const command = "echo $$ > pids; echo first; sleep 306";
    for await (const _chunk of new Bash().invoke({ command }, world.context())) break;
    await expectGone(world);
  });

  it("without having run when it was cancelled before", async () => {
    await using world = await commandWorld();
    const outcome = await world.call(new Bash(), { command: "touch made" }, { signal: AbortSignal.abort() });
    expect(outcome.state).not.toBe("success");
    await expect(access(join(world.folder, "made"))).rejects.toThrow("ENOENT");
  });
});

describe.skipIf(!has("bash"))("Bash output", () => {
  it("is streamed while the command runs", async () => {
    await using world = await commandWorld();
    const { chunks, text } = await world.call(new Bash(), {
      command: "for i in 1 2 3; do echo line $i; sleep 0.3; done",
    });
    expect(text).toBe("line 1\nline 2\nline 3");
    expect(chunks.length).toBeGreaterThanOrEqual(3);
    expect(chunks[0]).toBe("line 1");
  });

  it("that is long keeps start and end, and the whole is in a file that the answer names", async () => {
    await using world = await commandWorld();
    const { text, metadata, state } = await world.call(new Bash(), {
      command: "seq 1 200000; echo the error >&2; exit 1",
    });
    const file = String(metadata.outputFile);
    expect(state).toBe("error");
    expect(text.length).toBeLessThan(31_000);
    expect(text.startsWith("1\n2\n3\n")).toBe(true);
    expect(text.endsWith("199999\n200000\nthe error\n[Exit code 1.]")).toBe(true);
    const note =
      /\[The middle of 1\.3 MB of output is left out\. All of it is in (.*)\. Go on with Read \{file_path, offset: (\d+)\} or search it with Grep\.\]/.exec(
        text,
      );
    expect(note?.[1]).toBe(file);
    const lines = (await readFile(file, "utf8")).split("\n");
    expect(lines.length).toBe(200_002);
    // The first line that isn't shown is where Read is to go on.
    const [head = ""] = text.split("\n\n[The middle");
    expect(lines[Number(note?.[2]) - 1]).toBe(String(Number(head.split("\n").at(-1)) + 1));
  });

  it("of one endless line is bounded too", async () => {
    await using world = await commandWorld();
    const { text } = await world.call(new Bash(), {
      command: "head -c 3000000 /dev/zero | tr '\\0' x; echo END",
    });
    expect(text.length).toBeLessThan(31_000);
    expect(text.endsWith("xxxEND")).toBe(true);
  });

  it("that is binary is described and not shown", async () => {
    const bytes = Buffer.from("89504e470d0a1a0a0000000d4948445200000010010203040506", "hex");
    await using world = await commandWorld({ "a.png": bytes });
    const { text, metadata } = await world.call(new Bash(), { command: "cat a.png" });
    expect(text).toBe(
      `[Binary output, 26 bytes, starting with 89 50 4e 47 0d 0a 1a 0a 00 00 00 0d 49 48 44 52. All of it is in ${metadata.outputFile}. Don't print it: look at it with file, xxd or strings.]`,
    );
    expect((await readFile(String(metadata.outputFile))).equals(bytes)).toBe(true);
  });

  it("past the limit of what is saved is said to be lost", async () => {
    await using world = await commandWorld();
    const bash = new Bash({ maxSavedBytes: 1_000_000 });
    const { text } = await world.call(bash, { command: "seq 1 500000" });
    expect(text).toContain("Only its first 786 kB are in ");
    expect(text).toContain("it is longer than 1000000 bytes");
    expect(text.endsWith("499999\n500000")).toBe(true);
  });

  it("is split at any byte without harm", async () => {
    await using world = await commandWorld();
    const { text } = await world.call(new Bash(), {
      command: "printf '\\xc3'; sleep 0.2; printf '\\xa9\\n\\xe6\\xbc'; sleep 0.2; printf '\\xa2\\n'",
    });
    expect(text).toBe("é\n漢");
  });

  it.each([
    [
      "when it is too long to be shown as it comes",
      "seq 1 100000; sleep 1.5",
      ["running for 1 s, 589 kB of output"],
    ],
    ["when nothing comes", "sleep 3.5", ["running for 3 s, 0 bytes of output"]],
  ])("tells people how far it is %s", async (_title, command, progress) => {
    await using world = await commandWorld();
    await world.call(new Bash(), { command });
    expect(world.progress).toEqual(progress);
  });
});

describe.skipIf(!has("bwrap"))("Bash confined to reading", () => {
  const confine = { write: "none", network: false } as const;

  it("can't write, and says what probably stopped it", async () => {
    await using world = await commandWorld();
    const { text, state, metadata } = await world.call(
      new Bash(),
      { command: "echo hi; touch made" },
      { confine },
    );
    expect(state).toBe("error");
    expect(text).toMatch(
      /^hi\ntouch: .*: Read-only file system\n\[Exit code 1\.\]\n\[This command was judged to change nothing, so it ran without write access/,
    );
    expect(metadata.confined).toEqual({ enforced: true });
    await expect(access(join(world.folder, "made"))).rejects.toThrow("ENOENT");
  });

  it("still reads, moves the session's directory, and has long output saved", async () => {
    await using world = await commandWorld({ "a/file": "content\n" });
    const bash = new Bash();
    expect((await world.call(bash, { command: "cd a && cat file" }, { confine })).text).toBe(
      `content\n[The working directory is now ${world.folder}/a.]`,
    );
    const { metadata } = await world.call(bash, { command: "seq 1 200000" }, { confine });
    expect((await readFile(String(metadata.outputFile), "utf8")).length).toBe(1_288_895);
  });

  it("fails for its own reasons without a word about confinement", async () => {
    await using world = await commandWorld();
    expect(
      (await world.call(new Bash(), { command: "grep -c x /etc/hostname; false" }, { confine })).text,
    ).toBe("0\n[Exit code 1.]");
  });
});

describe("Bash is judged", () => {
  it("by the effects of its command, in the background the same", async () => {
    await using world = await commandWorld();
    const bash = new Bash();
    const context = world.judging();
    const one = await bash.effects({ command: "rm -rf build" }, context);
    const other = await bash.effects({ command: "rm -rf build", run_in_background: true }, context);
    expect(one.length).toBeGreaterThan(0);
    expect(other).toEqual(one);
    expect(one).toContainEqual(
      expect.objectContaining({ kind: "delete", path: join(world.folder, "build") }),
    );
  });
});

/** Waits until each process that the command wrote down has ended. */
async function expectGone(world: CommandWorld): Promise<void> {
  const file = join(world.folder, "pids");
  await appears(file);
  const pids = (await readFile(file, "utf8")).trim().split("\n").map(Number);
  for (const pid of pids) await expect.poll(() => isRunning(pid), { timeout: 5000 }).toBe(false);
}

async function appears(file: string): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    try {
      if ((await readFile(file, "utf8")).endsWith("\n")) return;
    } catch {
      // not yet
    }
    await sleep(25);
  }
  throw new Error(`${file} never came`);
}
