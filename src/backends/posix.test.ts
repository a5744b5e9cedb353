import { afterAll, beforeAll, describe, it } from "vitest";
import { type BusyboxRoot, busyboxRoot } from "../../test/busybox-root.ts";
import { posixPlace } from "../../test/posix-place.ts";
import { has } from "../../test/require.ts";
import { backendContract } from "../testing/backend-contract.ts";

backendContract({
  name: "A backend over a transport, by this machine's sh",
  runner: { describe, it },
  async create() {
    const { backend, dispose } = await posixPlace();
    return { backend, root: backend.cwd, dispose };
  },
});

describe.skipIf(!has("busybox") || !has("bwrap"))("with nothing but busybox", () => {
  let root: BusyboxRoot | undefined;
  beforeAll(async () => {
    root = await busyboxRoot();
  });
  afterAll(() => root?.remove());
  backendContract({
    name: "A backend over a transport, by busybox",
    runner: { describe, it },
    async create() {
      if (root === undefined) throw new Error("no busybox");
      const { backend } = await root.place();
      return { backend, root: backend.cwd };
    },
  });
});
