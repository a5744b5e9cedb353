import { randomUUID } from "node:crypto";
import { Sandbox } from "e2b";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { has } from "../../../test/require.ts";
import { type E2BStandIn, startE2BStandIn } from "../../../test/stand-ins/e2b/stand-in.ts";
import type { TransportEnd, TransportRun } from "../posix/transport.ts";
import { type OpenSandbox, openSandbox } from "./sandbox.ts";
import { e2bTransport, type Pulse } from "./transport.ts";

const QUICK: Pulse = { pingSeconds: 1, silenceMs: 1500 };
const ALL_BYTES = Buffer.from(Uint8Array.from({ length: 256 * 4100 }, (_, index) => index % 256));

interface Said extends TransportEnd {
  readonly stdout: Buffer;
  readonly stderr: string;
}

describe.skipIf(!has("bwrap"))("The way into an E2B sandbox, against a stand-in of E2B", () => {
  let standIn: E2BStandIn;
  let open: OpenSandbox;

  beforeAll(async () => {
    standIn = await startE2BStandIn();
    open = await openSandbox(standIn.options);
  });
  afterAll(() => standIn[Symbol.asyncDispose]());

  async function run(argv: readonly string[], options: TransportRun = {}, in_ = open): Promise<Said> {
    const said = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    const end = await e2bTransport(in_).run(argv, {
      onOutput: (bytes, stream) => void said[stream].push(Buffer.from(bytes)),
      ...options,
    });
    return { ...end, stdout: Buffer.concat(said.stdout), stderr: Buffer.concat(said.stderr).toString() };
  }

  it.each([
    {
      title: "words as they are",
      argv: ["printf", "%s|", "a b", "$HOME", "'", "", "*"],
      out: "a b|$HOME|'||*|",
    },
    { title: "no word of a login shell", argv: ["sh", "-c", "echo only this"], out: "only this\n" },
    { title: "an exit code", argv: ["sh", "-c", "exit 42"], exitCode: 42 },
    {
      title: "the signal that ended it",
      argv: ["sh", "-c", "kill -SEGV $$"],
      exitCode: null,
      signal: "SIGSEGV",
    },
    { title: "a program that isn't there", argv: ["/no/such/program"], exitCode: 127 },
    { title: "an input that is closed at once", argv: ["cat"], out: "" },
    { title: "whom it runs as", argv: ["id", "-un"], out: "user\n" },
  ])("gives $title", async ({ argv, out, exitCode = 0, signal = null }) => {
    const said = await run(argv);
    expect(said).toMatchObject({ exitCode, signal });
    if (out !== undefined) expect(said.stdout.toString()).toBe(out);
  });

  it("passes every byte in and out", async () => {
    const { stdout } = await run(["cat"], { stdin: ALL_BYTES });
    expect(stdout.equals(ALL_BYTES)).toBe(true);
  });

  it("keeps the outputs apart", async () => {
    expect(await run(["sh", "-c", "echo one; echo two >&2"])).toMatchObject({ stderr: "two\n" });
  });

  it("takes an input as it comes and shows what is said to it", async () => {
    const lines = Promise.withResolvers<void>();
    async function* talk() {
      yield Buffer.from("first\n");
      await lines.promise;
      yield Buffer.from("second\n");
    }
    let said = "";
    await run(["sh", "-c", "while read -r line; do echo got $line; done"], {
      stdin: talk(),
      onOutput: (bytes) => {
        said += Buffer.from(bytes);
        if (said.includes("first")) lines.resolve();
      },
    });
    expect(said).toBe("got first\ngot second\n");
  });

  it("ends when the program does, whatever is left of its input", async () => {
    async function* endless() {
      yield Buffer.from("x\n");
      await new Promise(() => undefined);
    }
    expect(await run(["head", "-n", "1"], { stdin: endless() })).toMatchObject({ exitCode: 0 });
    expect(await run(["true"], { stdin: ALL_BYTES })).toMatchObject({ exitCode: 0 });
  });

  it("fails with the failure of who gives the input or takes the output", async () => {
    const boom = new Error("boom");
    async function* failing() {
      yield Buffer.from("x\n");
      throw boom;
    }
    await expect(run(["cat"], { stdin: failing() })).rejects.toBe(boom);
    await expect(run(["echo", "x"], { onOutput: () => Promise.reject(boom) })).rejects.toBe(boom);
  });

  it("lets go at once when it is stopped", async () => {
    const stop = new AbortController();
    const waiting = run(["sh", "-c", "echo up; sleep 60"], {
      signal: stop.signal,
      onOutput: () => stop.abort(),
    });
    await expect(waiting).rejects.toMatchObject({ code: "aborted" });
    await expect(run(["true"], { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "aborted" });
  });

  it("says so when the connection breaks in the middle", async () => {
    const broken = run(["sh", "-c", "echo up; sleep 60"], { onOutput: () => standIn.cut(open.id) });
    await expect(broken).rejects.toMatchObject({
      code: "backend_unavailable",
      message: expect.stringContaining("was lost"),
      hint: expect.stringContaining("may still be running"),
    });
  });

  it.each(["breaks", "is let go of"])("ends the input of a program whose run %s", async (how) => {
    const stop = new AbortController();
    async function* endless() {
      yield Buffer.from("x\n");
      await new Promise(() => undefined);
    }
    const mark = `/tmp/${randomUUID()}`;
    const running = run(["sh", "-c", 'cat; echo ended > "$0"', mark], {
      stdin: endless(),
      signal: stop.signal,
      onOutput: async () => (how === "breaks" ? standIn.cut(open.id) : stop.abort()),
    });
    await expect(running).rejects.toThrow();
    const look = ["sh", "-c", 'until [ -e "$0" ]; do sleep 0.05; done', mark];
    expect(await run(look, { signal: AbortSignal.timeout(10_000) })).toMatchObject({ exitCode: 0 });
  });

  it("doesn't wait for ever on a connection that has gone silent", async () => {
    try {
      const silent = e2bTransport(open, QUICK).run(["sh", "-c", "echo up; sleep 60"], {
        onOutput: () => standIn.silence(true),
      });
      await expect(silent).rejects.toMatchObject({ code: "backend_unavailable" });
    } finally {
      await standIn.silence(false);
    }
  });

  it("waits on a program that is silent for longer than that", async () => {
    const end = await e2bTransport(open, QUICK).run(["sleep", "2.5"]);
    expect(end.exitCode).toBe(0);
  });

  it("resumes a sandbox that was paused in between", async () => {
    await Sandbox.pause(open.id, standIn.options);
    expect((await run(["echo", "here"])).stdout.toString()).toBe("here\n");
    expect(await standIn.state(open.id)).toBe("running");
  });

  it("says so when nothing answers in the sandbox", async () => {
    const other = await openSandbox(standIn.options);
    await standIn.endEnvd(other.id);
    await expect(run(["true"], {}, other)).rejects.toMatchObject({
      code: "backend_unavailable",
      message: expect.stringContaining("doesn't answer"),
    });
    await other.close();
  });

  it("says so when the sandbox has gone, before or during a run", async () => {
    const other = await openSandbox(standIn.options);
    const during = run(
      ["sh", "-c", "echo up; sleep 60"],
      {
        onOutput: async () => void (await Sandbox.kill(other.id, standIn.options)),
      },
      other,
    );
    const isGone = { code: "backend_unavailable", message: expect.stringContaining("is gone") };
    await expect(during).rejects.toMatchObject(isGone);
    await expect(run(["true"], {}, other)).rejects.toMatchObject(isGone);
    await other.close();
  });
});
