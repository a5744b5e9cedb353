import type {
  V1Container,
  V1PersistentVolumeClaim,
  V1PersistentVolumeClaimSpec,
  V1Pod,
  V1Volume,
} from "@kubernetes/client-node";
import {
  checkOwner,
  type KubernetesPodOptions,
  type KubernetesVolume,
  MANAGED,
  OWNER_LABEL,
} from "./options.ts";

type SizedVolume = Extract<KubernetesVolume, { readonly size: string }>;

/** The container that commands run in. */
export const CONTAINER = "work";
/** Where the home directory is, in every pod. */
const HOME = "/home/toolgate";
/**
 * Holds the container open, buries what is orphaned, and goes at once when it is told to. As the first process of its name space it gets
 * no signal that it doesn't ask for.
 */
const HOLD = ["sh", "-c", "trap 'exit 0' TERM INT; while :; do sleep 3600 & wait $! || exit 1; done"];
const REQUESTS = { cpu: "100m", memory: "256Mi" };
const LIMITS = { cpu: "1", memory: "1Gi", "ephemeral-storage": "2Gi" };

/**
 * The pod for a place. Closed unless the options open it: no root, no capability, no way to gain any, the runtime's system call filter,
 * no token of the cluster, no view of its services.
 */
export function podFor(name: string, namespace: string, options: KubernetesPodOptions): V1Pod {
  const { labels = {}, annotations = {}, nodeSelector, tolerations, serviceAccount, runtimeClass } = options;
  const { imagePullSecrets = [], user = 1000, group = 1000, deadlineSeconds, graceSeconds = 5 } = options;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace,
      labels: { ...labels, ...ownLabels(options) },
      annotations: { ...annotations },
    },
    spec: {
      restartPolicy: "Always",
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: graceSeconds,
      securityContext: {
        runAsNonRoot: user !== 0,
        runAsUser: user,
        runAsGroup: group,
        fsGroup: group,
        seccompProfile: { type: "RuntimeDefault" },
      },
      containers: [containerFor(options)],
      volumes: [workVolume(name, options), { name: "home", emptyDir: {} }, { name: "tmp", emptyDir: {} }],
      ...(nodeSelector === undefined ? {} : { nodeSelector: { ...nodeSelector } }),
      ...(tolerations === undefined ? {} : { tolerations: [...tolerations] }),
      ...(serviceAccount === undefined ? {} : { serviceAccountName: serviceAccount }),
      ...(runtimeClass === undefined ? {} : { runtimeClassName: runtimeClass }),
      ...(deadlineSeconds === undefined ? {} : { activeDeadlineSeconds: deadlineSeconds }),
      ...(imagePullSecrets.length === 0
        ? {}
        : { imagePullSecrets: imagePullSecrets.map((secret) => ({ name: secret })) }),
    },
  };
}

function containerFor(options: KubernetesPodOptions): V1Container {
  const { image, workdir = "/workspace", env = {}, resources = {}, readOnlyRoot = false } = options;
  return {
    name: CONTAINER,
    image,
    command: [...HOLD],
    workingDir: workdir,
    env: Object.entries({ HOME, ...env }).map(([variable, value]) => ({ name: variable, value })),
    resources: {
      requests: { ...REQUESTS, ...resources.requests },
      limits: { ...LIMITS, ...resources.limits },
    },
    securityContext: {
      privileged: false,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
      readOnlyRootFilesystem: readOnlyRoot,
    },
    volumeMounts: [
      { name: "work", mountPath: workdir },
      { name: "home", mountPath: HOME },
      { name: "tmp", mountPath: "/tmp" },
    ],
  };
}

function workVolume(pod: string, { volume }: KubernetesPodOptions): V1Volume {
  if (volume === undefined) return { name: "work", emptyDir: {} };
  if ("claim" in volume) return { name: "work", persistentVolumeClaim: { claimName: volume.claim } };
  if (volume.keep) return { name: "work", persistentVolumeClaim: { claimName: pod } };
  // Made and removed by the cluster together with the pod, even if this process dies.
  return { name: "work", ephemeral: { volumeClaimTemplate: { spec: claimSpec(volume) } } };
}

/** The claim for a volume that is to be kept. */
export function claimFor(name: string, volume: SizedVolume): V1PersistentVolumeClaim {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name, labels: { ...MANAGED } },
    spec: claimSpec(volume),
  };
}

function claimSpec({ size, storageClass }: SizedVolume): V1PersistentVolumeClaimSpec {
  return {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: size } },
    ...(storageClass === undefined ? {} : { storageClassName: storageClass }),
  };
}

function ownLabels({ owner }: KubernetesPodOptions): Record<string, string> {
  return { ...MANAGED, ...(owner === undefined ? {} : { [OWNER_LABEL]: checkOwner(owner) }) };
}
