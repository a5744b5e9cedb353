import { mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { docker, TEST_USER, testImage } from "../../../test/docker.ts";
import { has } from "../../../test/require.ts";
import { testFolder } from "../../../test/test-folder.ts";
import { randomHex } from "../../lib/random-hex.ts";
import { sh, Trial } from "./fixtures/trial.ts";

describe.skipIf(!has("docker"))("what a Docker container is given", () => {
  it("are limits, no network and no rights, whatever else is asked for", async () => {
    const name = `toolgate-test-${randomHex(6)}`;
    await using trial = new Trial();
    const backend = await trial.open({
      name,
      keep: false,
      memoryMiB: 128,
      cpus: 0.5,
      pids: 50,
      env: { ADDED: "x" },
    });
    const [config] = JSON.parse(docker(["inspect", name]));
    expect(config.HostConfig).toMatchObject({
      Memory: 128 * 1024 * 1024,
      MemorySwap: 128 * 1024 * 1024,
      NanoCpus: 5e8,
      PidsLimit: 50,
      CapDrop: ["ALL"],
      CapAdd: [],
      SecurityOpt: ["no-new-privileges"],
      NetworkMode: "none",
      Privileged: false,
      AutoRemove: true,
    });
    const { stdout } = await sh(
      backend,
      "grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status; ls /sys/class/net; echo $ADDED $GREETING $HOME",
    );
    const none = "0000000000000000";
    expect(stdout).toBe(
      `CapEff:\t${none}\nCapBnd:\t${none}\nNoNewPrivs:\t1\nSeccomp:\t2\nlo\nx hello /root\n`,
    );
  });

  it("is a working directory that belongs to the user, a root that isn't written, and a /tmp for all", async () => {
    await using trial = new Trial();
    const backend = await trial.open({ readOnly: true, user: TEST_USER, workdir: "/deep/work" });
    const { stdout } = await sh(
      backend,
      "pwd; echo x > file && stat -c %U file; echo x > /etc/x || echo refused; stat -c %a /tmp; echo x > /tmp/x && cat /tmp/x",
    );
    expect(stdout).toBe("/deep/work\nsomebody\nrefused\n1777\nx\n");
    expect(backend.home).toBe("/home/somebody");
  });

  it("may be a directory of this machine, to be written or not", async () => {
    const { folder, remove } = await testFolder();
    try {
      await using trial = new Trial();
      await writeFile(join(folder, "in"), "in\n");
      const backend = await trial.open({ mount: folder });
      expect((await sh(backend, "cat in; echo out > out")).stdout).toBe("in\n");
      expect(await readFile(join(folder, "out"), "utf8")).toBe("out\n");
      expect((await stat(join(folder, "out"))).uid).toBe(process.getuid?.());
      const reading = await trial.open({ mount: { path: folder, readOnly: true } });
      expect((await sh(reading, "cat in; echo x > new || echo refused")).stdout).toBe("in\nrefused\n");
      await expect(trial.open({ mount: join(folder, "missing") })).rejects.toMatchObject({
        code: "backend_unavailable",
        message: expect.stringContaining("missing"),
      });
    } finally {
      await remove();
    }
  });

  it("may be a volume, which stays", async () => {
    const volume = `toolgate-test-${randomHex(6)}`;
    try {
      await using trial = new Trial();
      const labels = {};
      const first = await trial.open({ volume, user: TEST_USER, labels });
      await sh(first, "echo kept > file");
      await first[Symbol.asyncDispose]();
      const second = await trial.open({ volume, user: TEST_USER, labels });
      expect((await sh(second, "cat file; echo more >> file")).result.exitCode).toBe(0);
    } finally {
      docker(["volume", "rm", volume]);
    }
  });

  it("lets a confined run write where it may, and nowhere that a link leads out to", async () => {
    const { folder, remove } = await testFolder();
    try {
      await using trial = new Trial();
      await mkdir(join(folder, "work/allowed"), { recursive: true });
      await mkdir(join(folder, "outside"));
      await symlink("../outside", join(folder, "work/link"));
      const backend = await trial.open({ readOnly: true, mount: join(folder, "work") });
      const write = ["allowed", "link"].map((name) => `${backend.cwd}/${name}`);
      const script =
        "echo x > allowed/file; echo x > link/file; echo x > file; find . -name file; cat /outside/file";
      const { stdout, result } = await sh(backend, script, { confine: { write, network: false } });
      expect([stdout, result.confined]).toEqual(["./allowed/file\n", { enforced: true }]);
      await expect(stat(join(folder, "outside/file"))).rejects.toThrow();
    } finally {
      await remove();
    }
  });

  it("is a container for each command, where that is wished", async () => {
    await using trial = new Trial();
    const backend = await trial.open({ perCommand: true });
    await sh(backend, "echo shared > file; echo shared > /tmp/file; echo own > /own");
    expect((await sh(backend, "cat file /tmp/file; cat /own || echo gone; hostname")).stdout).toMatch(
      /^shared\nshared\ngone\n/,
    );
    expect(Buffer.from(await backend.readFile(`${backend.cwd}/file`)).toString()).toBe("shared\n");
    const { result } = await sh(backend, "sleep 3 && echo late > late & echo done");
    expect(result.survivors.length).toBeGreaterThan(0);
    while (!(await backend.list(backend.cwd)).some(({ name }) => name === "late")) await pause(50);
    const confined = await sh(backend, "echo x > /own; echo x > file; cat file", {
      confine: { write: "none", network: false },
    });
    expect([confined.stdout, confined.result.confined]).toEqual(["shared\n", { enforced: true }]);
  });

  it("is a network, a right or the engine's init process, where that is wished", async () => {
    await using trial = new Trial();
    const backend = await trial.open({ network: "bridge", capabilities: ["CHOWN"], init: true });
    const script =
      "ls /sys/class/net; echo > x; chown 1000 x && stat -c %u x; tr '\\0' ' ' < /proc/1/cmdline";
    expect((await sh(backend, script)).stdout).toMatch(/^eth0\nlo\n1000\n\S*init /);
  });

  it("says when a command failed for lack of memory", async () => {
    await using trial = new Trial();
    const backend = await trial.open({ memoryMiB: 64 });
    const { stderr, result } = await sh(backend, "head -c 200000000 /dev/zero | tail -n 1 | wc -c; exit 1");
    expect(result.exitCode).toBe(1);
    expect(stderr).toContain("memory limit of 64 MiB was reached");
    expect((await sh(backend, "echo usable")).stdout).toBe("usable\n");
  });
});

describe.skipIf(!has("docker"))("an image for a Docker container", () => {
  it("is built from a directory, but for what is ignored; a build that fails says what it said", async () => {
    const { folder, remove } = await testFolder();
    const image = `toolgate-test-built:${randomHex(4)}`;
    try {
      await using trial = new Trial();
      await writeFile(
        join(folder, "Dockerfile"),
        `FROM ${testImage()}\nARG WORD\nCOPY . /built\nRUN echo $WORD > /word\n`,
      );
      await writeFile(join(folder, ".dockerignore"), "secret\n");
      await writeFile(join(folder, "secret"), "x");
      await writeFile(join(folder, "shown"), "x");
      const lines: string[] = [];
      const backend = await trial.open({
        image,
        build: { context: folder, args: { WORD: "word" } },
        onProgress: (line) => void lines.push(line),
      });
      expect((await sh(backend, "cat /word; ls /built")).stdout).toBe("word\nDockerfile\nshown\n");
      expect(lines.join("\n")).toContain("RUN echo");
      await writeFile(join(folder, "Dockerfile"), `FROM ${testImage()}\nRUN echo because; exit 3\n`);
      await expect(trial.open({ image, build: { context: folder } })).rejects.toMatchObject({
        code: "backend_unavailable",
        message: expect.stringMatching(/because[\s\S]*returned a non-zero code: 3/),
      });
      await expect(trial.open({ image, build: { context: join(folder, "none") } })).rejects.toMatchObject({
        code: "not_found",
      });
    } finally {
      docker(["image", "rm", "-f", image]);
      await remove();
    }
  });

  it("is said to be missing, or that it can't be fetched, or that nothing can be run in it", async () => {
    await using trial = new Trial();
    const missing = {
      code: "backend_unavailable",
      message: expect.stringContaining("no image toolgate-none"),
    };
    await expect(trial.open({ image: "toolgate-none" })).rejects.toMatchObject(missing);
    const far = {
      code: "backend_unavailable",
      message: expect.stringContaining("couldn't be fetched"),
      hint: expect.stringContaining("docker pull 127.0.0.1:1/none"),
    };
    await expect(trial.open({ image: "127.0.0.1:1/none", pull: "missing" })).rejects.toMatchObject(far);
    const { folder, remove } = await testFolder();
    const image = `toolgate-test-bare:${randomHex(4)}`;
    try {
      await writeFile(join(folder, "Dockerfile"), "FROM scratch\nCOPY Dockerfile /\n");
      await expect(trial.open({ image, build: { context: folder } })).rejects.toMatchObject({
        code: "unsupported",
        message: expect.stringContaining("has no sh"),
      });
    } finally {
      docker(["image", "rm", "-f", image]);
      await remove();
    }
  });
});
