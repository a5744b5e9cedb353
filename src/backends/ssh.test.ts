import { afterAll, beforeAll, describe, it } from "vitest";
import { has } from "../../test/require.ts";
import { startSshd, type TestSshd } from "../../test/sshd.ts";
import { testFolder } from "../../test/test-folder.ts";
import { backendContract } from "../testing/backend-contract.ts";
import { accessTo } from "./ssh/fixtures/access.ts";
import { sshBackend } from "./ssh.ts";

describe.skipIf(!has("sshd"))("with a real sshd", () => {
  let sshd: TestSshd | undefined;
  beforeAll(async () => {
    sshd = await startSshd();
  });
  afterAll(() => sshd?.dispose());

  backendContract({
    name: "The SSH backend",
    runner: { describe, it },
    async create() {
      const { folder, remove } = await testFolder();
      return {
        backend: await sshBackend({ ...accessTo(sshd), path: folder }),
        root: folder,
        dispose: remove,
      };
    },
  });
});
