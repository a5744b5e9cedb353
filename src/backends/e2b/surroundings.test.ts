import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { has } from "../../../test/require.ts";
import { type E2BStandIn, startE2BStandIn } from "../../../test/stand-ins/e2b/stand-in.ts";
import type { Transport } from "../posix/transport.ts";
import { openSandbox } from "./sandbox.ts";
import { lookAround } from "./surroundings.ts";
import { e2bTransport } from "./transport.ts";

describe.skipIf(!has("bwrap"))("What there is in an E2B sandbox, against a stand-in of E2B", () => {
  let standIn: E2BStandIn;
  let transport: Transport;

  beforeAll(async () => {
    standIn = await startE2BStandIn();
    transport = e2bTransport(await openSandbox(standIn.options));
  });
  afterAll(() => standIn[Symbol.asyncDispose]());

  it("is found past the greeting of its profile, which adds to the path", async () => {
    const { cwd, home, path } = await lookAround(transport, undefined);
    expect([cwd, home]).toEqual(["/home/user", "/home/user"]);
    expect(path).toMatch(/^\/usr.*:\/opt\/bin$/);
  });

  it("makes the directory to work in, and says where it really is", async () => {
    await transport.run(["ln", "-s", "/tmp", "/home/user/link"]);
    const { cwd } = await lookAround(transport, "/home/user/link/it's  ünder $HOME/-x");
    expect(cwd).toBe("/tmp/it's  ünder $HOME/-x");
  });

  it("says so when it can't be made", async () => {
    await expect(lookAround(transport, "/usr/no")).rejects.toMatchObject({
      code: "backend_unavailable",
      message: expect.stringContaining("Read-only"),
    });
  });
});
