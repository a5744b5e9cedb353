import { ToolgateError } from "../../errors.ts";

/** Which cluster, and as whom. */
export interface KubernetesConnection {
  /** A kubeconfig file. @default `KUBECONFIG`, `~/.kube/config`, or the pod's own service account, as `kubectl` looks for them */
  readonly kubeconfig?: string;
  /** A context of the kubeconfig. @default its current one */
  readonly context?: string;
  /** Takes the service account of the pod that this process runs in. @default false */
  readonly inCluster?: boolean;
  /** @default the context's, else `default` */
  readonly namespace?: string;
}

/** The volume at the working directory that outlives a container's restart, and the pod if it is kept. */
export type KubernetesVolume =
  | {
      /** An existing persistent volume claim; never removed. */
      readonly claim: string;
    }
  | {
      /** A volume to be made, `5Gi`. */
      readonly size: string;
      /** @default the cluster's default */
      readonly storageClass?: string;
      /** Keeps the claim, named like the pod, when the pod goes; a pod of the same name finds it again. @default false */
      readonly keep?: boolean;
    };

/** Lets pods be scheduled on nodes with a taint, as in a pod's `tolerations`. */
export interface KubernetesToleration {
  readonly key?: string;
  readonly operator?: "Equal" | "Exists";
  readonly value?: string;
  readonly effect?: "NoSchedule" | "PreferNoSchedule" | "NoExecute";
  readonly tolerationSeconds?: number;
}

/** How a pod is made. Quantities are spelled as Kubernetes does: `500m`, `512Mi`. */
export interface KubernetesPodOptions {
  /** Holds a POSIX `sh` with the usual small programs. */
  readonly image: string;
  /** @default `/workspace` */
  readonly workdir?: string;
  /** Variables of every command. @default none */
  readonly env?: Readonly<Record<string, string>>;
  /** @default requests of 100m cpu and 256Mi memory, limits of 1 cpu, 1Gi memory and 2Gi ephemeral-storage */
  readonly resources?: {
    readonly requests?: Readonly<Record<string, string>>;
    readonly limits?: Readonly<Record<string, string>>;
  };
  /** @default an empty directory that goes with the pod */
  readonly volume?: KubernetesVolume;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly KubernetesToleration[];
  /** The pod's service account. Its token is never mounted. @default the namespace's `default` */
  readonly serviceAccount?: string;
  /** Names of secrets with which the image is pulled. */
  readonly imagePullSecrets?: readonly string[];
  /** Runtime class, `gvisor`. @default the cluster's */
  readonly runtimeClass?: string;
  /** User id of every command; 0 is refused where pods have to run as another user than root. @default 1000 */
  readonly user?: number;
  /** Group id of every command and of the volumes. @default 1000 */
  readonly group?: number;
  /** Makes everything but the working directory, home and `/tmp` read-only. @default false */
  readonly readOnlyRoot?: boolean;
  /** Seconds after which the cluster ends the pod, whatever becomes of this process. @default none */
  readonly deadlineSeconds?: number;
  /** Seconds that commands get to end when the pod is deleted. @default 5 */
  readonly graceSeconds?: number;
  /** Says whose pods these are, for `removeKubernetesOrphans`: letters, digits, `-`, `_` and `.`. @default none */
  readonly owner?: string;
}

/** How a pod comes to be a backend. */
export interface KubernetesBackendOptions extends KubernetesConnection, KubernetesPodOptions {
  /** The pod's name. One of ours that is there already is taken as it is. @default a new one */
  readonly name?: string;
  /** Leaves the pod there when the backend is disposed of. @default true for a pod that was found, false for one that was made */
  readonly keep?: boolean;
  /** How long to wait for the pod to become ready. @default 180_000 */
  readonly readyTimeoutMs?: number;
  /** Gives up waiting; a pod that was made is deleted. */
  readonly signal?: AbortSignal;
}

/** Whose pods to remove. */
export interface KubernetesOrphans extends KubernetesConnection {
  /** As the pods were made with. */
  readonly owner: string;
  /** Spares the pods that are younger than this. @default 0 */
  readonly olderThanMs?: number;
}

/** Marks every pod of ours. */
export const MANAGED: Readonly<Record<string, string>> = { "app.kubernetes.io/managed-by": "toolgate" };
/** Carries the owner. */
export const OWNER_LABEL = "toolgate/owner";

const NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const LABEL = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** @throws ToolgateError `usage` for a name that Kubernetes can't have */
export function checkName(what: string, name: string): string {
  if (NAME.test(name)) return name;
  throw new ToolgateError("usage", `${JSON.stringify(name)} is no ${what} of Kubernetes.`, {
    hint: "Use up to 63 small letters, digits and `-`, with a letter or digit at both ends.",
  });
}

/** @throws ToolgateError `usage` for a text that no label can carry */
export function checkOwner(owner: string): string {
  if (LABEL.test(owner)) return owner;
  throw new ToolgateError("usage", `${JSON.stringify(owner)} can't be an owner.`, {
    hint: "Use up to 63 letters, digits, `-`, `_` and `.`, with a letter or digit at both ends.",
  });
}
