import type { DockerBackendOptions } from "../backends/docker.ts";
import { Workspace, type WorkspaceOptions } from "./workspace.ts";

/** A Docker container: with a `name` it is stopped when the workspace is closed and goes on when it is opened again, unless `keep` says otherwise. */
export interface DockerWorkspaceOptions extends WorkspaceOptions, DockerBackendOptions {}

/** A workspace in a Docker container. Needs the package `dockerode` and an engine. */
export class DockerWorkspace extends Workspace {
  constructor(options: DockerWorkspaceOptions) {
    const { name, host } = options;
    super(
      {
        open: async () => (await import("../backends/docker.ts")).dockerBackend(options),
        ...(name === undefined
          ? {}
          : {
              destroy: async () =>
                (await import("../backends/docker/remove.ts")).removeDockerContainer(name, host),
            }),
      },
      options,
    );
  }

  /** Opens one, ready for use. @throws ToolgateError `missing_dependency`, `backend_unavailable`, `already_exists` for a name in use otherwise */
  static async create(options: DockerWorkspaceOptions): Promise<DockerWorkspace> {
    const workspace = new DockerWorkspace(options);
    await workspace.initialize();
    return workspace;
  }
}
