import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { processTransport } from "../../../test/process-transport.ts";
import { testFolder } from "../../../test/test-folder.ts";
import type { Backend, ExecOptions, ExecResult } from "../../backend.ts";
import { posixBackend } from "../posix.ts";
import type { Transport, TransportRun } from "./transport.ts";

/** A place over a transport whose sessions are counted. */
interface CountedPlace extends AsyncDisposable {
  readonly backend: Backend;
  readonly folder: string;
  /** Shells that have been started to run programs, those of them that are there, and how often one said that it was free. */
  readonly shells: { started: number; open: number; free: number; waiting: boolean };
  /** Breaks all that is open; nothing can be started any more. */
  vanish(): void;
  /** Says that somebody waits for a session. */
  scarce(): void;
  run(script: string, options?: Partial<ExecOptions>): Promise<ExecResult & { readonly said: string }>;
}

async function place(): Promise<CountedPlace> {
  const { folder, remove } = await testFolder();
  const cwd = join(folder, "work");
  await mkdir(cwd);
  const inner = processTransport({ env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: cwd } });
  const shells = { started: 0, open: 0, free: 0, waiting: false };
  let scarce = (): void => undefined;
  const transport: Transport = {
    async run(argv, options) {
      // The shell that answers about files is started without words of its own.
      if (argv[3] !== "toolgate") return inner.run(argv, options);
      while (shells.waiting) await setTimeout(10, undefined, { signal: options?.signal });
      shells.started += 1;
      shells.open += 1;
      const onOutput: TransportRun["onOutput"] = (bytes, stream) => {
        if (stream === "stderr" && / r\n/.test(Buffer.from(bytes).toString())) shells.free += 1;
        return options?.onOutput?.(bytes, stream);
      };
      return inner.run(argv, { ...options, onOutput }).finally(() => {
        shells.open -= 1;
      });
    },
    onScarce(listener) {
      scarce = listener;
    },
  };
  const backend = posixBackend({
    id: "counted",
    transport,
    cwd,
    home: cwd,
    scratch: join(folder, "scratch"),
  });
  return {
    backend,
    folder,
    shells,
    vanish: () => inner.remove(),
    scarce: () => scarce(),
    async run(script, options = {}) {
      let said = "";
      const result = await backend.exec(["sh", "-c", script], {
        cwd,
        onOutput: (bytes) => {
          said += Buffer.from(bytes).toString();
        },
        ...options,
      });
      return { ...result, said };
    },
    async [Symbol.asyncDispose]() {
      shells.waiting = false;
      await backend[Symbol.asyncDispose]();
      expect(shells.open).toBe(0);
      await remove();
    },
  };
}

/** After a run its shell says that it is free, which nobody waits for. */
const soon = { timeout: 10_000, interval: 5 };

describe("the shells that run programs", () => {
  it("are used again, and keep nothing of the run before", async () => {
    await using p = await place();
    const rows: readonly [script: string, options: Partial<ExecOptions>, code: number, said: string][] = [
      ['echo "$A-$PWD"; exit 3', { env: { A: "it's\n1" } }, 3, `it's\n1-${p.folder}/work\n`],
      ["echo $A-$PWD", { cwd: "/" }, 0, "-/\n"],
      ["cd /tmp; umask 000; export A=2; ulimit -n 50; set -f; trap '' TERM; echo ok >&2", {}, 0, "ok\n"],
      ["echo $A-$(umask)-$(ulimit -n | grep -cx 50)-$PWD", {}, 0, `-${await umask()}-0-${p.folder}/work\n`],
      ["printf 'no end of line'", {}, 0, "no end of line"],
      ["kill -9 $$", {}, 137, ""],
      [`# ${"long ".repeat(2000)}\necho long`, {}, 0, "long\n"],
      ["cat", { stdin: Buffer.from("given") }, 0, "given"],
      ["read -r line || echo nothing", {}, 0, "nothing\n"],
    ];
    for (const [script, options, exitCode, said] of rows) {
      const { free } = p.shells;
      expect(await p.run(script, options)).toMatchObject({ exitCode, said, stopped: false, survivors: [] });
      // A shell with an input ends with it.
      if (options.stdin === undefined) await expect.poll(() => p.shells.free, soon).toBe(free + 1);
    }
    // One for all of them, and one each for the long words and for the input; a busy machine may have taken it for held.
    expect(p.shells.started).toBeLessThanOrEqual(5);
  });

  it("are few where many commands are short", async () => {
    await using p = await place();
    const numbers = Array.from({ length: 60 }, (_, index) => index);
    const said = await Promise.all(numbers.map((number) => p.run(`echo ${number}; echo ${number} >&2`)));
    expect(said.map((one) => one.said)).toEqual(numbers.map((number) => `${number}\n${number}\n`));
    expect(p.shells.started).toBeLessThan(60);
    await expect.poll(() => p.shells.open, soon).toBeLessThanOrEqual(6);
  });

  it("are as many as there are long commands", async () => {
    await using p = await place();
    const began: number[] = [];
    const stop = new AbortController();
    const runs = Array.from({ length: 12 }, () =>
      p.run("exec sleep 60", { signal: stop.signal, onStart: (pid) => began.push(pid) }),
    );
    await expect.poll(() => began.length, { timeout: 15_000 }).toBe(12);
    stop.abort();
    for (const result of await Promise.all(runs))
      expect(result).toMatchObject({ stopped: true, survivors: [] });
  });

  it("are not used again while somebody holds a run's outputs, and let that go on", async () => {
    await using p = await place();
    const file = join(p.folder, "written");
    const first = await p.run(`( sleep 3; echo lost; echo kept > ${file}; ) & echo said`);
    expect(first).toMatchObject({ exitCode: 0, said: "said\n" });
    expect(first.survivors.length).toBeGreaterThan(0);
    expect((await p.run("echo next")).said).toBe("next\n");
    expect(p.shells.started).toBe(2);
    const text = async (): Promise<string> =>
      p.backend.readFile(file).then(
        (bytes) => Buffer.from(bytes).toString(),
        () => "",
      );
    await expect.poll(text, { timeout: 10_000 }).toBe("kept\n");
  });

  it("name what a run leaves, of however many that have begun", async () => {
    await using p = await place();
    for (const count of [1, 12]) {
      const began = `for one in $(seq ${count}); do env -i sleep 60 >/dev/null 2>&1 & echo $!; done`;
      const { said, survivors } = await p.run(began);
      const pids = said.trim().split("\n").map(Number);
      expect(survivors.map(({ pid }) => pid).sort()).toEqual(pids.sort());
      for (const pid of pids) process.kill(pid, "SIGKILL");
    }
    const others = p.run("for one in $(seq 20); do sleep 0.2 & done; wait");
    expect(await p.run("sleep 0.1")).toMatchObject({ exitCode: 0, survivors: [] });
    await others;
  });

  it("end what they ran when nobody is there any more, however it clings to life", async () => {
    await using p = await place();
    const pids: number[] = [];
    const clinging = "setsid sh -c 'trap \"\" TERM; while :; do sleep 0.2; done' >/dev/null 2>&1 &";
    const run = p.run(`${clinging} echo $!; sleep 60`, {
      onStart: (pid) => pids.push(pid),
      onOutput: (bytes) => {
        pids.push(Number(Buffer.from(bytes).toString()));
        p.vanish();
      },
    });
    await expect(run).rejects.toMatchObject({ code: "backend_unavailable" });
    expect(pids).toHaveLength(2);
    const alive = (): readonly number[] => pids.filter((pid) => existsSync(`/proc/${pid}/cwd`));
    await expect.poll(alive, { timeout: 15_000 }).toEqual([]);
  });

  it("go when another waits for their place", async () => {
    await using p = await place();
    await Promise.all([p.run("true"), p.run("true")]);
    await expect.poll(() => p.shells.free, soon).toBe(2);
    p.scarce();
    await expect.poll(() => p.shells.open, soon).toBe(1);
    expect((await p.run("echo on")).said).toBe("on\n");
    expect(p.shells.started).toBe(2);
  });

  it("are replaced when they have been ended", async () => {
    await using p = await place();
    // The shells around it, which it would have to look for.
    const script =
      "for pid in $(ps -o pid= -o ppid= | awk -v p=$$ '{ parent[$1]=$2 } END { while (p>1) { p=parent[p]; print p } }' | head -3); do kill -9 $pid; done";
    await expect(p.run(script.replace("ps -o", "ps -e -o"))).rejects.toMatchObject({
      code: "backend_unavailable",
    });
    expect((await p.run("echo again")).said).toBe("again\n");
  });

  it("don't keep a run that is stopped before one is there", async () => {
    await using p = await place();
    await p.run("true");
    await expect.poll(() => p.shells.free, soon).toBe(1);
    p.scarce();
    await expect.poll(() => p.shells.open, soon).toBe(0);
    p.shells.waiting = true;
    const stop = new AbortController();
    const run = p.run("echo never", { signal: stop.signal });
    await setTimeout(50);
    const started = performance.now();
    stop.abort();
    expect(await run).toMatchObject({ exitCode: null, stopped: true, said: "", survivors: [] });
    expect(performance.now() - started).toBeLessThan(2000);
    p.shells.waiting = false;
    expect((await p.run("echo later")).said).toBe("later\n");
  });
});

async function umask(): Promise<string> {
  return process.umask().toString(8).padStart(4, "0");
}
