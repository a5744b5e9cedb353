import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { has } from "../../../test/require.ts";
import { canLimit } from "../../../test/stand-ins/kubernetes/cgroup.ts";
import { type StandIn, startStandIn } from "../../../test/stand-ins/kubernetes/stand-in.ts";
import { removeKubernetesOrphans } from "../kubernetes.ts";
import { connect, type KubernetesClient } from "./client.ts";
import { followPod } from "./follow-pod.ts";
import { deletePod, type OpenPod, openPod } from "./pod.ts";

const IMAGE = "debian:12";

describe.skipIf(!has("bwrap"))("a pod's life in the Kubernetes stand-in", () => {
  let standIn: StandIn;
  let client: KubernetesClient;

  beforeAll(async () => {
    standIn = await startStandIn();
    client = await connect({ kubeconfig: standIn.kubeconfig });
  });
  afterAll(() => standIn[Symbol.asyncDispose]());

  /** The names of everything that is there. */
  function there(): readonly string[] {
    const { pods, claims } = standIn.cluster;
    return [...pods.list(standIn.namespace), ...claims.list(standIn.namespace)].map(
      ({ metadata }) => metadata.name,
    );
  }

  async function sh({ transport }: OpenPod, script: string): Promise<string> {
    let said = "";
    await transport.run(["sh", "-c", script], {
      onOutput: (bytes) => {
        said += Buffer.from(bytes).toString();
      },
    });
    return said;
  }

  it.each([
    [
      "an image that can't be pulled",
      { image: "nowhere/none:1" },
      `ImagePullBackOff: Back-off pulling image "nowhere/none:1"; Failed: Failed to pull image "nowhere/none:1": rpc error: code = NotFound desc = nowhere/none:1: not found`,
    ],
    [
      "an image whose program ends at once",
      { image: "crashing" },
      /^CrashLoopBackOff: back-off .*; Error, exit code 3; its last words were "no such thing: \/bin\/it"$/,
    ],
    [
      "more than any node has",
      { image: IMAGE, resources: { requests: { cpu: "64" } }, readyTimeoutMs: 400 },
      "Unschedulable: 0/1 nodes are available: 1 Insufficient cpu.",
    ],
    [
      "a claim that isn't there",
      { image: IMAGE, volume: { claim: "none" }, readyTimeoutMs: 400 },
      'Unschedulable: persistentvolumeclaim "none" not found',
    ],
  ])("gives up on %s with the reason, and leaves nothing", async (_title, options, why) => {
    const failure: unknown = await openPod(client, { name: "doomed", ...options }).catch((error) => error);
    expect(failure).toMatchObject({ code: "backend_unavailable" });
    const limited = "readyTimeoutMs" in options ? " within 0.4 s" : "";
    const start = `The pod sandboxes/doomed did not become ready${limited}: `;
    const message = failure instanceof Error ? failure.message : "";
    expect(message.slice(0, start.length)).toBe(start);
    if (typeof why === "string") expect(message.slice(start.length)).toBe(why);
    else expect(message.slice(start.length)).toMatch(why);
    expect(there()).toEqual([]);
  });

  it.each([
    [
      "that the namespace doesn't let in",
      { user: 0 },
      /forbidden: violates PodSecurity "restricted:latest": runAsNonRoot/,
    ],
    ["with a name that can't be one", { name: "No_Name" }, /"No_Name" is no pod name of Kubernetes/],
  ])("doesn't make a pod %s", async (_title, options, message) => {
    await expect(openPod(client, { image: IMAGE, ...options })).rejects.toThrow(message);
    expect(there()).toEqual([]);
  });

  it("gives up when it is told to, and leaves nothing", async () => {
    const signal = AbortSignal.timeout(200);
    const resources = { requests: { cpu: "64" } };
    await expect(openPod(client, { image: IMAGE, resources, signal })).rejects.toMatchObject({
      code: "aborted",
    });
    expect(there()).toEqual([]);
  });

  it("finds the pod of a name again, with what is in it", async () => {
    const made = await openPod(client, { image: IMAGE, name: "again" });
    await sh(made, "echo kept > file");
    const found = await openPod(client, { image: "another", name: "again" });
    expect([made.made, found.made]).toEqual([true, false]);
    expect(await sh(found, "cat file")).toBe("kept\n");
    await deletePod(client, "again", 1);
    await deletePod(client, "again", 1);
    expect(there()).toEqual([]);
  });

  it("makes the pod of a name anew when the old one has ended, and its kept volume is as it was", async () => {
    const options = { image: IMAGE, name: "worn", volume: { size: "1Gi", keep: true } };
    await sh(await openPod(client, options), "echo kept > file");
    await standIn.cluster.run("worn")?.evict("The node is going away");
    const anew = await openPod(client, options);
    expect([anew.made, await sh(anew, "cat file")]).toEqual([true, "kept\n"]);
    await deletePod(client, "worn", 1);
    expect(there()).toEqual(["worn"]);
    standIn.cluster.claims.remove(standIn.namespace, "worn");
  });

  it("has a volume that goes with the pod", async () => {
    await openPod(client, { image: IMAGE, name: "sized", volume: { size: "1Gi" } });
    expect(there()).toEqual(["sized", "sized-work"]);
    await deletePod(client, "sized", 1);
    expect(there()).toEqual([]);
  });

  it("leaves pods alone that aren't ours", async () => {
    const spec = { containers: [{ name: "work", image: IMAGE, command: ["sleep", "60"] }] };
    standIn.cluster.pods.add(standIn.namespace, { metadata: { name: "theirs" }, spec });
    await expect(openPod(client, { image: IMAGE, name: "theirs" })).rejects.toMatchObject({
      code: "already_exists",
    });
    expect(there()).toEqual(["theirs"]);
    standIn.cluster.pods.remove(standIn.namespace, "theirs");
  });

  it("removes what an owner has left behind, and nothing else", async () => {
    const { kubeconfig } = standIn;
    for (const [name, owner] of [
      ["mine-1", "me"],
      ["mine-2", "me"],
      ["yours", "you"],
    ] as const) {
      await openPod(client, { image: IMAGE, name, owner });
    }
    expect(await removeKubernetesOrphans({ kubeconfig, owner: "me", olderThanMs: 3_600_000 })).toEqual([]);
    expect((await removeKubernetesOrphans({ kubeconfig, owner: "me" })).toSorted()).toEqual([
      "mine-1",
      "mine-2",
    ]);
    expect(there()).toEqual(["yours"]);
    await deletePod(client, "yours", 0);
  });

  it("goes on in a container that was restarted", async () => {
    const { transport } = await openPod(client, { image: IMAGE, name: "phoenix" });
    await transport.run(["sh", "-c", "echo kept > file"]);
    await standIn.cluster.run("phoenix")?.starve();
    // Nobody is told; the next command comes into the restart, or right after it.
    await followPod(
      client,
      "phoenix",
      (pod) => pod?.status?.containerStatuses?.[0]?.lastState?.terminated,
      AbortSignal.timeout(5000),
    );
    expect(await transport.run(["cmp", "file", "file"])).toEqual({ exitCode: 0, signal: null });
    await deletePod(client, "phoenix", 0);
  });

  it.skipIf(!canLimit())("says that a command was too much for the pod's memory", async () => {
    const resources = { requests: { memory: "32Mi" }, limits: { memory: "64Mi" } };
    const { transport } = await openPod(client, { image: IMAGE, name: "small", resources });
    const running = transport.run(["sh", "-c", "head -c 300000000 /dev/zero | tail -c 200000000 | wc -c"]);
    await expect(running).rejects.toMatchObject({
      code: "backend_unavailable",
      message: "The pod sandboxes/small is lost: its container was restarted: OOMKilled, exit code 137",
    });
    await deletePod(client, "small", 0);
  });

  it("lists anew when the watched past has been forgotten, and tries again when connections break", async () => {
    await openPod(client, { image: IMAGE, name: "seen" });
    const { cluster } = standIn;
    let looks = 0;
    const gone = followPod(
      client,
      "seen",
      (pod) => {
        looks += 1;
        if (looks === 1) cluster.pods.compact();
        if (looks === 2) setTimeout(() => standIn.cut(), 20);
        if (looks === 3) setTimeout(() => void cluster.deletePod(standIn.namespace, "seen", 0), 20);
        return pod === undefined ? "gone" : undefined;
      },
      AbortSignal.timeout(10_000),
    );
    expect(await gone).toBe("gone");
    expect(looks).toBeGreaterThan(3);
  });
});

describe.skipIf(!has("bwrap"))("a quota of the Kubernetes stand-in", () => {
  it("is named when it is used up", async () => {
    await using standIn = await startStandIn({ maxPods: 1 });
    const client = await connect({ kubeconfig: standIn.kubeconfig });
    await openPod(client, { image: IMAGE, name: "first" });
    await expect(openPod(client, { image: IMAGE, name: "second" })).rejects.toMatchObject({
      code: "backend_unavailable",
      message:
        'The pod sandboxes/second can\'t be made: pods "second" is forbidden: exceeded quota: sandboxes, requested: pods=1, used: pods=1, limited: pods=1',
    });
  });
});
