import type { CoreV1Event, V1ContainerStatus, V1Pod } from "@kubernetes/client-node";

/** What can be said of a pod by looking at it. */
export type Verdict =
  | { readonly state: "ready"; readonly restarts: number }
  /** It may still come; `why` says what it waits for. */
  | { readonly state: "waiting"; readonly why: string }
  /** It won't come. */
  | { readonly state: "failed"; readonly why: string }
  /** It came, and has gone. */
  | { readonly state: "gone"; readonly why: string };

/** Reasons to wait that waiting doesn't mend. */
const HOPELESS: readonly string[] = [
  "CrashLoopBackOff",
  "CreateContainerConfigError",
  "CreateContainerError",
  "ErrImageNeverPull",
  "ImageInspectError",
  "ImagePullBackOff",
  "InvalidImageName",
  "RunContainerError",
];

/** Judges a pod by its status. */
export function judgePod(pod: V1Pod): Verdict {
  const { status, metadata } = pod;
  if (metadata?.deletionTimestamp !== undefined) return { state: "gone", why: "it is being deleted" };
  if (status?.phase === "Failed" || status?.phase === "Succeeded") {
    const ended = status.containerStatuses?.[0]?.state?.terminated;
    const why = [status.reason ?? ended?.reason ?? `it has ${status.phase.toLowerCase()}`, status.message];
    return { state: "gone", why: why.filter((part) => part !== undefined).join(": ") };
  }
  const unscheduled = status?.conditions?.find(
    ({ type, status: holds }) => type === "PodScheduled" && holds === "False",
  );
  if (unscheduled !== undefined) {
    const { reason = "Unschedulable", message = "no node takes it" } = unscheduled;
    return { state: "waiting", why: `${reason}: ${message}` };
  }
  return judgeContainer(status?.containerStatuses?.[0]);
}

function judgeContainer(status: V1ContainerStatus | undefined): Verdict {
  if (status?.state?.running !== undefined) return { state: "ready", restarts: status.restartCount };
  const { waiting, terminated } = status?.state ?? {};
  if (terminated !== undefined) return { state: "waiting", why: endOf(status) };
  const { reason = "Pending", message } = waiting ?? {};
  const last = status?.lastState?.terminated === undefined ? undefined : endOf(status);
  const why = [message === undefined ? reason : `${reason}: ${message}`, last];
  const text = why.filter((part) => part !== undefined).join("; ");
  return { state: HOPELESS.includes(reason) ? "failed" : "waiting", why: text };
}

/** How the container ended last: `OOMKilled, exit code 137`. */
function endOf(status: V1ContainerStatus | undefined): string {
  const { reason, exitCode, message } = status?.state?.terminated ?? status?.lastState?.terminated ?? {};
  const what = reason ?? "its container ended";
  return `${what}, exit code ${exitCode}${message === undefined ? "" : `: ${message.trim()}`}`;
}

/** What became of a pod since its container had been restarted so many times; `undefined` when it is as it was. */
export function fateOf(pod: V1Pod | undefined, restarts: number): string | undefined {
  if (pod === undefined) return "it has been deleted";
  const verdict = judgePod(pod);
  if (verdict.state === "gone" || verdict.state === "failed") return verdict.why;
  const status = pod.status?.containerStatuses?.[0];
  if (verdict.state === "ready" && verdict.restarts === restarts) return undefined;
  if (status?.state?.terminated === undefined && status?.lastState?.terminated === undefined)
    return undefined;
  return `its container was restarted: ${endOf(status)}`;
}

/** What the cluster warned of last about a pod, unless `known` says it already. */
export function lastWarning(events: readonly CoreV1Event[], known: string): string | undefined {
  const last = events
    .filter(({ type, reason }) => type === "Warning" && reason !== "BackOff")
    .sort((one, other) => timeOf(one) - timeOf(other))
    .at(-1);
  const message = last?.message?.trim();
  return message === undefined || known.includes(message) ? undefined : `${last?.reason}: ${message}`;
}

function timeOf({ lastTimestamp, eventTime, metadata }: CoreV1Event): number {
  return new Date(lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? 0).getTime();
}
