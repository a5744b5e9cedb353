import { readdirSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { has } from "../../../test/require.ts";
import { testFolder } from "../../../test/test-folder.ts";
import type { Backend, ExecOptions } from "../../backend.ts";
import { type LocalBackendOptions, localBackend } from "../local.ts";

describe("running programs on this machine", () => {
  it("works without real pipes, where none can be made", async () => {
    await inFolder({ scratch: "/no/such/directory" }, async (backend, folder) => {
      expect(await said(backend, folder, ["sh", "-c", "echo out; echo err >&2; exit 3"])).toBe("out\nerr\n");
    });
  });

  it("opens no more files with every run", async () => {
    await inFolder({}, async (backend, folder) => {
      const open = (): number => readdirSync("/proc/self/fd").length;
      const rounds = async (): Promise<void> => {
        for (let round = 0; round < 30; round += 1) {
          await said(backend, folder, ["echo", "x"]);
          await said(backend, folder, ["cat"], { stdin: Buffer.from("x") });
          await said(backend, folder, ["no-such-program"]).catch(() => undefined);
          await said(backend, folder, ["true"], { confine: { write: "none", network: false } });
        }
      };
      await rounds();
      const before = open();
      await rounds();
      expect(open() - before).toBeLessThan(10);
    });
  });

  it("is still found by an outer toolgate", async () => {
    await inFolder({ hostEnv: { ...process.env, TOOLGATE_RUN_ID: "outer" } }, async (backend, folder) => {
      expect(await said(backend, folder, ["printenv", "TOOLGATE_RUN_ID"])).toMatch(/^outer\.[0-9a-f]{24}\n$/);
    });
  });

  it("passes on what its owner names, and no more", async () => {
    const hostEnv = {
      PATH: process.env.PATH,
      LC_TIME: "C",
      SSH_AUTH_SOCK: "/socket",
      AWS_SECRET_ACCESS_KEY: "secret",
      NPM_TOKEN: "secret",
      LD_PRELOAD: "/evil.so",
      NODE_OPTIONS: "--require=/evil.js",
      BASH_ENV: "/evil.sh",
      FORCE_COLOR: "1",
    };
    const options = { hostEnv, inherit: ["SSH_AUTH_SOCK"], env: { TERM: "xterm", OWN: "1" } };
    await inFolder(options, async (backend, folder) => {
      const names = (await said(backend, folder, ["env"])).match(/^\w+(?==)/gm)?.sort();
      expect(names).toEqual(
        [
          ...["PATH", "LC_TIME", "SSH_AUTH_SOCK", "OWN", "TERM", "TOOLGATE_RUN_ID"],
          ...[
            "PAGER",
            "MANPAGER",
            "GIT_PAGER",
            "GH_PAGER",
            "SYSTEMD_PAGER",
            "AWS_PAGER",
            "GIT_OPTIONAL_LOCKS",
          ],
          ...[
            "GIT_TERMINAL_PROMPT",
            "GIT_EDITOR",
            "GIT_MERGE_AUTOEDIT",
            "GCM_INTERACTIVE",
            "GH_PROMPT_DISABLED",
          ],
          ...["NO_UPDATE_NOTIFIER", "DEBIAN_FRONTEND"],
        ].sort(),
      );
    });
  });

  it("names survivors of a command substitution's kind only when they stay", async () => {
    await inFolder({}, async (backend, folder) => {
      const options: ExecOptions = { cwd: folder };
      const { survivors } = await backend.exec(
        ["bash", "-c", "cat <(echo x; sleep 0.01) >/dev/null"],
        options,
      );
      expect(survivors).toEqual([]);
    });
  });

  it("refuses to run once it has been closed", async () => {
    await inFolder({}, async (backend, folder) => {
      await backend[Symbol.asyncDispose]();
      await expect(backend.exec(["true"], { cwd: folder })).rejects.toMatchObject({
        code: "backend_unavailable",
      });
    });
  });
});

describe("saying why runs aren't confined", () => {
  const rows = [
    ["it isn't installed", undefined, "Bubblewrap isn't installed: install the package `bubblewrap`."],
    [
      "the system forbids it",
      "echo 'bwrap: No permissions to create new namespace' >&2; exit 1",
      "bwrap: No permissions to create new namespace",
    ],
    [
      "it starts and doesn't confine",
      'while [ "$1" != -- ]; do shift; done; shift; exec "$@"',
      "did not confine",
    ],
  ] as const;
  for (const [title, script, why] of rows) {
    it(title, async () => {
      const { folder, remove } = await testFolder();
      const bwrap = join(folder, "bwrap");
      if (script !== undefined) await writeFile(bwrap, `#!/bin/sh\n${script}\n`);
      if (script !== undefined) await chmod(bwrap, 0o755);
      await using backend = localBackend({ bwrap });
      const { confine } = await backend.capabilities();
      expect(confine).toEqual({ available: false, why: expect.stringContaining(why) });
      const { confined } = await backend.exec(["true"], {
        cwd: folder,
        confine: { write: "none", network: false },
      });
      expect(confined).toEqual({ enforced: false, why: confine.why });
      await remove();
    });
  }
});

describe.skipIf(!has("bwrap"))("confined runs on this machine", () => {
  const confine = { write: "none", network: false } as const;

  it("still see the machine's processes and other temporary files", async () => {
    await inFolder({}, async (backend, folder) => {
      await writeFile(join(folder, "file"), "seen");
      const script = 'cat file; [ -d "/proc/$1" ] && echo alive';
      const argv = ["sh", "-c", script, "sh", String(process.pid)];
      expect(await said(backend, folder, argv, { confine })).toBe("seenalive\n");
    });
  });

  it("keep Git from running what a repository's settings name", async () => {
    await inFolder({}, async (backend, folder) => {
      const argv = ["sh", "-c", 'echo "$GIT_CONFIG_KEY_0=$GIT_CONFIG_VALUE_0"'];
      expect(await said(backend, folder, argv, { confine })).toBe("core.fsmonitor=false\n");
    });
  });

  it("work in shared memory too, where a folder may be written when it is named", async () => {
    const { folder, remove } = await testFolder("/dev/shm");
    await using backend = localBackend({ cwd: folder, home: folder });
    try {
      await writeFile(join(folder, "file"), "seen");
      expect(await said(backend, folder, ["cat", "file"], { confine })).toBe("seen");
      const options = { confine: { write: [folder], network: false } };
      expect(await said(backend, folder, ["sh", "-c", "echo x > new && cat new"], options)).toBe("x\n");
    } finally {
      await remove();
    }
  });

  it("can't write to shared memory, devices or kernel settings", async () => {
    await inFolder({}, async (backend, folder) => {
      const paths = ["/dev/shm/toolgate-test", "/proc/sys/kernel/domainname", "/sys/kernel/profiling"];
      const script = 'for f in "$@"; do { echo x > "$f"; } 2>/dev/null && echo "wrote $f"; done; true';
      await said(backend, folder, ["sh", "-c", script, "sh", ...paths], { confine });
      expect(readdirSync("/dev/shm")).not.toContain("toolgate-test");
    });
  });
});

async function inFolder(
  options: LocalBackendOptions,
  act: (backend: Backend, folder: string) => Promise<void>,
): Promise<void> {
  const { folder, remove } = await testFolder();
  await using backend = localBackend({ cwd: folder, home: folder, ...options });
  try {
    await act(backend, folder);
  } finally {
    await remove();
  }
}

async function said(
  backend: Backend,
  cwd: string,
  argv: readonly string[],
  options: Partial<ExecOptions> = {},
): Promise<string> {
  const pieces = { stdout: "", stderr: "" };
  await backend.exec(argv, {
    cwd,
    onOutput: (bytes, stream) => {
      pieces[stream] += Buffer.from(bytes).toString();
    },
    ...options,
  });
  return pieces.stdout + pieces.stderr;
}
