import { isToolgateError, ToolgateError } from "../../errors.ts";
import { randomHex } from "../../lib/random-hex.ts";
import type { KubernetesClient } from "./client.ts";
import { httpStatus, unavailable } from "./failure.ts";
import { findPod, followPod } from "./follow-pod.ts";
import { judgePod } from "./judge-pod.ts";
import { checkName, type KubernetesBackendOptions, MANAGED } from "./options.ts";
import { claimFor, podFor } from "./pod-spec.ts";
import { waitUntilReady } from "./ready.ts";
import { PodTransport } from "./transport.ts";

/** A pod in which programs run. */
export interface OpenPod {
  readonly name: string;
  /** False when it was there already. */
  readonly made: boolean;
  readonly transport: PodTransport;
  /** Where programs start, by its real path. */
  readonly cwd: string;
  readonly home: string;
}

const READY_MS = 180_000;
/** Beyond the grace, for a pod to be gone. */
const GONE_MS = 60_000;

/** Finds or makes the pod, and waits until programs run in it. What was made for a pod that doesn't come is removed. */
export async function openPod(client: KubernetesClient, options: KubernetesBackendOptions): Promise<OpenPod> {
  const { name = `toolgate-${randomHex(6)}`, readyTimeoutMs = READY_MS, signal } = options;
  checkName("pod name", name);
  const made = options.name === undefined || !(await isThere(client, name, signal));
  if (made) await makePod(client, name, options);
  try {
    return { name, made, ...(await enter(client, name, readyTimeoutMs, signal)) };
  } catch (error) {
    if (made) await deletePod(client, name, 0).catch(() => undefined);
    throw error;
  }
}

/** Waits until a program has run; a container that ends right after its start is waited for until the cluster gives it up. */
async function enter(
  client: KubernetesClient,
  name: string,
  limitMs: number,
  signal?: AbortSignal,
): Promise<Pick<OpenPod, "transport" | "cwd" | "home">> {
  const deadline = Date.now() + limitMs;
  let restarts = await waitUntilReady(client, name, limitMs, signal);
  for (;;) {
    const transport = new PodTransport(client, name, restarts);
    try {
      return { transport, ...(await surroundings(transport, signal)) };
    } catch (error) {
      if (!isToolgateError(error, "backend_unavailable")) throw error;
      const now = await waitUntilReady(client, name, Math.max(1, deadline - Date.now()), signal);
      if (now === restarts) throw error;
      restarts = now;
    }
  }
}

async function surroundings(
  transport: PodTransport,
  signal?: AbortSignal,
): Promise<{ readonly cwd: string; readonly home: string }> {
  let said = "";
  let complaint = "";
  const script = 'printf "%s\\0" "$(pwd -P)" "$HOME"';
  const { exitCode } = await transport.run(["sh", "-c", script], {
    onOutput: (bytes, stream) => {
      if (stream === "stdout") said += Buffer.from(bytes).toString();
      else complaint += Buffer.from(bytes).toString();
    },
    ...(signal === undefined ? {} : { signal }),
  });
  const [cwd = "", home = ""] = said.split("\0");
  if (exitCode === 0 && cwd.startsWith("/")) return { cwd, home: home.startsWith("/") ? home : cwd };
  throw new ToolgateError(
    "unsupported",
    `The pod's image has no POSIX sh (exit code ${exitCode}). ${complaint}`,
  );
}

/** Deletes a pod and waits until it is gone. One that isn't there is fine. @throws ToolgateError `backend_unavailable` */
export async function deletePod(client: KubernetesClient, name: string, graceSeconds: number): Promise<void> {
  const { core, namespace, server } = client;
  try {
    await core.deleteNamespacedPod({ namespace, name, gracePeriodSeconds: graceSeconds });
    const signal = AbortSignal.timeout(graceSeconds * 1000 + GONE_MS);
    await followPod(client, name, (pod) => (pod === undefined ? true : undefined), signal);
  } catch (error) {
    if (httpStatus(error) === 404) return;
    throw unavailable(`The pod ${namespace}/${name} can't be removed`, server, error);
  }
}

/** Whether a pod of ours is there to be used; the remains of one that has ended are removed. */
async function isThere(client: KubernetesClient, name: string, signal?: AbortSignal): Promise<boolean> {
  const { namespace, server } = client;
  const { pod } = await findPod(client, name).catch((error: unknown) => {
    throw unavailable(`The pod ${namespace}/${name} can't be looked for`, server, error);
  });
  if (pod === undefined) return false;
  const ours = Object.entries(MANAGED).every(([label, value]) => pod.metadata?.labels?.[label] === value);
  if (!ours) {
    throw new ToolgateError("already_exists", `The pod ${namespace}/${name} isn't one of toolgate's.`, {
      hint: "Choose another name.",
    });
  }
  if (judgePod(pod).state !== "gone") return true;
  signal?.throwIfAborted();
  await deletePod(client, name, pod.spec?.terminationGracePeriodSeconds ?? 0);
  return false;
}

async function makePod(
  client: KubernetesClient,
  name: string,
  options: KubernetesBackendOptions,
): Promise<void> {
  const { core, namespace, server } = client;
  const { volume } = options;
  try {
    if (volume !== undefined && "size" in volume && volume.keep) {
      await core
        .createNamespacedPersistentVolumeClaim({ namespace, body: claimFor(name, volume) })
        .catch((error: unknown) => {
          // The claim that an earlier pod of this name has left.
          if (httpStatus(error) !== 409) throw error;
        });
    }
    await core.createNamespacedPod({ namespace, body: podFor(name, namespace, options) });
  } catch (error) {
    throw unavailable(`The pod ${namespace}/${name} can't be made`, server, error);
  }
}
