import type { Backend } from "../../backend.ts";
import { randomHex } from "../../lib/random-hex.ts";
import { posixBackend } from "../posix.ts";
import { runInSandbox, type SandboxHost } from "./exec.ts";
import { HOME } from "./place.ts";

/** What a sandbox's kernel makes up for it; this machine's own would tell of other processes, ours included. */
const MADE_UP = ["/proc", "/dev"] as const;

/** Whether a path of the sandbox can only be looked at from inside of one. */
export function isInside(path: string): boolean {
  return MADE_UP.some((name) => path === name || path.startsWith(`${name}/`));
}

/** Looks at files from inside of a sandbox, which is made when it is first needed and stays. */
export interface Inside {
  readonly files: Pick<Backend, "readFile" | "readStream" | "stat" | "lstat" | "realpath" | "list">;
  dispose(): Promise<void>;
}

/** A way to look from inside of a sandbox like those of the commands. */
export function lookInside(host: SandboxHost): Inside {
  let made: Backend | undefined;
  const backend = (): Backend => {
    made ??= posixBackend({
      id: "inside",
      cwd: "/",
      home: HOME,
      scratch: `/tmp/toolgate-${randomHex(9)}`,
      transport: {
        async run(argv, options = {}) {
          const { exitCode, signal } = await runInSandbox(host, argv, { ...options, cwd: "/" });
          return { exitCode, signal };
        },
      },
    });
    return made;
  };
  return {
    get files() {
      return backend();
    },
    dispose: async () => made?.[Symbol.asyncDispose](),
  };
}
