import type { E2BBackendOptions } from "../backends/e2b.ts";
import { Workspace, type WorkspaceOptions } from "./workspace.ts";

/** A sandbox of the E2B cloud: with a `name` it is paused when the workspace is closed and goes on when it is opened again, unless `onDispose` says otherwise. */
export interface E2BWorkspaceOptions extends WorkspaceOptions, E2BBackendOptions {}

/** A workspace in the E2B cloud. Needs the package `e2b` and a key. */
export class E2BWorkspace extends Workspace {
  constructor(options: E2BWorkspaceOptions = {}) {
    const { name, onDispose = name === undefined ? "kill" : "pause" } = options;
    const load = () => import("../backends/e2b.ts");
    super(
      {
        open: async () => (await load()).e2bBackend({ ...options, onDispose }),
        ...(name === undefined
          ? {}
          : { destroy: async () => (await load()).removeE2BSandboxes(name, options) }),
      },
      options,
    );
  }

  /** Opens one, ready for use. @throws ToolgateError `missing_dependency`, `backend_unavailable` */
  static async create(options: E2BWorkspaceOptions = {}): Promise<E2BWorkspace> {
    const workspace = new E2BWorkspace(options);
    await workspace.initialize();
    return workspace;
  }
}
