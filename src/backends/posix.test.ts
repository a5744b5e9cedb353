import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "vitest";
import { processTransport } from "../../test/process-transport.ts";
import { has } from "../../test/require.ts";
import { testFolder } from "../../test/test-folder.ts";
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
  backendContract({
    name: "A backend over a transport, by busybox",
    runner: { describe, it },
    async create() {
      const place = await busyboxPlace();
      const backend = posixBackend({
        id: "busybox-test",
        transport: processTransport({ env: { PATH: "/usr/bin:/bin" }, prefix: place.prefix }),
        cwd: "/work",
        home: "/root",
        scratch: "/tmp/toolgate",
      });
      return { backend, root: "/work", dispose: place.remove };
    },
  });
});

/** A root directory with busybox and nothing else, and the way into it. */
async function busyboxPlace(): Promise<{
  readonly prefix: readonly string[];
  readonly remove: () => Promise<void>;
}> {
  const { folder, remove } = await testFolder();
  for (const name of ["bin", "work", "root", "tmp", "etc", "proc", "dev"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n");
  const applets = execFileSync("busybox", ["--list"], { encoding: "utf8" }).trim().split("\n");
  for (const applet of applets) if (applet !== "busybox") symlinkSync("busybox", join(folder, "bin", applet));
  await copyFile("/bin/busybox", join(folder, "bin/busybox"));
  const prefix = ["bwrap", "--bind", folder, "/", "--dev", "/dev", "--proc", "/proc", "--chdir", "/"];
  return { prefix: [...prefix, "--"], remove };
}
