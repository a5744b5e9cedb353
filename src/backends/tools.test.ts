import { afterAll, beforeAll, describe, it } from "vitest";
import { type BusyboxRoot, busyboxRoot } from "../../test/busybox-root.ts";
import { posixPlace } from "../../test/posix-place.ts";
import { has } from "../../test/require.ts";
import { testFolder } from "../../test/test-folder.ts";
import { toolContract } from "../testing/tool-contract.ts";
import { localBackend } from "./local.ts";
import { memoryBackend } from "./memory.ts";

const runner = { describe, it };

toolContract({
  name: "this machine",
  runner,
  async create() {
    const { folder, remove } = await testFolder();
    return { backend: localBackend({ cwd: folder, home: folder }), root: folder, dispose: remove };
  },
});

toolContract({
  name: "memory",
  runner,
  create() {
    const backend = memoryBackend();
    return { backend, root: backend.cwd, symlink: backend.symlink };
  },
  skip: { commands: "there are no programs in memory", searches: "there are no programs in memory" },
});

toolContract({
  name: "a place that is reached over a transport",
  runner,
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

  toolContract({
    name: "a place with nothing but busybox",
    runner,
    async create() {
      if (root === undefined) throw new Error("no busybox");
      const { backend } = await root.place();
      return { backend, root: backend.cwd };
    },
  });
});
