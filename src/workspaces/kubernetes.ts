import type { KubernetesBackendOptions } from "../backends/kubernetes.ts";
import { Workspace, type WorkspaceOptions } from "./workspace.ts";

/** A pod of a Kubernetes cluster: with a `name` and `keep` it lives on when the workspace is closed, and is found again when it is opened. */
export interface KubernetesWorkspaceOptions extends WorkspaceOptions, KubernetesBackendOptions {}

/** A workspace in a Kubernetes cluster, one pod each. Needs the package `@kubernetes/client-node`. */
export class KubernetesWorkspace extends Workspace {
  constructor(options: KubernetesWorkspaceOptions) {
    const open = async (keep: boolean | undefined) => {
      const { kubernetesBackend } = await import("../backends/kubernetes.ts");
      return kubernetesBackend({ ...options, ...(keep === undefined ? {} : { keep }) });
    };
    const destroy = async (): Promise<void> => {
      // Found again by its name, this time to end with its backend.
      await (await open(false))[Symbol.asyncDispose]();
    };
    const isNamed = options.name !== undefined;
    super({ open: () => open(options.keep), ...(isNamed ? { destroy } : {}) }, options);
  }

  /** Opens one, ready for use. @throws ToolgateError `missing_dependency`, `backend_unavailable` with the cluster's reason */
  static async create(options: KubernetesWorkspaceOptions): Promise<KubernetesWorkspace> {
    const workspace = new KubernetesWorkspace(options);
    await workspace.initialize();
    return workspace;
  }
}
