import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { docker, leftBehind, TEST_USER, testImage } from "../../../test/docker.ts";
import { has } from "../../../test/require.ts";
import { randomHex } from "../../lib/random-hex.ts";
import { sh, Trial } from "./fixtures/trial.ts";

const NOTHING = { write: "none", network: false } as const;
const DIES = join(import.meta.dirname, "fixtures/dies.ts");

describe.skipIf(!has("docker"))("the containers of a Docker backend", () => {
  it("are gone with it, with their volumes and the twins for confined runs", async () => {
    await using trial = new Trial();
    const backend = await trial.open({ readOnly: true });
    await sh(backend, "echo x > file");
    await sh(backend, "cat file", { confine: NOTHING });
    expect(trial.left.filter((line) => line.startsWith("container"))).toHaveLength(2);
    expect(trial.left.filter((line) => line.startsWith("volume"))).toHaveLength(2);
    await backend[Symbol.asyncDispose]();
    expect(trial.left).toEqual([]);
  });

  it("are gone when the process that made them is killed", async () => {
    const label = randomHex(6);
    const child = spawn(process.execPath, [DIES, testImage(), label], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    expect(leftBehind(`toolgate.test=${label}`).length).toBeGreaterThan(0);
    child.kill("SIGKILL");
    for (const deadline = Date.now() + 15_000; Date.now() < deadline; await pause(100)) {
      if (leftBehind(`toolgate.test=${label}`).length === 0) return;
    }
    expect(leftBehind(`toolgate.test=${label}`)).toEqual([]);
  });

  it("are found again by a name, stopped or running, with what is in them", async () => {
    const name = `toolgate-test-${randomHex(6)}`;
    try {
      await using trial = new Trial();
      const first = await trial.open({ name, user: TEST_USER, keep: true });
      await sh(first, "echo kept > file; (sleep 300 &)");
      const second = await trial.open({ name, user: TEST_USER });
      expect(second.id).toBe(first.id);
      await second[Symbol.asyncDispose]();
      expect((await sh(first, "cat file")).stdout).toBe("kept\n");
      await first[Symbol.asyncDispose]();
      expect(docker(["inspect", "-f", "{{.State.Running}}", name])).toBe("false");
      const third = await trial.open({ name, user: TEST_USER });
      expect((await sh(third, "cat file; ps | grep -c '[s]leep 300'")).stdout).toBe("kept\n0\n");
      await third[Symbol.asyncDispose]();
      docker(["rm", "-v", name]);
    } finally {
      if (docker(["ps", "-aq", "--filter", `name=${name}`]) !== "") docker(["rm", "-fv", name]);
    }
  });

  it("are not those of others, and not those with other settings", async () => {
    await using trial = new Trial();
    const name = `toolgate-test-${randomHex(6)}`;
    const image = testImage();
    docker(["create", "--name", name, "--network", "none", image, "true"]);
    try {
      await expect(trial.open({ name })).rejects.toMatchObject({ code: "already_exists" });
    } finally {
      docker(["rm", name]);
    }
    const first = await trial.open({ name, keep: false });
    await expect(trial.open({ name, keep: false, network: "bridge", memoryMiB: 64 })).rejects.toMatchObject({
      code: "already_exists",
      message: expect.stringContaining("network, memoryBytes"),
    });
    expect((await sh(first, "echo untouched")).stdout).toBe("untouched\n");
  });

  it("say what became of them in the middle of a command", async () => {
    const name = `toolgate-test-${randomHex(6)}`;
    await using trial = new Trial();
    const backend = await trial.open({ name, keep: false });
    const running = sh(backend, "echo begun > begun; sleep 300");
    running.catch(() => undefined);
    while ((await backend.list(backend.cwd)).length === 0) await pause(20);
    docker(["kill", name]);
    await expect(running).rejects.toMatchObject({
      code: "backend_unavailable",
      message: expect.stringMatching(/^Container [0-9a-f]{12} (has stopped|was removed)/),
    });
  });

  it.each([{ perCommand: false }, { perCommand: true }])(
    "say at once, and each time, that they were removed, and what to do ($perCommand)",
    async ({ perCommand }) => {
      const name = `toolgate-test-${randomHex(6)}`;
      await using trial = new Trial();
      const backend = await trial.open({ name, keep: false, perCommand });
      await sh(backend, "true");
      // The container of the command itself may still be going, and would hold the volumes.
      const containers = (): number => trial.left.filter((line) => line.startsWith("container")).length;
      await expect.poll(containers, { timeout: 20_000 }).toBe(1);
      docker(["rm", "-fv", name]);
      for (const act of [sh(backend, "true"), sh(backend, "true"), backend.stat(backend.cwd)]) {
        const begun = performance.now();
        await expect(act).rejects.toMatchObject({
          code: "backend_unavailable",
          message: expect.stringMatching(/^Container [0-9a-f]{12} was removed\.$/),
          hint: expect.stringMatching(/^Start toolgate again.* is lost\.$/),
        });
        expect(performance.now() - begun).toBeLessThan(2000);
      }
    },
  );

  it("end the processes of a command that is stopped: the engine sees none of them", async () => {
    const name = `toolgate-test-${randomHex(6)}`;
    await using trial = new Trial();
    const backend = await trial.open({ name, keep: false });
    const before = docker(["top", name, "-eo", "pid,args"]);
    const script = "trap '' TERM; sleep 301 & setsid sleep 302 & echo; sleep 303";
    const stop = new AbortController();
    const { result } = await sh(backend, script, { signal: stop.signal, onOutput: () => stop.abort() });
    expect(result).toMatchObject({ stopped: true, survivors: [] });
    const after = docker(["top", name, "-eo", "pid,args"]);
    expect(after).not.toMatch(/sleep 30[123]/);
    expect(after.split("\n").length).toBeLessThanOrEqual(before.split("\n").length + 2);
  });
});
