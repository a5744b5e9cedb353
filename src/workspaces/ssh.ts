import type { SshBackendOptions } from "../backends/ssh.ts";
import { Workspace, type WorkspaceOptions } from "./workspace.ts";

/** A directory of a machine that is reached by SSH. It isn't the workspace's own: closing leaves it, and a reset takes only what the workspace kept there. */
export interface SshWorkspaceOptions extends WorkspaceOptions, SshBackendOptions {}

/** A workspace on a machine that is reached by SSH. Needs the package `ssh2`. */
export class SshWorkspace extends Workspace {
  constructor(options: SshWorkspaceOptions) {
    super({ open: async () => (await import("../backends/ssh.ts")).sshBackend(options) }, options);
  }

  /** Opens one, ready for use. @throws ToolgateError `missing_dependency`, `backend_unavailable`, `permission_denied` */
  static async create(options: SshWorkspaceOptions): Promise<SshWorkspace> {
    const workspace = new SshWorkspace(options);
    await workspace.initialize();
    return workspace;
  }
}
