import type { BubblewrapBackendOptions } from "../backends/bubblewrap.ts";
import { Workspace, type WorkspaceOptions } from "./workspace.ts";

/** A directory of this machine, and what commands see besides. Without one it is new, and goes when the workspace is closed. */
export interface BubblewrapWorkspaceOptions extends WorkspaceOptions, BubblewrapBackendOptions {}

/** A workspace on this machine in which each command has a sandbox of its own. Linux with bubblewrap. */
export class BubblewrapWorkspace extends Workspace {
  constructor(options: BubblewrapWorkspaceOptions = {}) {
    super(
      { open: async () => (await import("../backends/bubblewrap.ts")).bubblewrapBackend(options) },
      options,
    );
  }

  /** Opens one, ready for use. @throws ToolgateError `missing_dependency`, `backend_unavailable` */
  static async create(options: BubblewrapWorkspaceOptions = {}): Promise<BubblewrapWorkspace> {
    const workspace = new BubblewrapWorkspace(options);
    await workspace.initialize();
    return workspace;
  }
}
