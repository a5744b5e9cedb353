import { randomUUID } from "node:crypto";
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
