import { afterAll, beforeAll, describe, it } from "vitest";
import { type BusyboxRoot, busyboxRoot } from "../../test/busybox-root.ts";
import { processTransport } from "../../test/process-transport.ts";
import { has } from "../../test/require.ts";
import { testFolder } from "../../test/test-folder.ts";
import type { Backend } from "../backend.ts";
import { backendContract } from "../testing/backend-contract.ts";
import { posixBackend } from "./posix.ts";

const ENV = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: "/", LANG: "C.UTF-8" };

backendContract({
  name: "A backend over a transport, by this machine's sh",
  runner: { describe, it },
  async create() {
    const { folder, remove } = await testFolder();
    const backend = posixBackend({
      id: "posix-test",
      transport: processTransport({ env: ENV }),
      cwd: folder,
      home: folder,
      scratch: `${folder}.scratch`,
    });
    return { backend, root: folder, dispose: remove };
  },
});

describe.skipIf(!has("busybox") || !has("bwrap"))("with nothing but busybox", () => {
  let root: BusyboxRoot | undefined;
  beforeAll(async () => {
    root = await busyboxRoot();
  });
  afterAll(() => root?.remove());
  const place = async (): Promise<Backend> => {
    if (root === undefined) throw new Error("no busybox");
    return root.place();
  };

  backendContract({
    name: "A backend over a transport, by busybox",
    runner: { describe, it },
    async create() {
      const backend = await place();
      return { backend, root: backend.cwd };
    },
  });
});
