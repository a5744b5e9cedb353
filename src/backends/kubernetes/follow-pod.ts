import { setTimeout as pause } from "node:timers/promises";
import type { V1Pod } from "@kubernetes/client-node";
import type { KubernetesClient } from "./client.ts";
import { httpStatus } from "./failure.ts";

/** Between two tries when the API server doesn't answer for the moment. */
const RETRY_MS = 250;

/** The pod of a name, if there is one, and the version of the world in which that was so. */
export async function findPod(
  client: KubernetesClient,
  name: string,
): Promise<{ readonly pod: V1Pod | undefined; readonly version: string }> {
  // By a list, whose version a watch can go on from, and which needs no right of its own.
  const { core, namespace } = client;
  const fieldSelector = `metadata.name=${name}`;
  const { items, metadata } = await core.listNamespacedPod({ namespace, fieldSelector });
  return { pod: items[0], version: metadata?.resourceVersion ?? "" };
}

/**
 * Looks at a pod, and again at each change, until `decide` answers something. Goes through lost connections and forgotten pasts.
 * Rejects with the signal's reason, or when the API server refuses.
 */
export async function followPod<T>(
  client: KubernetesClient,
  name: string,
  decide: (pod: V1Pod | undefined) => T | undefined,
  signal: AbortSignal,
): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    try {
      const { pod, version } = await findPod(client, name);
      const decided = decide(pod) ?? (await watchPod(client, name, version, decide, signal));
      if (decided !== undefined) return decided;
    } catch (error) {
      if (signal.aborted || !isPassing(error)) throw error;
      await pause(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Watches until something is decided; `undefined` when the watch ends before, as they all do after a while. */
async function watchPod<T>(
  { watch, namespace }: KubernetesClient,
  name: string,
  resourceVersion: string,
  decide: (pod: V1Pod | undefined) => T | undefined,
  signal: AbortSignal,
): Promise<T | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<T | undefined>();
  const stop = (): void => reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const started = watch.watch(
    path,
    { fieldSelector: `metadata.name=${name}`, resourceVersion },
    (type: string, pod: V1Pod) => {
      // `ERROR` mostly says that this version has been forgotten (410): the next round lists anew.
      if (type === "ERROR") return resolve(undefined);
      const decided = decide(type === "DELETED" ? undefined : pod);
      if (decided !== undefined) resolve(decided);
    },
    (error: unknown) => {
      if (error === null || error === undefined || httpStatus(error) === 410) resolve(undefined);
      else if (error instanceof Error && error.name === "TimeoutError") resolve(undefined);
      else reject(error);
    },
  );
  started.catch(reject);
  try {
    return await promise;
  } finally {
    signal.removeEventListener("abort", stop);
    void started.then((watching) => watching.abort());
  }
}

/** Whether trying again may help: nobody answered, too many asked, or something broke on the way. */
function isPassing(error: unknown): boolean {
  const status = httpStatus(error);
  return status === undefined || status === 429 || status >= 500;
}
