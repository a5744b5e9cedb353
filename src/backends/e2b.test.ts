import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { Sandbox } from "e2b";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { has } from "../../test/require.ts";
import { type E2BStandIn, startE2BStandIn } from "../../test/stand-ins/e2b/stand-in.ts";
import { backendContract } from "../testing/backend-contract.ts";
import { e2bBackend, e2bUsable, removeE2BSandboxes } from "./e2b.ts";

describe.skipIf(!has("bwrap"))("E2B, against a stand-in of it", () => {
  let standIn: E2BStandIn;

  beforeAll(async () => {
    standIn = await startE2BStandIn();
  });
  afterAll(() => standIn[Symbol.asyncDispose]());

  it("is a place with the given directory, environment and user", async () => {
    const options = { cwd: "/home/user/my work", envs: { COLOUR: "blue & green" }, user: "user" };
    await using backend = await e2bBackend({ ...standIn.options, ...options });
    expect(backend).toMatchObject({
      id: expect.stringMatching(/^e2b:i\w+$/),
      cwd: options.cwd,
      home: "/home/user",
    });
    let said = "";
    const script = 'echo "$COLOUR, $PWD"; echo "$PATH" | grep -o /opt/bin; id -un';
    await backend.exec(["sh", "-c", script], {
      cwd: backend.cwd,
      onOutput: (bytes) => {
        said += Buffer.from(bytes);
      },
    });
    expect(said).toBe("blue & green, /home/user/my work\n/opt/bin\nuser\n");
    expect(await backend.capabilities()).toMatchObject({ confine: { available: false }, background: true });
  });

  it("ends the sandbox that can't be worked in, but not one that was found", async () => {
    const options = { ...standIn.options, name: "kept", onDispose: "leave" } as const;
    await expect(e2bBackend({ ...options, cwd: "work" })).rejects.toMatchObject({ code: "usage" });
    const backend = await e2bBackend(options);
    await backend[Symbol.asyncDispose]();
    const id = backend.id.slice("e2b:".length);
    await expect(e2bBackend({ ...options, cwd: "/usr/no" })).rejects.toMatchObject({
      code: "backend_unavailable",
    });
    expect(await standIn.state(id)).toBe("running");
    await removeE2BSandboxes("kept", standIn.options);
    expect(await standIn.state(id)).toBeUndefined();
    await standIn.requests();
    await expect(e2bBackend({ ...options, cwd: "/usr/no" })).rejects.toThrow("Read-only");
    expect(await standIn.requests()).toContainEqual(expect.stringMatching(/^DELETE /));
  });

  it("puts the sandbox's end off while a command runs, silent as it may be, and not while nothing does", async () => {
    await using backend = await e2bBackend({ ...standIn.options, timeoutMs: 4500 });
    const putOff = `POST /sandboxes/${backend.id.slice("e2b:".length)}/timeout`;
    await backend.exec(["sleep", "1.7"], { cwd: backend.cwd });
    expect(await standIn.requests()).toContain(putOff);
    // Tidying up after the command is still use.
    await setTimeout(1700);
    await standIn.requests();
    await setTimeout(1700);
    expect(await standIn.requests()).not.toContain(putOff);
  });

  it("fails, and goes on, when the connection breaks under a command or between two", async () => {
    await using backend = await e2bBackend(standIn.options);
    const id = backend.id.slice("e2b:".length);
    const running = backend.exec(["sh", "-c", "echo up; sleep 60"], {
      cwd: backend.cwd,
      onOutput: () => standIn.cut(id),
    });
    await expect(running).rejects.toMatchObject({ code: "backend_unavailable" });
    expect((await backend.stat("/etc/passwd")).kind).toBe("file");
    await standIn.cut(id);
    expect((await backend.stat("/etc/passwd")).kind).toBe("file");
    // What was let go of has been ended by another way.
    let left = "";
    await backend.exec(["sh", "-c", "ps ax -o args | grep '[s]leep 60' || true"], {
      cwd: backend.cwd,
      onOutput: (bytes) => {
        left += Buffer.from(bytes);
      },
    });
    expect(left).toBe("");
  });

  it("fails at once for everything when the sandbox has gone", async () => {
    const backend = await e2bBackend(standIn.options);
    const { cwd } = backend;
    const running = backend.exec(["sleep", "60"], { cwd });
    running.catch(() => undefined);
    await Sandbox.kill(backend.id.slice("e2b:".length), standIn.options);
    const isGone = { code: "backend_unavailable", message: expect.stringContaining("is gone") };
    await expect(running).rejects.toMatchObject({ code: "backend_unavailable" });
    await expect(backend.exec(["true"], { cwd })).rejects.toMatchObject(isGone);
    await expect(backend.readFile("/etc/passwd")).rejects.toMatchObject(isGone);
    await expect(backend.writeFile(`${cwd}/x`, Buffer.from("x"))).rejects.toMatchObject(isGone);
    await backend[Symbol.asyncDispose]();
  });

  it("says that a disk is full, and leaves nothing of what didn't fit", async () => {
    await using backend = await e2bBackend(standIn.options);
    const full = backend.writeFile("/mnt/small/large", new Uint8Array(5_000_000));
    await expect(full).rejects.toMatchObject({ code: "no_space" });
    expect(await backend.list("/mnt/small")).toEqual([]);
    await backend.writeFile("/mnt/small/small", new Uint8Array(1000));
  });

  it("says whether it can be used, and why not", async () => {
    expect(await e2bUsable(standIn.options)).toEqual({ usable: true });
    const why = async (access: object) => (await e2bUsable({ ...standIn.options, ...access })).why;
    expect(await why({ apiKey: "" })).toContain("E2B_API_KEY");
    expect(await why({ apiKey: "wrong" })).toContain("refused the API key");
    expect(await why({ apiUrl: "http://127.0.0.1:9" })).toContain("E2B: ");
  });

  backendContract({
    name: "The E2B backend",
    runner: { describe, it },
    async create() {
      const cwd = `/home/user/${randomUUID()}`;
      const backend = await e2bBackend({ ...standIn.options, name: "contract", onDispose: "leave", cwd });
      return { backend, root: cwd };
    },
  });
});
