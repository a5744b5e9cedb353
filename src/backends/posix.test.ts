import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BusyboxRoot, busyboxRoot } from "../../test/busybox-root.ts";
import { posixPlace } from "../../test/posix-place.ts";
import { has } from "../../test/require.ts";
import { testFolder } from "../../test/test-folder.ts";
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

describe("a place with old programs", () => {
  it("writes and renames by a mv and an ln that don't know -T", async () => {
    const shims = await testFolder();
    for (const name of ["mv", "ln"]) {
      const script = `#!/bin/sh\ncase $1 in *T*) echo "${name}: invalid option -- 'T'" >&2; exit 1 ;; esac\nexec /bin/${name} "$@"\n`;
      await writeFile(join(shims.folder, name), script, { mode: 0o755 });
    }
    const { backend, dispose } = await posixPlace(shims.folder);
    try {
      const path = `${backend.cwd}/file`;
      const bytes = (text: string): Uint8Array => Buffer.from(text);
      await backend.writeFile(path, bytes("one"), { ifVersion: "absent" });
      await expect(backend.writeFile(path, bytes("x"), { ifVersion: "absent" })).rejects.toMatchObject({
        code: "stale",
      });
      await backend.writeFile(path, bytes("two"));
      await backend.rename(path, `${backend.cwd}/other`);
      await backend.mkdir(`${backend.cwd}/folder`);
      await expect(backend.rename(`${backend.cwd}/other`, `${backend.cwd}/folder`)).rejects.toMatchObject({
        code: "not_a_file",
      });
      expect((await backend.list(backend.cwd)).map((entry) => entry.name).sort()).toEqual([
        "folder",
        "other",
      ]);
      expect(Buffer.from(await backend.readFile(`${backend.cwd}/other`)).toString()).toBe("two");
    } finally {
      await backend[Symbol.asyncDispose]();
      await dispose();
      await shims.remove();
    }
  });
});
