import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { docker } from "../../../test/docker.ts";
import { has } from "../../../test/require.ts";
import type { Transport, TransportRun } from "../posix/transport.ts";
import { connect, type Engine } from "./engine.ts";
import { lasting } from "./fixtures/lasting.ts";
import { roomOf } from "./room.ts";
import { PLACE_LABEL } from "./spec.ts";
import { type Watch, watchContainers } from "./watch.ts";

const MB = 1_000_000;
const endless = async function* (): AsyncGenerator<Uint8Array> {
  yield Buffer.from("some\n");
  await new Promise(() => undefined);
};

describe.skipIf(!has("docker"))("a way into a container", () => {
  const container = lasting({});
  let engine: Engine | undefined;
  let watch: Watch | undefined;
  let transport: Transport;
  beforeAll(async () => {
    engine = await connect();
    const [info] = JSON.parse(docker(["inspect", container.name]));
    watch = await watchContainers(engine, `${PLACE_LABEL}=${info.Config.Labels[PLACE_LABEL]}`);
    transport = roomOf(engine.docker.getContainer(info.Id), watch).transport;
  });
  afterAll(() => {
    watch?.close();
    engine?.close();
  });
  const run = async (argv: readonly string[], options: TransportRun = {}) => {
    const said = { stdout: "", stderr: "" };
    const { exitCode } = await transport.run(argv, {
      onOutput(bytes, stream) {
        said[stream] += Buffer.from(bytes).toString();
      },
      ...options,
    });
    return { ...said, exitCode };
  };

  it("tells outputs apart and says how a program ended", async () => {
    expect(await run(["sh", "-c", "echo out; echo err >&2; exit 7"])).toEqual({
      stdout: "out\n",
      stderr: "err\n",
      exitCode: 7,
    });
    expect((await run(["sh", "-c", "kill -9 $$"])).exitCode).toBe(137);
    expect((await run(["sh", "-c", "exec >/dev/null 2>&1; sleep 0.3; exit 5"])).exitCode).toBe(5);
  });

  it("ends although a program doesn't take its input, and gives all that it put out", async () => {
    const script = "head -c 1000000 /dev/zero; exit 3";
    const much = await run(["sh", "-c", script], { stdin: Buffer.alloc(5 * MB) });
    expect([much.stdout.length, much.exitCode]).toEqual([MB, 3]);
    expect(await run(["head", "-n", "1"], { stdin: endless() })).toMatchObject({
      stdout: "some\n",
      exitCode: 0,
    });
  });

  it("rejects with what the source of the input, or the taker of the output, throws", async () => {
    const failing = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from("x");
      throw new Error("no more input");
    };
    await expect(run(["cat"], { stdin: failing() })).rejects.toThrow("no more input");
    const onOutput = (): never => {
      throw new Error("no more output");
    };
    await expect(run(["echo"], { onOutput })).rejects.toThrow("no more output");
  });

  it("lets go at once when it is called off", async () => {
    const stop = new AbortController();
    const onOutput = (): Promise<void> => {
      stop.abort();
      return new Promise(() => undefined);
    };
    const options = { signal: stop.signal, onOutput };
    expect(await transport.run(["sh", "-c", "echo; sleep 10"], options)).toEqual({
      exitCode: null,
      signal: null,
    });
    const before = transport.run(["true"], { signal: AbortSignal.abort() });
    await expect(before).rejects.toMatchObject({ code: "aborted" });
  });

  it("goes on with others while nobody takes the output of one that has ended", async () => {
    const stop = new AbortController();
    let begun = false;
    const stuck = transport.run(["yes"], {
      signal: stop.signal,
      onOutput() {
        begun = true;
        return new Promise(() => undefined);
      },
    });
    while (!begun) await pause(20);
    await pause(300);
    expect((await run(["killall", "-9", "yes"])).exitCode).toBe(0);
    expect((await run(["echo", "through"])).stdout).toBe("through\n");
    stop.abort();
    await stuck;
  });
});
