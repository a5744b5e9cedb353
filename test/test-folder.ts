import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** An empty folder for a test, by its real path, and the way to remove it. */
export async function testFolder(parent: string = tmpdir()): Promise<{
  readonly folder: string;
  readonly remove: () => Promise<void>;
}> {
  const folder = await realpath(await mkdtemp(join(parent, "toolgate-test-")));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}
