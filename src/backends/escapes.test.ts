import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { type BusyboxRoot, busyboxRoot } from "../../test/busybox-root.ts";
import { limitedPlace, posixPlace } from "../../test/posix-place.ts";
import { has } from "../../test/require.ts";
import { smallDisk } from "../../test/small-disk.ts";
import { testFolder } from "../../test/test-folder.ts";
import { escapeContract } from "../testing/escape-contract.ts";
import { localBackend } from "./local.ts";

const runner = { describe, it };

escapeContract({
  name: "this machine",
  runner,
  lacks: {
    apart: "it is the host",
    connection: "there is none",
    removal: "it is the host",
    processLimit: "see the place with limits",
    memoryLimit: "see the place with limits",
  },
  async create() {
    const { folder, remove } = await testFolder();
    const small = await smallDisk(`${folder}-small`);
    return {
      backend: localBackend({ cwd: folder, home: folder }),
      root: folder,
      running: processesWith,
      ...(small === undefined ? {} : { small: small.path }),
      async dispose() {
        small?.remove();
        await remove();
      },
    };
  },
});

escapeContract({
  name: "a place that is reached over a transport",
  runner,
  lacks: {
    apart: "it is the host",
    processLimit: "see the place with limits",
    memoryLimit: "see the place with limits",
  },
  async create() {
    const { backend, transport, dispose } = await posixPlace();
    const small = await smallDisk(`${backend.cwd}-small`);
    return {
      backend,
      root: backend.cwd,
      loseConnection: transport.cut,
      removePlace: transport.remove,
      running: processesWith,
      leftFiles,
      ...(small === undefined ? {} : { small: small.path }),
      async dispose() {
        small?.remove();
        await dispose();
      },
    };
  },
});

describe.skipIf(process.getuid?.() !== 0)("with limits, which takes an administrator to set", () => {
  const [processes, memoryBytes] = [60, 512 * 1024 * 1024];
  escapeContract({
    name: "a place with limits",
    runner,
    async create() {
      const { backend, dispose } = await limitedPlace(processes, memoryBytes);
      return {
        backend,
        root: backend.cwd,
        limits: { processes, memoryBytes },
        running: processesWith,
        dispose,
      };
    },
    skip: { paths: "they are those of the machine", "the place itself": "it is the machine" },
    lacks: { apart: "it is the host" },
  });
});

describe.skipIf(!has("busybox") || !has("bwrap"))("with nothing but busybox", () => {
  let root: BusyboxRoot | undefined;
  beforeAll(async () => {
    root = await busyboxRoot();
  });
  afterAll(() => root?.remove());

  escapeContract({
    name: "a place with nothing but busybox",
    runner,
    lacks: {
      smallDisk: "see the place over a transport",
      processLimit: "see the place with limits",
      memoryLimit: "see the place with limits",
    },
    async create() {
      if (root === undefined) throw new Error("no busybox");
      const { folder } = root;
      const { backend, transport } = await root.place();
      return {
        backend,
        root: backend.cwd,
        apart: true,
        loseConnection: transport.cut,
        removePlace: transport.remove,
        running: processesWith,
        leftFiles: (directory) => leftFiles(join(folder, directory)),
      };
    },
  });
});

/** How many processes of this machine, those in sandboxes included, have a text in their environment. */
async function processesWith(text: string): Promise<number> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environ = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
      return environ.includes(text);
    }),
  );
  return found.filter(Boolean).length;
}

async function leftFiles(directory: string): Promise<readonly string[]> {
  return (await readdir(directory)).filter((name) => name.startsWith(".toolgate-"));
}
