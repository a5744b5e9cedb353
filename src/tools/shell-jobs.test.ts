import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commandWorld, isRunning } from "../../test/command-world.ts";
import { has } from "../../test/require.ts";
import { newState } from "../state.ts";
import { Bash } from "./bash.ts";
import { BashOutput } from "./bash-output.ts";
import { BashStop } from "./bash-stop.ts";
import { ShellJobs } from "./shell-jobs.ts";

describe.skipIf(!has("bash"))("a background command", () => {
  it("answers at once, is read piece by piece, and ends by itself", async () => {
    await using world = await commandWorld();
    const output = new BashOutput();
    const command = "echo one; until test -e go; do sleep 0.05; done; echo two; exit 4";
    const started = await world.call(new Bash(), { command, run_in_background: true });
    expect(started.text).toMatch(
      /^Started in the background as bash_1 \(process \d+\)\. Read its output with BashOutput \{"id": "bash_1"\}, end it with BashStop\.$/,
    );
    const first = await world.call(output, { id: "bash_1", wait_ms: 5000 });
    expect(first).toMatchObject({ state: "success", metadata: { jobId: "bash_1", running: true } });
    expect(first.text).toMatch(/^one\n\[bash_1 running for \d s\.\]$/);
    expect((await world.call(output, { id: "bash_1" })).text).toMatch(/^\(no new output\)\n\[bash_1 running/);
    await world.call(new Bash(), { command: "touch go" });
    const second = await world.call(output, { id: "bash_1", wait_ms: 5000 });
    expect(second.text.startsWith("two\n")).toBe(true);
    await expect
      .poll(async () => (await world.call(output, { id: "bash_1", wait_ms: 5000 })).text)
      .toBe("(no new output)\n[bash_1 ended with exit code 4.]\n[Exit code 4.]");
  });

  it("is stopped with everything it started, and what wasn't read is answered", async () => {
    await using world = await commandWorld();
    const command = "echo ready; setsid sleep 308 & echo $! > pid; sleep 309";
    await world.call(new Bash(), { command, run_in_background: true });
    await expect.poll(() => readFile(join(world.folder, "pid"), "utf8").catch(() => "")).toMatch(/\n$/);
    const { text, metadata } = await world.call(new BashStop(), { id: "bash_1" });
    expect(text).toBe(
      "ready\n[bash_1 stopped.]\n[Interrupted: the command and everything it started were stopped.]",
    );
    expect(metadata).toMatchObject({ running: false });
    const pid = Number(await readFile(join(world.folder, "pid"), "utf8"));
    await expect.poll(() => isRunning(pid)).toBe(false);
    // A second time changes nothing.
    expect((await world.call(new BashStop(), { id: "bash_1" })).text).toContain(
      "(no new output)\n[bash_1 stopped.]",
    );
  });

  it("ends when its Bash is disposed", async () => {
    await using world = await commandWorld();
    const bash = new Bash();
    await world.call(bash, { command: "echo $$ > pid; sleep 310", run_in_background: true });
    await expect.poll(() => readFile(join(world.folder, "pid"), "utf8").catch(() => "")).toMatch(/\n$/);
    await bash[Symbol.asyncDispose]();
    await bash[Symbol.asyncDispose]();
    const pid = Number(await readFile(join(world.folder, "pid"), "utf8"));
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  it("outlives the call's signal and has no time limit unless it is given one", async () => {
    await using world = await commandWorld();
    const controller = new AbortController();
    const input = { command: "sleep 311", run_in_background: true };
    await world.call(new Bash(), input, { signal: controller.signal });
    await world.call(new Bash(), { ...input, timeout: 300 });
    controller.abort();
    const limited = await world.call(new BashOutput(), { id: "bash_2", wait_ms: 5000 });
    expect(limited.text).toContain("[bash_2 stopped.]\n[Timed out after 300 ms");
    expect((await world.call(new BashOutput(), { id: "bash_1" })).text).toMatch(/bash_1 running/);
    await world.call(new BashStop(), { id: "bash_1" });
  });

  it("doesn't move the session's working directory", async () => {
    await using world = await commandWorld({ "a/file": "" });
    await world.call(new Bash(), { command: "cd a", run_in_background: true });
    await world.call(new BashOutput(), { id: "bash_1", wait_ms: 5000 });
    expect(world.state.cwd).toBe(world.folder);
  });

  it("with much output is bounded when read, and the whole is in a file", async () => {
    await using world = await commandWorld();
    await world.call(new Bash(), { command: "seq 1 200000", run_in_background: true });
    await expect
      .poll(async () => (await world.call(new BashOutput(), { id: "bash_1", wait_ms: 100 })).metadata.running)
      .toBe(false);
    const job = await world.call(new BashOutput(), { id: "bash_1" });
    const file = String(job.metadata.outputFile);
    expect((await readFile(file, "utf8")).length).toBe(1_288_895);
  });

  it("shows only lines with a text when asked to", async () => {
    await using world = await commandWorld();
    await world.call(new Bash(), {
      command: "echo info a; echo error (b; echo info c",
      run_in_background: true,
    });
    await world.call(new Bash(), { command: "printf 'info a\\nerror (b\\n'", run_in_background: true });
    await expect
      .poll(
        async () =>
          (await world.call(new BashOutput(), { id: "bash_2", wait_ms: 1000, filter: "error (" })).text,
      )
      .toMatch(/^(error \(b|\(no new output\))\n/);
  });

  it("that can't start says why, and isn't kept as running", async () => {
    await using world = await commandWorld();
    world.state.cwd = join(world.folder, "nowhere");
    const outcome = await world.call(new Bash(), { command: "sleep 1", run_in_background: true });
    expect(outcome.code).toBe("not_found");
    expect(world.state.cwd).toBe(world.folder);
  });
});

describe("jobs", () => {
  it("of another session can't be read or stopped", async () => {
    await using world = await commandWorld();
    await world.call(new Bash(), { command: "sleep 312", run_in_background: true });
    const stranger = newState({ cwd: world.folder });
    const outcome = await world.call(new BashStop(), { id: "bash_1" }, { state: stranger });
    expect(outcome).toMatchObject({
      text: 'No background command has the id "bash_1". There is none in this session.',
      code: "not_found",
    });
    await world.call(new BashStop(), { id: "bash_1" });
  });

  it("are listed when an id is unknown", async () => {
    await using world = await commandWorld();
    await world.call(new Bash(), { command: "sleep 313", run_in_background: true });
    const { text } = await world.call(new BashOutput(), { id: "__proto__" });
    expect(text).toMatch(
      /^No background command has the id "__proto__"\. There are: bash_1 \(running for \d s\): sleep 313\.$/,
    );
    await world.call(new BashStop(), { id: "bash_1" });
  });

  it("may be shared by an object given to the tools", async () => {
    await using world = await commandWorld();
    await using jobs = new ShellJobs();
    await world.call(new Bash({ jobs }), { command: "sleep 314", run_in_background: true });
    const stranger = newState({ cwd: world.folder });
    const { text } = await world.call(new BashOutput({ jobs }), { id: "bash_1" }, { state: stranger });
    expect(text).toMatch(/bash_1 running/);
  });

  it("are harmless to read and to stop", () => {
    expect([new BashOutput().effects(), new BashStop().effects()]).toEqual([[], []]);
  });
});
