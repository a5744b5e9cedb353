import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { has } from "../../../test/require.ts";
import { publicKey, startSshd, type TestSshd } from "../../../test/sshd.ts";
import { testFolder } from "../../../test/test-folder.ts";
import type { Backend, ExecOptions } from "../../backend.ts";
import { type SshBackendOptions, sshBackend, sshUsable } from "../ssh.ts";
import { accessTo } from "./fixtures/access.ts";
import { passwordServer } from "./fixtures/password-server.ts";

describe.skipIf(!has("sshd"))("getting in", () => {
  let sshd: TestSshd | undefined;
  beforeAll(async () => {
    sshd = await startSshd();
  });
  afterAll(() => sshd?.dispose());
  const server = (): TestSshd => {
    if (sshd === undefined) throw new Error("no sshd");
    return sshd;
  };

  it("refuses a host whose key isn't known, and shows the key's fingerprint", async () => {
    const { folder, port } = server();
    const file = join(folder, "none");
    const error = await failure({ ...accessTo(sshd), knownHosts: [file] });
    expect(error).toMatchObject({ code: "backend_unavailable" });
    const [, print = ""] = execFileSync("ssh-keygen", ["-lf", join(folder, "host.pub")], {
      encoding: "utf8",
    }).split(" ");
    expect(error.text).toContain(
      `The host key of ${server().user}@127.0.0.1:${port} is not known: ED25519 ${print}.`,
    );
    expect(error.text).toContain("accept-new");
    expect(() => readFileSync(file)).toThrow();
  });

  it("writes a new host down where asked to, and goes by that", async () => {
    const { folder, port } = server();
    const file = join(folder, "new", "known_hosts");
    const access = { ...accessTo(sshd), knownHosts: [file] };
    await works({ ...access, strictHostKey: "accept-new" });
    expect(readFileSync(file, "utf8")).toBe(`[127.0.0.1]:${port} ${publicKey(folder, "host")}\n`);
    await works(access);
  });

  it.each([
    [
      "another key",
      (port: number, folder: string) => `[127.0.0.1]:${port} ${publicKey(folder, "host2")}`,
      /is another than the known one/,
    ],
    [
      "a revoked key",
      (_port: number, folder: string) => `@revoked * ${publicKey(folder, "host")}`,
      /has been revoked/,
    ],
  ] as const)("refuses %s, new ones accepted or not", async (_what, line, message) => {
    const { folder, port } = server();
    const file = join(folder, "changed");
    for (const strictHostKey of ["yes", "accept-new"] as const) {
      writeFileSync(file, `${line(port, folder)}\n`);
      const error = await failure({ ...accessTo(sshd), knownHosts: [file], strictHostKey });
      expect(error.message).toMatch(message);
      expect(readFileSync(file, "utf8")).toBe(`${line(port, folder)}\n`);
    }
  });

  it("asks for a key of the kind that is known", async () => {
    const folder = server().folder;
    execFileSync("ssh-keygen", ["-q", "-t", "ecdsa", "-N", "", "-f", join(folder, "ecdsa")]);
    const other = await startSshd([`HostKey ${join(folder, "ecdsa")}`]);
    try {
      const file = join(other.folder, "only-ecdsa");
      writeFileSync(file, `[127.0.0.1]:${other.port} ${publicKey(folder, "ecdsa")}\n`);
      await works({ ...accessTo(other), knownHosts: [file] });
    } finally {
      await other.dispose();
    }
  });

  it("says what was tried when nothing gets us in", async () => {
    const { folder } = server();
    const error = await failure({ ...accessTo(sshd), identityFiles: [join(folder, "other")] });
    expect(error).toMatchObject({ code: "permission_denied" });
    expect(error.message).toContain(`doesn't let us in: tried the key ${join(folder, "other")}.`);
    const nothing = await failure({ ...accessTo(sshd), identityFiles: [] });
    expect(nothing).toMatchObject({ code: "permission_denied" });
    const missing = await failure({ ...accessTo(sshd), identityFiles: [join(folder, "missing")] });
    expect(missing).toMatchObject({ code: "not_found" });
  });

  it("opens a key with its passphrase", async () => {
    const { folder } = server();
    const key = join(folder, "locked");
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "open sesame", "-f", key]);
    appendFileSync(join(folder, "authorized_keys"), readFileSync(`${key}.pub`));
    const access = { ...accessTo(sshd), identityFiles: [key] };
    expect((await failure(access)).text).toMatch(/has a passphrase.*ssh-add/);
    expect(await failure({ ...access, passphrase: () => "wrong" })).toMatchObject({
      code: "permission_denied",
    });
    await works({ ...access, passphrase: async (file) => (file === key ? "open sesame" : undefined) });
  });

  it("takes an agent's keys, and goes on without an agent that is gone", async () => {
    const { folder } = server();
    const agent = await startAgent(join(folder, "agent"));
    try {
      execFileSync("ssh-add", ["-q", join(folder, "client")], { env: { SSH_AUTH_SOCK: agent.socket } });
      await works({ ...accessTo(sshd), identityFiles: [], agent: agent.socket });
    } finally {
      agent.process.kill();
    }
    await works({ ...accessTo(sshd), agent: join(folder, "no-agent") });
  });

  it.each(["password", "keyboard-interactive"] as const)("answers what is asked by %s", async (method) => {
    const { folder, remove } = await testFolder();
    const standIn = await passwordServer(folder, method, "sesame");
    try {
      const asked: string[] = [];
      const access = {
        ...accessTo(sshd),
        port: standIn.port,
        identityFiles: [],
        knownHosts: [join(folder, "known_hosts")],
        strictHostKey: "accept-new" as const,
      };
      const answering = (answer: string | undefined) => ({
        ...access,
        password(prompt: string) {
          asked.push(prompt);
          return answer;
        },
      });
      // It lets us in, and then runs nothing.
      expect((await failure(answering("sesame"))).message).toMatch(/^The server starts no command/);
      expect(asked).toEqual([
        method === "password"
          ? `Password for ${server().user}@127.0.0.1:${standIn.port}:`
          : "The word of the day:",
      ]);
      for (const answer of ["wrong", undefined]) {
        expect(await failure(answering(answer))).toMatchObject({ code: "permission_denied" });
      }
    } finally {
      standIn.close();
      await remove();
    }
  });

  it("goes past a usual key that is none, as ssh does", async () => {
    const { folder, remove } = await testFolder();
    const home = process.env.HOME;
    try {
      mkdirSync(join(folder, ".ssh"));
      writeFileSync(join(folder, ".ssh", "id_ed25519"), "no key\n");
      writeFileSync(join(folder, ".ssh", "id_rsa"), readFileSync(join(server().folder, "client")));
      process.env.HOME = folder;
      const { identityFiles: _named, ...access } = accessTo(sshd);
      await works({ ...access, agent: false });
    } finally {
      process.env.HOME = home;
      await remove();
    }
  });

  it("can be asked for beforehand", async () => {
    expect(await sshUsable()).toEqual({ usable: true });
    expect(await sshUsable(accessTo(sshd))).toEqual({ usable: true });
    const { usable, why } = await sshUsable({ ...accessTo(sshd), port: 1 });
    expect([usable, why]).toEqual([
      false,
      expect.stringMatching(/^Can't connect to .*@127.0.0.1:1: nobody listens there\. Check that/),
    ]);
  });

  it("starts where it is told, below the home too", async () => {
    const { folder, remove } = await testFolder();
    try {
      expect(await failure({ ...accessTo(sshd), path: join(folder, "none") })).toMatchObject({
        code: "not_found",
      });
      await using backend = await sshBackend({ ...accessTo(sshd), path: "." });
      expect(backend.cwd).toBe(await backend.realpath(backend.home));
    } finally {
      await remove();
    }
  });
});

describe.skipIf(!has("sshd"))("staying in", () => {
  it("runs 50 commands at a time, whatever the server allows", async () => {
    for (const lines of [[], ["MaxSessions 3"]]) {
      await withServer(lines, async (sshd) => {
        await using backend = await sshBackend(accessTo(sshd));
        const runs = Array.from({ length: 50 }, (_, index) =>
          said(backend, ["sh", "-c", `sleep 0.1; echo ${index}`]),
        );
        expect(await Promise.all(runs)).toEqual(runs.map((_, index) => `${index}\n`));
      });
    }
  });

  it("ends a shell that waits for its next command when there is no room for another", async () => {
    await withServer([], async (sshd) => {
      const { folder, remove } = await testFolder();
      const path = join(folder, "large");
      writeFileSync(path, Buffer.alloc(3_000_000, "x"));
      // Eight sessions in all: one is for files, six wait for a command, and the last is taken.
      await using backend = await sshBackend({ ...accessTo(sshd), maxSessions: 1 });
      await Promise.all(Array.from({ length: 7 }, () => said(backend, ["sh", "-c", "sleep 1"])));
      const stop = new AbortController();
      const { cwd } = backend;
      const taking = Promise.withResolvers<number>();
      const taken = backend.exec(["sleep", "60"], {
        cwd,
        stdin: Buffer.from("x"),
        signal: stop.signal,
        onStart: taking.resolve,
      });
      await taking.promise;
      const started = performance.now();
      expect((await backend.readFile(path)).length).toBe(3_000_000);
      // Nobody waited until one went by itself.
      expect(performance.now() - started).toBeLessThan(7000);
      stop.abort();
      expect(await taken).toMatchObject({ stopped: true, survivors: [] });
      await remove();
    });
  });

  it("says that a connection was lost, ends what ran, and connects again", async () => {
    await withServer([], async (sshd) => {
      await using backend = await sshBackend(accessTo(sshd));
      for (const stdin of [undefined, Buffer.from("input")]) {
        const pid = Promise.withResolvers<string>();
        const running = backend.exec(["sh", "-c", "echo $$; trap '' HUP TERM; sleep 300 & wait; sleep 300"], {
          cwd: "/",
          ...(stdin === undefined ? {} : { stdin }),
          onOutput: (bytes) => pid.resolve(Buffer.from(bytes).toString().trim()),
        });
        const ended = running.catch((error: unknown) => error);
        const process = await pid.promise;
        await sshd.cut();
        expect(await ended).toMatchObject({
          code: "backend_unavailable",
          message: expect.stringContaining("was lost"),
          hint: expect.stringContaining("may still run"),
        });
        expect(await said(backend, ["echo", "again"])).toBe("again\n");
        const isAlive = async (): Promise<boolean> =>
          (await said(backend, ["ls", "-d", `/proc/${process}`])) === `/proc/${process}\n`;
        await expect.poll(isAlive, { timeout: 8000 }).toBe(false);
      }
    });
  });

  it("waits for a server that starts anew, and not for ever", async () => {
    await withServer([], async (sshd) => {
      await using backend = await sshBackend({ ...accessTo(sshd), connectTimeoutMs: 2000 });
      await sshd.stop();
      await setTimeout(100);
      const again = said(backend, ["echo", "again"]);
      await setTimeout(300);
      await sshd.start();
      expect(await again).toBe("again\n");
      await sshd.stop();
      await expect(backend.stat("/")).rejects.toMatchObject({ code: "backend_unavailable" });
    });
  });

  it("doesn't go on with a server that comes back with another key", async () => {
    await withServer([], async (sshd) => {
      await using backend = await sshBackend(accessTo(sshd));
      await sshd.stop();
      await setTimeout(100);
      await sshd.start("host2");
      await expect(backend.stat("/")).rejects.toThrow(/is another than the known one/);
    });
  });

  it("takes what a login shell says of its own for nothing of a command's", async () => {
    const noisy = `ForceCommand echo news; echo trouble >&2; eval "$SSH_ORIGINAL_COMMAND"`;
    await withServer([noisy], async (sshd) => {
      await using backend = await sshBackend(accessTo(sshd));
      const text = await said(backend, ["sh", "-c", "echo out; echo err >&2"]);
      expect(text.split("\n").sort()).toEqual(["", "err", "out"]);
    });
  });

  it("says what an account without a shell says", async () => {
    await withServer(["ForceCommand echo This account is not available."], async (sshd) => {
      const error = await failure(accessTo(sshd));
      expect(error).toMatchObject({ code: "unsupported" });
      expect(error.message).toMatch(/runs no commands; it said: This account is not available\./);
    });
  });

  it("passes more arguments than one command line holds", async () => {
    await withServer([], async (sshd) => {
      await using backend = await sshBackend(accessTo(sshd));
      const words = Array.from({ length: 3000 }, (_, index) => `${"it's ünï ".repeat(10)}${index}`);
      const script = 'echo $#; printf %s "$@" | cksum; cat';
      const expected = execFileSync("cksum", { input: words.join(""), encoding: "utf8" });
      const stdin = Buffer.from("input");
      expect(await said(backend, ["sh", "-c", script, "sh", ...words], { stdin })).toBe(
        `3000\n${expected}input`,
      );
    });
  });

  it("leaves no process and no connection behind", async () => {
    await withServer([], async (sshd) => {
      const backend = await sshBackend(accessTo(sshd));
      await said(backend, ["true"]);
      const running = said(backend, ["sh", "-c", "echo $$; sleep 300"]);
      await setTimeout(100);
      await backend[Symbol.asyncDispose]();
      const pid = (await running).trim();
      expect(pid === "" || existsSync(`/proc/${pid}/exe`)).toBe(pid === "");
      expect(existsSync(backend.scratch)).toBe(false);
      await expect.poll(() => sshd.sessions(), { timeout: 5000 }).toEqual([]);
    });
  });
});

async function withServer(lines: readonly string[], body: (sshd: TestSshd) => Promise<void>): Promise<void> {
  const sshd = await startSshd(lines);
  try {
    await body(sshd);
  } finally {
    await sshd.dispose();
  }
}

async function works(options: SshBackendOptions): Promise<void> {
  await using backend = await sshBackend(options);
  expect(await said(backend, ["echo", "in"])).toBe("in\n");
}

async function failure(
  options: SshBackendOptions,
): Promise<{ readonly code: string; readonly message: string; readonly text: string }> {
  try {
    await (await sshBackend(options))[Symbol.asyncDispose]();
  } catch (error) {
    return error as Awaited<ReturnType<typeof failure>>;
  }
  throw new Error("It got in.");
}

async function said(
  backend: Backend,
  argv: readonly string[],
  options: Partial<ExecOptions> = {},
): Promise<string> {
  let text = "";
  await backend.exec(argv, {
    cwd: "/",
    onOutput(bytes) {
      text += Buffer.from(bytes).toString();
    },
    ...options,
  });
  return text;
}

async function startAgent(
  socket: string,
): Promise<{ readonly socket: string; readonly process: ChildProcess }> {
  const agent = spawn("ssh-agent", ["-D", "-a", socket], { stdio: ["ignore", "pipe", "ignore"] });
  await new Promise((resolve) => agent.stdout?.once("data", resolve));
  return { socket, process: agent };
}
