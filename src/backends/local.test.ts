import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "vitest";
import { backendContract } from "../testing/backend-contract.ts";
import { localBackend } from "./local.ts";

backendContract({
  name: "The local backend",
  runner: { describe, it },
  async create() {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "toolgate-local-")));
    return {
      backend: localBackend({ cwd: folder, home: folder }),
      root: folder,
      dispose: () => rm(folder, { recursive: true, force: true }),
    };
  },
});

backendContract({
  name: "The local backend without bubblewrap",
  runner: { describe, it },
  async create() {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "toolgate-local-")));
    return {
      backend: localBackend({ cwd: folder, home: folder, bwrap: false }),
      root: folder,
      dispose: () => rm(folder, { recursive: true, force: true }),
    };
  },
  skip: {
    reading: "held above",
    writing: "held above",
    links: "held above",
    "large files": "held above",
    running: "held above",
    output: "held above",
    stopping: "held above",
  },
});
