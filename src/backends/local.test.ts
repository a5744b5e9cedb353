import { describe, it } from "vitest";
import { testFolder } from "../../test/test-folder.ts";
import { backendContract } from "../testing/backend-contract.ts";
import { localBackend } from "./local.ts";

backendContract({
  name: "The local backend",
  runner: { describe, it },
  async create() {
    const { folder, remove } = await testFolder();
    return { backend: localBackend({ cwd: folder, home: folder }), root: folder, dispose: remove };
  },
});

backendContract({
  name: "The local backend without bubblewrap",
  runner: { describe, it },
  only: ["confining"],
  async create() {
    const { folder, remove } = await testFolder();
    return {
      backend: localBackend({ cwd: folder, home: folder, bwrap: false }),
      root: folder,
      dispose: remove,
    };
  },
});
