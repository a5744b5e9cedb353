import { describe, it } from "vitest";
import { backendContract } from "../testing/backend-contract.ts";
import { memoryBackend } from "./memory.ts";

const NO_PROGRAMS = "there are no programs in memory";

backendContract({
  name: "The memory backend",
  runner: { describe, it },
  create() {
    const backend = memoryBackend();
    return { backend, root: backend.cwd, symlink: backend.symlink };
  },
  skip: {
    "large files": "all of it is in memory",
    running: NO_PROGRAMS,
    output: NO_PROGRAMS,
    stopping: NO_PROGRAMS,
    confining: NO_PROGRAMS,
  },
});
