import { z } from "zod";

// The parts of Kubernetes' objects that the stand-in looks at. Everything else is kept as it came.

const texts = z.record(z.string(), z.string());

const metadata = z.looseObject({
  name: z.string(),
  namespace: z.string().optional(),
  uid: z.string().optional(),
  resourceVersion: z.string().optional(),
  creationTimestamp: z.string().optional(),
  deletionTimestamp: z.string().optional(),
  labels: texts.optional(),
});

const securityContext = z.looseObject({
  runAsUser: z.number().optional(),
  runAsGroup: z.number().optional(),
  runAsNonRoot: z.boolean().optional(),
  allowPrivilegeEscalation: z.boolean().optional(),
  capabilities: z.looseObject({ drop: z.array(z.string()).optional() }).optional(),
  seccompProfile: z.looseObject({ type: z.string() }).optional(),
});

const container = z.looseObject({
  name: z.string(),
  image: z.string(),
  command: z.array(z.string()).optional(),
  workingDir: z.string().optional(),
  env: z.array(z.looseObject({ name: z.string(), value: z.string().optional() })).optional(),
  volumeMounts: z.array(z.looseObject({ name: z.string(), mountPath: z.string() })).optional(),
  resources: z.looseObject({ limits: texts.optional(), requests: texts.optional() }).optional(),
  securityContext: securityContext.optional(),
});

const volume = z.looseObject({
  name: z.string(),
  emptyDir: z.looseObject({}).optional(),
  persistentVolumeClaim: z.looseObject({ claimName: z.string() }).optional(),
  ephemeral: z.looseObject({ volumeClaimTemplate: z.looseObject({ spec: z.looseObject({}) }) }).optional(),
});

const pod = z.looseObject({
  metadata,
  spec: z.looseObject({
    containers: z.array(container).length(1),
    volumes: z.array(volume).optional(),
    securityContext: securityContext.optional(),
    terminationGracePeriodSeconds: z.number().optional(),
  }),
});

/** What every stored object has. */
export interface KubeObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly uid?: string | undefined;
    readonly resourceVersion?: string | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
  };
}

/** Who a container's processes are, and what they may become. */
interface SecurityContext {
  readonly runAsUser?: number | undefined;
  readonly runAsGroup?: number | undefined;
  readonly runAsNonRoot?: boolean | undefined;
  readonly allowPrivilegeEscalation?: boolean | undefined;
  readonly capabilities?: { readonly drop?: readonly string[] | undefined } | undefined;
  readonly seccompProfile?: { readonly type: string } | undefined;
}

/** A stored pod. */
export interface Pod extends KubeObject {
  readonly spec: {
    readonly containers: readonly {
      readonly name: string;
      readonly image: string;
      readonly command?: readonly string[] | undefined;
      readonly workingDir?: string | undefined;
      readonly env?: readonly { readonly name: string; readonly value?: string | undefined }[] | undefined;
      readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[] | undefined;
      readonly resources?:
        | {
            readonly limits?: Readonly<Record<string, string>> | undefined;
            readonly requests?: Readonly<Record<string, string>> | undefined;
          }
        | undefined;
      readonly securityContext?: SecurityContext | undefined;
    }[];
    readonly volumes?:
      | readonly {
          readonly name: string;
          readonly persistentVolumeClaim?: { readonly claimName: string } | undefined;
          readonly ephemeral?: { readonly volumeClaimTemplate: { readonly spec: object } } | undefined;
        }[]
      | undefined;
    readonly securityContext?: SecurityContext | undefined;
    readonly terminationGracePeriodSeconds?: number | undefined;
  };
  readonly status?: PodStatus;
}

/** A pod as a client sends it. */
export function readPod(body: unknown): Pod {
  return pod.parse(body);
}

/** Any object as a client sends it. */
export function readObject(body: unknown): KubeObject {
  return z.looseObject({ metadata }).parse(body);
}

/** What one container is doing. */
export interface ContainerState {
  readonly waiting?: { readonly reason: string; readonly message?: string };
  readonly running?: { readonly startedAt: string };
  readonly terminated?: { readonly exitCode: number; readonly reason: string; readonly finishedAt: string };
}

/** What a pod is doing. */
export interface PodStatus {
  readonly phase: "Pending" | "Running" | "Failed";
  readonly reason?: string;
  readonly message?: string;
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: "True" | "False";
    readonly reason?: string;
    readonly message?: string;
  }[];
  readonly containerStatuses?: readonly {
    readonly name: string;
    readonly image: string;
    readonly imageID: string;
    readonly ready: boolean;
    readonly restartCount: number;
    readonly state: ContainerState;
    readonly lastState: ContainerState;
  }[];
}

/** An answer that is no object: Kubernetes' `Status`. */
export function statusBody(code: number, reason: string, message: string): Readonly<Record<string, unknown>> {
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code };
}

/** Thrown to answer a request with a refusal. */
export class Refusal extends Error {
  readonly code: number;
  readonly reason: string;

  constructor(code: number, reason: string, message: string) {
    super(message);
    this.code = code;
    this.reason = reason;
  }
}
