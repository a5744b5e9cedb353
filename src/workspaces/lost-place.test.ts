import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { docker, testImage } from "../../test/docker.ts";
import { has } from "../../test/require.ts";
import { startE2BStandIn } from "../../test/stand-ins/e2b/stand-in.ts";
import { testFolder } from "../../test/test-folder.ts";
import { DockerWorkspace } from "./docker.ts";
import { E2BWorkspace } from "./e2b.ts";

const BYTES = 24 * 1024 * 1024;

/** A folder that takes a while to go over. */
async function bigFolder(): Promise<Awaited<ReturnType<typeof testFolder>>> {
  const made = await testFolder();
  await writeFile(join(made.folder, "big"), Buffer.alloc(BYTES, "0123456789"));
  return made;
}

describe("a place that is lost in the middle of a transfer", { timeout: 60_000 }, () => {
  it.skipIf(!has("docker"))("a container that is removed: an error, and a reset makes another", async () => {
    const { folder, remove } = await bigFolder();
    try {
      await using workspace = await DockerWorkspace.create({ image: testImage(), memoryMiB: 256 });
      const id = workspace.getBackend().id.slice("docker:".length);
      let isRemoved = false;
      const onProgress = ({ bytes }: { readonly bytes: number }): void => {
        if (isRemoved || bytes < 1_000_000) return;
        isRemoved = true;
        docker(["rm", "-f", "-v", id]);
      };
      await expect(workspace.upload(folder, "there", { onProgress })).rejects.toMatchObject({
        code: "backend_unavailable",
      });
      expect(await workspace.isAlive()).toBe(false);
      await workspace.reset();
      expect(await workspace.isAlive()).toBe(true);
      expect(workspace.getBackend().id).not.toBe(`docker:${id}`);
      expect((await workspace.upload(folder, "there")).bytes).toBe(BYTES);
    } finally {
      await remove();
    }
  });

  it.skipIf(!has("bwrap"))(
    "a connection to E2B that breaks: nothing is there, and it works again",
    async () => {
      const { folder, remove } = await bigFolder();
      try {
        await using standIn = await startE2BStandIn();
        await using workspace = await E2BWorkspace.create(standIn.options);
        const id = workspace.getBackend().id.slice("e2b:".length);
        let cut: Promise<void> | undefined;
        const onProgress = ({ bytes }: { readonly bytes: number }): void => {
          if (bytes > 1_000_000) cut ??= standIn.cut(id);
        };
        await expect(workspace.upload(folder, "there", { onProgress })).rejects.toMatchObject({
          code: "backend_unavailable",
        });
        await cut;
        const names = (await workspace.getBackend().list(workspace.workdir)).map(({ name }) => name);
        expect(names).not.toContain("there");
        expect((await workspace.upload(folder, "there")).bytes).toBe(BYTES);
      } finally {
        await remove();
      }
    },
  );
});
