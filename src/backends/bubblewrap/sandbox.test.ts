import { execFile, execFileSync, spawn } from "node:child_process";
import {
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { chmod, readlink } from "node:fs/promises";
import { createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { has } from "../../../test/require.ts";
import { testFolder } from "../../../test/test-folder.ts";
import type { Backend, ExecOptions } from "../../backend.ts";
import { type BubblewrapBackendOptions, bubblewrapBackend, bubblewrapUsable } from "../bubblewrap.ts";

/** Not in the temporary directory, of which a sandbox has its own. */
const besides = join(import.meta.dirname, "../../../node_modules");
const ORDINARY = ["--reuid=65534", "--regid=65534", "--clear-groups", "--"] as const;
const SECRET = "what nobody in a sandbox may see";

describe.skipIf(!has("bwrap"))("a sandbox", () => {
  it("shows nothing of this machine's other files, to commands or file operations", async () => {
    await inSandbox({}, async ({ backend, workspace, folder }) => {
      const secret = join(folder, "outside", "secret");
      const hidden = [
        secret,
        join(homedir(), ".ssh"),
        homedir(),
        "/etc/shadow",
        "/var/lib",
        `/proc/${process.pid}`,
      ];
      for (const path of [...hidden, "/proc/1/root/etc/shadow", "/sys/kernel"]) {
        for (const look of ["stat", "lstat", "readFile", "list"] as const) {
          await expect(backend[look](path), `${look} ${path}`).rejects.toMatchObject({ code: "not_found" });
        }
      }
      symlinkSync(secret, join(workspace, "to-file"));
      symlinkSync(dirname(secret), join(workspace, "to-folder"));
      symlinkSync("../outside/secret", join(workspace, "up"));
      symlinkSync("/etc/passwd", join(workspace, "accounts"));
      const at = backend.cwd;
      for (const name of ["to-file", "to-folder/secret", "up", "../outside/secret"]) {
        await expect(backend.readFile(`${at}/${name}`), name).rejects.toMatchObject({ code: "not_found" });
        expect(await said(backend, ["cat", `${at}/${name}`]), name).toContain("No such file");
      }
      expect(text(await backend.readFile(`${at}/accounts`))).toMatch(/^root:x:0:0:.*\nuser:x:\d+/);
      expect(text(await backend.readFile("/proc/self/environ"))).not.toContain(process.env.PATH);
      expect(readFileSync(secret, "utf8")).toBe(SECRET);
    });
  });

  it("makes what a link outside names in the sandbox only, or not at all", async () => {
    await inSandbox({}, async ({ backend, workspace, folder }) => {
      symlinkSync(join(folder, "outside"), join(workspace, "away"));
      symlinkSync("/tmp", join(workspace, "temporary"));
      const bytes = Buffer.from("x");
      const at = backend.cwd;
      const away = `${at}/away/new`;
      const acts = [
        backend.writeFile(away, bytes),
        backend.writeFile(away, bytes, { parents: true }),
        backend.mkdir(away),
      ];
      for (const act of acts) await expect(act).rejects.toMatchObject({ code: "permission_denied" });
      await backend.writeFile(`${at}/temporary/new`, bytes);
      expect(await said(backend, ["cat", "/tmp/new"])).toBe("x");
      expect(readdirSync(join(folder, "outside"))).toEqual(["secret"]);
    });
  });

  it("can't change the system, by commands or file operations", async () => {
    await inSandbox({}, async ({ backend }) => {
      const bytes = Buffer.from("x");
      const acts: readonly (readonly [string, () => Promise<unknown>, string])[] = [
        ["write", () => backend.writeFile("/usr/new", bytes), "permission_denied"],
        ["write at the top", () => backend.writeFile("/new", bytes), "permission_denied"],
        ["replace", () => backend.writeFile("/usr/bin/env", bytes), "permission_denied"],
        ["append", () => backend.writeFile("/etc/passwd", bytes, { append: true }), "permission_denied"],
        ["mkdir", () => backend.mkdir("/usr/new/folder"), "permission_denied"],
        ["remove", () => backend.remove("/usr/bin/env"), "permission_denied"],
        ["remove a tree", () => backend.remove("/usr/share/doc", { recursive: true }), "permission_denied"],
        ["rename away", () => backend.rename("/usr/bin/env", `${backend.cwd}/env`), "permission_denied"],
        ["remove what is mounted", () => backend.remove(backend.cwd, { recursive: true }), "unsupported"],
        ["rename what is mounted", () => backend.rename("/tmp", "/temporary"), "unsupported"],
      ];
      for (const [what, act, code] of acts) await expect(act(), what).rejects.toMatchObject({ code });
      const script =
        "for f in /new /usr/new /etc/passwd /proc/sys/kernel/hostname /sys/new; do true >> $f; done";
      const { stderr } = await run(backend, ["sh", "-c", `(${script}) 2>&1 >/dev/null | grep -vc "^$" >&2`]);
      expect(Number(stderr)).toBeGreaterThan(0);
      expect(statSync("/usr", { throwIfNoEntry: false })?.isDirectory()).toBe(true);
      expect(statSync("/usr/new", { throwIfNoEntry: false })).toBeUndefined();
    });
  });

  it("has processes, users, names and a network of its own", async () => {
    await inSandbox({}, async ({ backend }) => {
      for (const name of ["pid", "ipc", "uts", "net", "user", "mnt"]) {
        const inside = (await said(backend, ["readlink", `/proc/self/ns/${name}`])).trim();
        expect(inside, name).toMatch(/^\w+:\[\d+\]$/);
        expect(inside, name).not.toBe(await readlink(`/proc/self/ns/${name}`));
      }
      expect(await said(backend, ["hostname"])).toBe("sandbox\n");
      expect(await said(backend, ["sh", "-c", "id -un; id -u"])).not.toMatch(/root|^0$/m);
      expect(Number(await said(backend, ["sh", "-c", "ls -d /proc/[0-9]* | wc -l"]))).toBeLessThan(8);
      expect(await said(backend, ["sh", "-c", "echo $HOME; echo ~; pwd"])).toBe(
        `/home/user\n/home/user\n${backend.cwd}\n`,
      );
    });
  });

  it.skipIf(!has("python3"))(
    "refuses what only helps against the kernel, and leaves ordinary sockets be",
    async () => {
      await inSandbox({}, async ({ backend }) => {
        const script = [
          "import ctypes, socket",
          "for family in (socket.AF_UNIX, socket.AF_INET): socket.socket(family)",
          "for family in (38, 40):",
          "  try: socket.socket(family, socket.SOCK_STREAM)",
          "  except OSError as error: print(error.errno)",
          "libc = ctypes.CDLL(None, use_errno=True)",
          "print(libc.syscall({'x86_64': 250, 'aarch64': 219}[__import__('os').uname().machine], 0, -3, 0), ctypes.get_errno())",
          "print(libc.unshare(0x10000000), ctypes.get_errno() > 0)",
        ];
        expect(await said(backend, ["python3", "-c", script.join("\n")])).toBe("13\n13\n-1 13\n-1 True\n");
      });
    },
  );

  it("reaches the network only when it may, and never where a run asks for none", async () => {
    const server = createServer((socket) => socket.end("hello\n"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const call = ["bash", "-c", `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`];
    const none = { write: [], network: false };
    const open = { write: [], network: true };
    try {
      await inSandbox({}, async ({ backend }) => {
        expect(await said(backend, call)).not.toContain("hello");
        expect(await said(backend, call, { confine: open })).not.toContain("hello");
      });
      await inSandbox({ network: true }, async ({ backend }) => {
        expect(await said(backend, call)).toBe("hello\n");
        expect(await said(backend, call, { confine: open })).toBe("hello\n");
        expect(await said(backend, call, { confine: none })).not.toContain("hello");
      });
    } finally {
      server.close();
    }
  });

  it("starts from a clean environment", async () => {
    process.env.SANDBOX_TEST_SECRET = SECRET;
    process.env.SANDBOX_TEST_NAMED = "passed on";
    try {
      const options = { inherit: ["SANDBOX_TEST_NAMED"], env: { OWN: "1" } };
      await inSandbox(options, async ({ backend }) => {
        const env = await said(backend, ["env"]);
        expect(env).not.toContain(SECRET);
        expect(env).not.toContain(homedir());
        expect(env).toMatch(/^SANDBOX_TEST_NAMED=passed on$/m);
        expect(env).toMatch(/^OWN=1$/m);
      });
    } finally {
      delete process.env.SANDBOX_TEST_SECRET;
      delete process.env.SANDBOX_TEST_NAMED;
    }
  });

  it("keeps /tmp and the home between commands, shows more where asked, and leaves nothing", async () => {
    const { folder, remove } = await testFolder();
    const before = process.env.TMPDIR;
    try {
      mkdirSync(join(folder, "data"));
      writeFileSync(join(folder, "data", "file"), "data");
      // Its own workspace, since one in the temporary directory would be seen elsewhere.
      process.env.TMPDIR = join(folder, "tmp");
      mkdirSync(process.env.TMPDIR);
      const backend = await bubblewrapBackend();
      try {
        expect(backend.cwd).toBe("/workspace");
        await said(backend, ["sh", "-c", "echo one > /tmp/file; echo two > ~/file; echo three > file"]);
        expect(await said(backend, ["sh", "-c", "cat /tmp/file ~/file file"])).toBe("one\ntwo\nthree\n");
        expect(text(await backend.readFile("/tmp/file"))).toBe("one\n");
        expect(text(await backend.readFile("/home/user/file"))).toBe("two\n");
        expect((await backend.list("/")).map(({ name }) => name)).toEqual(
          expect.arrayContaining(["usr", "bin", "tmp", "home", "workspace", "proc", "dev"]),
        );
      } finally {
        await backend[Symbol.asyncDispose]();
      }
      expect(readdirSync(process.env.TMPDIR)).toEqual([]);
      expect(readdirSync(join(folder, "data"))).toEqual(["file"]);
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
      await remove();
    }
  });

  it("shows a tool chain read-only, and keeps a part of the workspace from being changed", async () => {
    const prepare = (workspace: string): readonly string[] => {
      mkdirSync(join(workspace, "deep", ".git"), { recursive: true });
      writeFileSync(join(workspace, "deep", ".git", "config"), "old\n");
      return [join(workspace, "deep", ".git")];
    };
    await inSandbox({ prepare }, async ({ backend, workspace }) => {
      const config = `${backend.cwd}/deep/.git/config`;
      const write = backend.writeFile(config, Buffer.from("new"));
      await expect(write).rejects.toMatchObject({ code: "permission_denied" });
      expect(await said(backend, ["sh", "-c", `echo new > ${config}; cat ${config}`])).toContain("old\n");
      expect(await said(backend, ["sh", "-c", "echo fine > deep/file; cat deep/file"])).toBe("fine\n");
      // A name above it can be taken away; whatever then stands there is not mounted.
      await said(backend, ["sh", "-c", "mv deep gone; mkdir deep; ln -s /etc deep/.git"]);
      await expect(run(backend, ["true"])).rejects.toMatchObject({ code: "stale" });
      expect(readFileSync(join(workspace, "gone", ".git", "config"), "utf8")).toBe("old\n");
    });
  });

  it("tightens what may be written, and leaves read-only what is read-only inside of it", async () => {
    const prepare = (workspace: string): readonly string[] => {
      mkdirSync(join(workspace, "a", "kept"), { recursive: true });
      return [join(workspace, "a", "kept")];
    };
    await inSandbox({ prepare }, async ({ backend, folder }) => {
      symlinkSync(join(folder, "outside"), join(folder, "workspace", "away"));
      const { cwd } = backend;
      const script =
        "for f in a/new a/kept/new b /tmp/new away/new /usr/new; do true > $f; done 2>/dev/null; ls a a/kept";
      const write = [`${cwd}/a`, `${cwd}/away`, `${cwd}/missing`, "/usr"];
      expect(await said(backend, ["sh", "-c", script], { confine: { write, network: false } })).toBe(
        "a:\nkept\nnew\n\na/kept:\n",
      );
      expect((await backend.list(cwd)).map(({ name }) => name).sort()).toEqual(["a", "away"]);
      const all = { confine: { write: ["/"], network: false } };
      await said(backend, ["sh", "-c", "true > b; true > /tmp/new; true > a/kept/new"], all);
      expect(await said(backend, ["ls", "a/kept", "b", "/tmp/new"])).toBe("/tmp/new\nb\n\na/kept:\n");
      expect(readdirSync(join(folder, "outside"))).toEqual(["secret"]);
    });
  });

  it("is not led astray by a command that swaps directories for links all the while", async () => {
    await inSandbox({}, async ({ backend, folder }) => {
      const outside = join(folder, "outside");
      const swap = `mkdir real; echo inside > real/secret; i=0
        while [ -e real ]; do ln -sfn ${outside} link; mv -T link dir 2>/dev/null; rm -f dir; mv -T real dir; mv -T dir real; done`;
      const stop = new AbortController();
      const swapping = run(backend, ["sh", "-c", swap], { signal: stop.signal });
      const seen = new Set<string>();
      const deadline = Date.now() + 1500;
      for (let round = 0; Date.now() < deadline; round += 1) {
        const path = `${backend.cwd}/dir/secret`;
        seen.add(await backend.readFile(path).then(text, () => ""));
        await backend.writeFile(`${backend.cwd}/dir/new-${round}`, Buffer.from("x")).catch(() => undefined);
        await backend.mkdir(`${backend.cwd}/dir/folder-${round}/below`).catch(() => undefined);
      }
      stop.abort();
      await swapping;
      expect([...seen].filter((content) => !["", "inside\n"].includes(content))).toEqual([]);
      expect(readdirSync(outside)).toEqual(["secret"]);
    });
  });

  it("says how a command ended, in no words of its own, whatever the command does to what started it", async () => {
    await inSandbox({}, async ({ backend }) => {
      const rows = [
        ["kill -TERM $$", 128 + 15],
        ["kill -KILL $$", 128 + 9],
        ["kill -KILL $PPID 2>&-; exit 7", 7],
      ] as const;
      for (const [script, exitCode] of rows) {
        const { result, stdout, stderr } = await run(backend, ["sh", "-c", script]);
        expect([script, result.exitCode, stdout + stderr]).toEqual([script, exitCode, ""]);
      }
    });
  });

  it("says that a sandbox couldn't be made, and not that the command failed", async () => {
    const prepare = (workspace: string): readonly string[] => {
      const data = join(dirname(workspace), "data");
      mkdirSync(data);
      return [data];
    };
    await inSandbox({ prepare }, async ({ backend, folder }) => {
      rmdirSync(join(folder, "data"));
      await expect(run(backend, ["true"])).rejects.toMatchObject({
        code: "backend_unavailable",
        message: expect.stringMatching(/^The sandbox can't be made: bwrap: .*data: No such file/),
      });
    });
  });

  it("tells what a command left behind from what waits for its end", async () => {
    await inSandbox({}, async ({ backend }) => {
      const script = "(sleep 300 & sleep 300 &) & wait";
      const { result } = await run(backend, ["sh", "-c", script]);
      const commands = result.survivors.map(({ command }) => command);
      expect(commands).toEqual(["sleep 300", "sleep 300"]);
    });
  });

  it("ends what a command left behind when the backend is disposed of", async () => {
    const { backend, workspace, remove } = await sandbox({});
    try {
      const { result } = await run(backend, ["sh", "-c", "sleep 300 & echo $!"]);
      expect(result.survivors).toMatchObject([{ command: "sleep 300" }]);
      expect(processesSeeing(workspace)).not.toEqual([]);
      await backend[Symbol.asyncDispose]();
      expect(processesSeeing(workspace)).toEqual([]);
    } finally {
      await remove();
    }
  });

  it("ends with this process, however that ends", async () => {
    const { folder, remove } = await testFolder(besides);
    try {
      for (const name of ["workspace", "outside", "tmp"]) mkdirSync(join(folder, name));
      const workspace = join(folder, "workspace");
      const child = spawn(process.execPath, [join(import.meta.dirname, "fixtures/dies.ts"), workspace], {
        env: { PATH: process.env.PATH, TMPDIR: join(folder, "tmp") },
        stdio: ["ignore", "pipe", "inherit"],
      });
      expect(text(await new Promise<Buffer>((resolve) => child.stdout.once("data", resolve)))).toBe(
        "ready\n",
      );
      expect(processesSeeing(workspace)).not.toEqual([]);
      child.kill("SIGKILL");
      await expect.poll(() => processesSeeing(workspace), { timeout: 5000 }).toEqual([]);
    } finally {
      await remove();
    }
  });

  it("bounds memory and processor time for each process", async () => {
    const limits = { memoryBytes: 100_000_000, cpuSeconds: 1 };
    await inSandbox({ limits }, async ({ backend }) => {
      const hog = "s=x; while :; do s=$s$s; done";
      const memory = await run(backend, ["sh", "-c", hog]);
      expect(memory.result.exitCode).not.toBe(0);
      expect(memory.result.stopped).toBe(false);
      const busy = await run(backend, ["sh", "-c", "while :; do :; done"]);
      expect([128 + 24, 128 + 9]).toContain(busy.result.exitCode);
      expect(await said(backend, ["echo", "well"])).toBe("well\n");
    });
  });

  it.skipIf(process.getuid?.() !== 0)("works for root in another's workspace, as that user", async () => {
    const prepare = (workspace: string): readonly string[] => {
      chownSync(workspace, 65534, 65534);
      return [];
    };
    await inSandbox({ prepare, limits: { processes: 20 } }, async ({ backend, workspace }) => {
      await said(backend, ["sh", "-c", "echo x > by-command; cat /dev/stdin > by-input"], {
        stdin: Buffer.from("y"),
      });
      await backend.writeFile(`${backend.cwd}/new/by-file`, Buffer.from("z"), { parents: true });
      for (const name of ["by-command", "by-input", "new", "new/by-file"]) {
        expect([name, statSync(join(workspace, name)).uid]).toEqual([name, 65534]);
      }
      expect(await said(backend, ["sh", "-c", "echo more >> new/by-file; cat new/by-file"])).toBe("zmore\n");
      const bomb = "i=0; while [ $i -lt 60 ]; do sleep 1 & i=$((i+1)); done; echo all";
      const { stdout, stderr } = await run(backend, ["sh", "-c", `(${bomb})`]);
      expect([stdout, stderr]).toEqual(["", expect.stringMatching(/fork/i)]);
    });
  });
});

describe.skipIf(!has("bwrap") || !canBecome())("a sandbox of an ordinary user's", () => {
  it("keeps the promises of a backend", { timeout: 120_000 }, async () => {
    const fixture = join(import.meta.dirname, "fixtures/ordinary-user.ts");
    const node = [process.execPath, "--test", "--test-reporter=tap", fixture];
    const { stdout } = await promisify(execFile)("setpriv", [...ORDINARY, ...node], {
      env: { PATH: process.env.PATH },
    }).catch((error: { readonly stdout: string }) => error);
    expect(stdout.match(/^ *not ok .*$/gm) ?? []).toEqual([]);
    expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(50);
  });
});

describe("making a sandbox", () => {
  it.skipIf(!has("bwrap") || process.getuid?.() !== 0)(
    "refuses root a bound that wouldn't hold",
    async () => {
      const made = bubblewrapBackend({ limits: { processes: 10 } });
      await expect(made).rejects.toMatchObject({ code: "unsupported" });
    },
  );

  it.skipIf(!has("bwrap"))("refuses what can't be shown", async () => {
    const rows: readonly (readonly [BubblewrapBackendOptions, string])[] = [
      [{ workspace: "/no/such/folder" }, "not_found"],
      [{ workspace: "/" }, "invalid_input"],
      [{ workspace: tmpdir() }, "invalid_input"],
      [{ writable: ["/usr/.."] }, "invalid_input"],
      [{ readOnly: ["/proc"] }, "invalid_input"],
      [{ readOnly: [tmpdir()] }, "invalid_input"],
      [{ limits: { cpuSeconds: 0 } }, "invalid_input"],
    ];
    for (const [options, code] of rows) {
      await expect(bubblewrapBackend(options), JSON.stringify(options)).rejects.toMatchObject({ code });
    }
  });

  it("says what is missing", async () => {
    const { folder, remove } = await testFolder();
    try {
      const missing = bubblewrapBackend({ bwrap: join(folder, "none") });
      await expect(missing).rejects.toMatchObject({ code: "missing_dependency" });
      const program = join(folder, "bwrap");
      writeFileSync(program, "#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2; exit 1\n");
      await chmod(program, 0o755);
      await expect(bubblewrapBackend({ bwrap: program })).rejects.toThrow(
        /^Bubblewrap doesn't work here: bwrap: setting up uid map: Permission denied\./,
      );
    } finally {
      await remove();
    }
  });

  it.skipIf(!has("bwrap"))("can be asked for beforehand", async () => {
    expect(await bubblewrapUsable()).toEqual({ usable: true });
  });
});

/** Whether this process may run Node as somebody without rights, who then finds it. */
function canBecome(): boolean {
  try {
    execFileSync("setpriv", [...ORDINARY, process.execPath, "--check", import.meta.filename], {
      stdio: "ignore",
    });
    return true;
  } catch {
    return false;
  }
}

interface TestSandbox {
  readonly backend: Backend;
  /** Where the workspace is on this machine. */
  readonly workspace: string;
  /** Holds the workspace and, beside it, `outside` with a secret. */
  readonly folder: string;
}

interface SandboxSetup extends BubblewrapBackendOptions {
  /** Changes the workspace first, and answers what is to be read-only. */
  readonly prepare?: (workspace: string) => readonly string[];
}

async function sandbox(setup: SandboxSetup): Promise<TestSandbox & { readonly remove: () => Promise<void> }> {
  const { prepare = () => [], ...options } = setup;
  const { folder, remove } = await testFolder(besides);
  const workspace = join(folder, "workspace");
  for (const name of ["workspace", "outside"]) mkdirSync(join(folder, name));
  await chmod(folder, 0o755);
  writeFileSync(join(folder, "outside", "secret"), SECRET);
  const readOnly = prepare(workspace);
  return { backend: await bubblewrapBackend({ workspace, readOnly, ...options }), workspace, folder, remove };
}

async function inSandbox(setup: SandboxSetup, body: (made: TestSandbox) => Promise<void>): Promise<void> {
  const made = await sandbox(setup);
  try {
    await body(made);
  } finally {
    await made.backend[Symbol.asyncDispose]();
    await made.remove();
  }
}

async function run(backend: Backend, argv: readonly string[], options: Partial<ExecOptions> = {}) {
  const pieces = { stdout: "", stderr: "" };
  const result = await backend.exec(argv, {
    cwd: backend.cwd,
    onOutput(bytes, stream) {
      pieces[stream] += text(bytes);
    },
    ...options,
  });
  return { ...pieces, result };
}

async function said(
  backend: Backend,
  argv: readonly string[],
  options: Partial<ExecOptions> = {},
): Promise<string> {
  const { stdout, stderr } = await run(backend, argv, options);
  return stdout + stderr;
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}

/** The processes that see a workspace, and not what lies beside it. */
function processesSeeing(workspace: string): readonly string[] {
  const sees = (pid: string, path: string): boolean => {
    try {
      return statSync(join("/proc", pid, "root", path)).isDirectory();
    } catch {
      // No process, or one that has ended.
      return false;
    }
  };
  return readdirSync("/proc").filter(
    (pid) => sees(pid, workspace) && !sees(pid, `${dirname(workspace)}/outside`),
  );
}
