import { deepStrictEqual, ok, rejects } from "node:assert/strict";
import { type ContractRow, growth, refuses } from "./world.ts";

/** A name in this process's environment that looks like what must never reach a command. */
const SECRET_NAME = "CONTRACT_PROVIDER_API_KEY";
const SECRET = "sk-contract-suite-secret";

/** Puts the secret where a careless backend would pass it on; to be called before the backend is made. */
export function plantSecret(): () => void {
  process.env[SECRET_NAME] = SECRET;
  return () => {
    delete process.env[SECRET_NAME];
  };
}

/** Running programs: what they are given and how they end. */
export const RUNNING_ROWS: readonly ContractRow[] = [
  {
    title: "reports exit codes as results",
    async test(w) {
      for (const code of [0, 1, 3, 127, 255]) {
        const { result } = await w.sh(`exit ${code}`);
        deepStrictEqual(result, { exitCode: code, signal: null, stopped: false, survivors: [] });
      }
    },
  },
  {
    title: "reports the signal that ended a program",
    async test(w) {
      const { result } = await w.sh("kill -KILL $$");
      const ended = [result.exitCode, result.signal];
      // Where another program stands between, it can only pass the signal on as a number.
      if (result.exitCode === null) deepStrictEqual(ended, [null, "SIGKILL"]);
      else deepStrictEqual(ended, [137, null]);
      deepStrictEqual(result.stopped, false);
    },
  },
  {
    title: "hands arguments over as they are, with no shell between",
    async test(w) {
      const words = ["$HOME; *", "a'b\"c`d`", "ünï 漢字", "", "-n", "line\nline", "\\"];
      const { stdout } = await w.run(["printf", "[%s]", ...words]);
      deepStrictEqual(stdout, words.map((word) => `[${word}]`).join(""));
    },
  },
  {
    title: "gives standard input, and closes it when there is none",
    async test(w) {
      const bytes = Buffer.from("héllo\0world\n");
      deepStrictEqual((await w.run(["cat"], { stdin: bytes })).stdout, bytes.toString());
      deepStrictEqual((await w.run(["cat"])).stdout, "");
      deepStrictEqual((await w.run(["cat"], { stdin: new Uint8Array() })).stdout, "");
      deepStrictEqual((await w.run(["cat", "/dev/stdin"], { stdin: bytes })).stdout, bytes.toString());
      const much = Buffer.alloc(5_000_000, "x");
      deepStrictEqual((await w.run(["wc", "-c"], { stdin: much })).stdout.trim(), "5000000");
      deepStrictEqual((await w.run(["true"], { stdin: much })).result.exitCode, 0, "not read at all");
    },
  },
  {
    title: "gives a live stream as it comes, and answers between its pieces",
    async test(w) {
      const heard: string[] = [];
      let hear = (): void => undefined;
      const talk = async function* () {
        const shared = Buffer.alloc(4);
        for (const word of ["one\n", "two\n", "six\n"]) {
          const answered = new Promise<void>((resolve) => {
            hear = resolve;
          });
          shared.write(word);
          yield shared;
          await answered;
        }
      };
      const { result } = await w.sh('while read -r word; do echo "heard $word"; done', {
        stdin: talk(),
        onOutput(bytes) {
          heard.push(Buffer.from(bytes).toString());
          hear();
        },
        signal: AbortSignal.timeout(8000),
      });
      deepStrictEqual([heard.join(""), result.exitCode], ["heard one\nheard two\nheard six\n", 0]);
    },
  },
  {
    title: "needs a stream no longer than the program does",
    async test(w) {
      let returned = false;
      const endless = async function* () {
        try {
          yield Buffer.from("only\n");
          await new Promise(() => undefined);
        } finally {
          returned = true;
        }
      };
      const flood = async function* () {
        try {
          for (;;) yield Buffer.alloc(65_536, "x");
        } finally {
          returned = true;
        }
      };
      const head = await w.run(["head", "-n", "1"], { stdin: endless() });
      deepStrictEqual([head.stdout, head.result.exitCode], ["only\n", 0]);
      deepStrictEqual((await w.run(["head", "-c", "3"], { stdin: flood() })).stdout, "xxx");
      deepStrictEqual((await w.run(["true"], { stdin: flood() })).result.exitCode, 0);
      ok(returned, "the stream is told that nobody reads it");
    },
  },
  {
    title: "passes a large stream with flat memory",
    async test(w) {
      // Each has memory of its own: who keeps them is found out.
      const pieces = async function* () {
        for (let index = 0; index < 200; index += 1) yield Buffer.alloc(1_000_000, "x");
      };
      let said = "";
      const grown = await growth(async () => {
        said = (await w.sh("sleep 0.3; wc -c", { stdin: pieces() })).stdout;
      });
      deepStrictEqual(said.trim(), "200000000");
      ok(grown < 128_000_000, `grew by ${grown} bytes`);
    },
  },
  {
    title: "stops the program and rejects when its input fails",
    async test(w) {
      const boom = new Error("source failed");
      const broken = async function* () {
        yield Buffer.from("x\n");
        await w.appears("pid");
        throw boom;
      };
      await rejects(w.sh("echo $$ > pid; cat; sleep 60", { stdin: broken() }), boom);
      ok(!(await w.isAlive(await w.appears("pid"))));
    },
  },
  {
    title: "starts in the directory it is told",
    async test(w) {
      await w.backend.mkdir(w.path("folder"));
      deepStrictEqual((await w.run(["pwd"], { cwd: w.path("folder") })).stdout.trim(), w.path("folder"));
    },
  },
  {
    title: "rejects with not_found for a missing program and a missing directory, and says which",
    async test(w) {
      const cwd = w.path("missing");
      const errors = await Promise.all(
        [w.run(["no-such-program"]), w.run(["./no-such-program"]), w.run(["true"], { cwd })].map((run) =>
          run.then(
            () => undefined,
            (error: unknown) => error,
          ),
        ),
      );
      const named = ["no-such-program", "no-such-program", cwd];
      for (const [index, error] of errors.entries()) {
        await refuses(Promise.reject(error), "not_found", named[index]);
        ok(error instanceof Error && error.message.includes(named[index] ?? ""), String(error));
      }
      const file = await w.put("file", "x");
      await refuses(w.run(["true"], { cwd: file }), "not_a_directory", "a file as directory");
      await refuses(w.run([file]), "permission_denied", "a file that is no program");
    },
  },
  {
    title: "refuses what can't be run",
    async test(w) {
      await refuses(w.run([]), "invalid_input", "no program");
      await refuses(w.run([""]), "invalid_input", "an empty name");
      await refuses(w.run(["echo", "a\0b"]), "invalid_input", "NUL");
      await refuses(w.run(["true"], { cwd: "folder" }), "invalid_input", "relative");
    },
  },
  {
    title: "adds variables, takes them away, and names the call",
    async test(w) {
      const script = 'printf "%s|%s|%s" "$ADDED" "$TOOLGATE_CALL_ID" "$(env | grep -c "^PAGER=")"';
      const env = { ADDED: "wörd $x", PAGER: undefined };
      deepStrictEqual((await w.sh(script, { env, callId: "call_1" })).stdout, "wörd $x|call_1|0");
    },
  },
  {
    title: "passes no secret of this process on",
    async test(w) {
      deepStrictEqual(process.env[SECRET_NAME], SECRET, "the suite plants it first");
      const { stdout } = await w.run(["env"]);
      ok(!stdout.includes(SECRET_NAME) && !stdout.includes(SECRET), stdout);
    },
  },
  {
    title: "sets pagers and prompts so that nothing waits for a person",
    async test(w) {
      const { stdout } = await w.sh('echo "$PAGER $GIT_PAGER $GIT_TERMINAL_PROMPT $GIT_OPTIONAL_LOCKS"');
      deepStrictEqual(stdout, "cat cat 0 0\n");
    },
  },
  {
    title: "has no terminal to ask on",
    async test(w) {
      const { stdout } = await w.sh("if (: </dev/tty) 2>/dev/null; then echo tty; else echo none; fi");
      deepStrictEqual(stdout, "none\n");
    },
  },
  {
    title: "says when it has started, once",
    async test(w) {
      const pids: number[] = [];
      await w.run(["true"], { onStart: (pid) => void pids.push(pid) });
      ok(pids.length <= 1 && pids.every((pid) => pid > 0), String(pids));
    },
  },
  {
    title: "runs programs side by side, each with its own output",
    async test(w) {
      const runs = Array.from({ length: 12 }, (_, index) =>
        w.sh(`echo ${index}; echo ${index} >&2; exit ${index}`),
      );
      for (const [index, { stdout, stderr, result }] of (await Promise.all(runs)).entries()) {
        deepStrictEqual([stdout, stderr, result.exitCode], [`${index}\n`, `${index}\n`, index]);
      }
    },
  },
  {
    title: "sees the files that were written, and shows those a program writes",
    async test(w) {
      await w.put("in", "content\n");
      await w.sh("cat in > out");
      deepStrictEqual(await w.text("out"), "content\n");
    },
  },
];
