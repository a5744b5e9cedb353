import type { Pod } from "./shapes.ts";
import { Refusal } from "./shapes.ts";

/** What a namespace lets in. */
export interface AdmissionOptions {
  /** Whether the namespace enforces the Pod Security Standard `restricted`. */
  readonly restricted: boolean;
  /** Pods at most. */
  readonly maxPods: number;
}

/** Admits a pod or refuses it in the API server's words. @throws Refusal 403 */
export function admit(pod: Pod, podsThere: number, { restricted, maxPods }: AdmissionOptions): void {
  const { name } = pod.metadata;
  const faults = restricted ? violations(pod) : [];
  if (faults.length > 0) {
    const why = `violates PodSecurity "restricted:latest": ${faults.join(", ")}`;
    throw new Refusal(403, "Forbidden", `pods "${name}" is forbidden: ${why}`);
  }
  if (podsThere >= maxPods) {
    const why = `exceeded quota: sandboxes, requested: pods=1, used: pods=${podsThere}, limited: pods=${maxPods}`;
    throw new Refusal(403, "Forbidden", `pods "${name}" is forbidden: ${why}`);
  }
}

function violations({ spec }: Pod): string[] {
  const own = spec.containers[0]?.securityContext ?? {};
  const all = { ...spec.securityContext, ...own };
  return [
    ...(own.allowPrivilegeEscalation === false ? [] : ["allowPrivilegeEscalation != false"]),
    ...(own.capabilities?.drop?.includes("ALL") ? [] : ["unrestricted capabilities"]),
    ...(all.runAsNonRoot === true && all.runAsUser !== 0 ? [] : ["runAsNonRoot != true"]),
    ...(all.seccompProfile?.type === "RuntimeDefault" ? [] : ["seccompProfile"]),
  ];
}
