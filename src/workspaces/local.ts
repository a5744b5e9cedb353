import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LocalBackendOptions, localBackend } from "../backends/local.ts";
import { Workspace, type WorkspaceOptions, type WorkspacePlace } from "./workspace.ts";

/** A directory of this machine. Without a `cwd` it is a new one, which goes when the workspace is closed. */
export interface LocalWorkspaceOptions extends WorkspaceOptions, LocalBackendOptions {}

/** A workspace on this machine: commands run as its user, unconfined but for what the gate asks for. */
export class LocalWorkspace extends Workspace {
  constructor(options: LocalWorkspaceOptions = {}) {
    super(
      options.cwd === undefined ? ownFolder(options) : { open: async () => localBackend(options) },
      options,
    );
  }

  /** Opens one, ready for use. */
  static async create(options: LocalWorkspaceOptions = {}): Promise<LocalWorkspace> {
    const workspace = new LocalWorkspace(options);
    await workspace.initialize();
    return workspace;
  }
}

function ownFolder(options: LocalBackendOptions): WorkspacePlace {
  return {
    async open() {
      const cwd = await realpath(await mkdtemp(join(tmpdir(), "toolgate-workspace-")));
      const backend = localBackend({ ...options, cwd });
      const dispose = backend[Symbol.asyncDispose];
      return Object.assign(backend, {
        async [Symbol.asyncDispose](): Promise<void> {
          await dispose();
          await rm(cwd, { recursive: true, force: true });
        },
      });
    },
  };
}
