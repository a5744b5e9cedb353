import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { FifoPool } from "../../../src/backends/local/fifo.ts";
import { bytesOf, type Group, makeGroup } from "./cgroup.ts";
import { Container } from "./container.ts";
import type { ContainerState, Pod, PodStatus } from "./shapes.ts";

/** What a pod needs of the cluster round it. */
export interface Node {
  /** A folder of this machine for what pods hold. */
  readonly folder: string;
  readonly pool: FifoPool;
  readonly cpus: number;
  /** Processes that a pod may have at a time. */
  readonly podPidsLimit: number;
  /** Images that can be pulled, each with what it runs instead of the pod's command, if it does, which ends at once. */
  readonly images: Readonly<Record<string, readonly string[] | undefined>>;
  /** The folder of a claim; `undefined` when there is no such claim. */
  readonly claimFolder: (namespace: string, claim: string) => string | undefined;
  readonly setStatus: (pod: Pod, status: PodStatus) => void;
  readonly event: (pod: Pod, reason: string, message: string) => void;
}

/** Between two steps of a pod's life. */
const STEP_MS = 15;
const BACK_OFF_MS = 150;

/** Leads one pod through its life, as scheduler and kubelet do together. */
export class PodRun {
  readonly pod: Pod;
  readonly #node: Node;
  readonly #folder: string;
  /** The container that runs, if one does. */
  container: Container | undefined;
  #restarts = 0;
  #lastState: ContainerState = {};
  #lost: { readonly reason: string; readonly message: string } | undefined;
  #deleted = false;
  #starved = false;
  /** The last container's words. */
  log = "";
  readonly #life: Promise<void>;

  constructor(pod: Pod, node: Node) {
    this.pod = pod;
    this.#node = node;
    this.#folder = join(node.folder, "pods", pod.metadata.uid ?? pod.metadata.name);
    this.#life = this.#live();
  }

  /** Ends the pod: TERM, then KILL after the grace. Resolves when nothing of it is left. */
  async delete(graceSeconds: number): Promise<void> {
    this.#deleted = true;
    if (this.container !== undefined) this.container.lost = true;
    void this.container?.kill("SIGTERM");
    const killing = setTimeout(() => void this.container?.kill("SIGKILL"), graceSeconds * 1000);
    await this.#life;
    clearTimeout(killing);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Throws the pod off its node for good. */
  async evict(message: string): Promise<void> {
    this.#lost = { reason: "Evicted", message };
    this.#node.setStatus(this.pod, { phase: "Failed", ...this.#lost });
    if (this.container !== undefined) this.container.lost = true;
    await this.container?.kill("SIGKILL");
  }

  /** Does what the kernel does when a container's memory is used up: ends everything in it. */
  async starve(): Promise<void> {
    this.#starved = true;
    await this.container?.kill("SIGKILL");
  }

  async #live(): Promise<void> {
    // The answer to the request comes first.
    await pause(STEP_MS);
    const mounts = await this.#schedule();
    if (mounts === undefined || !(await this.#pull())) return;
    while (!this.#deleted && this.#lost === undefined) {
      await this.#runOnce(mounts);
      if (this.#restarts > 1 && this.#lost === undefined) await this.#backOff();
    }
  }

  /** Waits for a node with room and for the volumes, and answers the folders to mount. */
  async #schedule(): Promise<Map<string, string> | undefined> {
    let said = "";
    for (; !this.#deleted; await pause(STEP_MS)) {
      const why = this.#unschedulable();
      if (why === undefined) return this.#mounts();
      if (why !== said) {
        const scheduled = { type: "PodScheduled", status: "False", reason: "Unschedulable" } as const;
        this.#node.setStatus(this.pod, { phase: "Pending", conditions: [{ ...scheduled, message: why }] });
        this.#node.event(this.pod, "FailedScheduling", why);
      }
      said = why;
    }
    return undefined;
  }

  #unschedulable(): string | undefined {
    const { spec, metadata } = this.pod;
    const cpus = Number(spec.containers[0]?.resources?.requests?.cpu?.replace(/^(\d+)m$/, "0.$1") ?? 0);
    if (cpus > this.#node.cpus) return "0/1 nodes are available: 1 Insufficient cpu.";
    const missing = (spec.volumes ?? [])
      .flatMap((volume) => volume.persistentVolumeClaim?.claimName ?? [])
      .find((claim) => this.#node.claimFolder(metadata.namespace ?? "", claim) === undefined);
    return missing === undefined ? undefined : `persistentvolumeclaim "${missing}" not found`;
  }

  #mounts(): Map<string, string> {
    const { spec, metadata } = this.pod;
    const folders = new Map(
      (spec.volumes ?? []).map((volume) => {
        const claim =
          volume.persistentVolumeClaim?.claimName ??
          (volume.ephemeral === undefined ? undefined : `${metadata.name}-${volume.name}`);
        if (claim === undefined) return [volume.name, join(this.#folder, volume.name)];
        return [volume.name, this.#node.claimFolder(metadata.namespace ?? "", claim) ?? ""];
      }),
    );
    for (const folder of folders.values()) mkdirSync(folder, { recursive: true, mode: 0o777 });
    return new Map(
      (spec.containers[0]?.volumeMounts ?? []).map((mount) => [
        mount.mountPath,
        folders.get(mount.name) ?? "",
      ]),
    );
  }

  async #pull(): Promise<boolean> {
    this.#say({ waiting: { reason: "ContainerCreating" } });
    await pause(STEP_MS);
    const image = this.pod.spec.containers[0]?.image ?? "";
    if (image in this.#node.images) return true;
    const message = `Failed to pull image "${image}": rpc error: code = NotFound desc = ${image}: not found`;
    this.#node.event(this.pod, "Failed", message);
    this.#say({ waiting: { reason: "ErrImagePull", message } });
    await pause(STEP_MS);
    this.#say({ waiting: { reason: "ImagePullBackOff", message: `Back-off pulling image "${image}"` } });
    while (!this.#deleted) await pause(STEP_MS);
    return false;
  }

  /** From the container's start to its end. */
  async #runOnce(mounts: Map<string, string>): Promise<void> {
    const group = this.#group();
    const container = this.#start(mounts, group);
    await container.started().catch(() => undefined);
    // A program that ends at once has ended before anybody joins it, however slow this machine is.
    if (!this.#endsAtOnce) this.container = container;
    this.#say({ running: { startedAt: new Date().toISOString() } });
    // Told to go before it was there; a shell that has just begun doesn't listen to TERM yet.
    if (this.#deleted || this.#lost !== undefined) void container.kill("SIGKILL");
    const watching = setInterval(() => {
      if (container.starved) void this.starve();
    }, 30);
    const exitCode = await container.ended;
    clearInterval(watching);
    this.container = undefined;
    this.log = container.log;
    const reason = this.#starved ? "OOMKilled" : exitCode === 0 ? "Completed" : "Error";
    this.#starved = false;
    this.#lastState = { terminated: { exitCode, reason, finishedAt: new Date().toISOString() } };
    this.#restarts += 1;
    if (!this.#deleted) this.#say(this.#lastState);
    await Promise.all([group?.remove(), pause(STEP_MS)]);
  }

  async #backOff(): Promise<void> {
    const name = this.pod.spec.containers[0]?.name;
    const message = `back-off 10s restarting failed container=${name} pod=${this.pod.metadata.name}`;
    this.#say({ waiting: { reason: "CrashLoopBackOff", message } });
    this.#node.event(this.pod, "BackOff", `Back-off restarting failed container ${name}`);
    await pause(BACK_OFF_MS);
  }

  get #endsAtOnce(): boolean {
    return this.#node.images[this.pod.spec.containers[0]?.image ?? ""] !== undefined;
  }

  #group(): Group | undefined {
    const memory = this.pod.spec.containers[0]?.resources?.limits?.memory;
    if (memory === undefined) return undefined;
    const name = `toolgate-${this.pod.metadata.uid}-${this.#restarts}`;
    return makeGroup(name, bytesOf(memory), this.#node.podPidsLimit);
  }

  #start(mounts: Map<string, string>, group: Group | undefined): Container {
    const { spec, metadata } = this.pod;
    const [own] = spec.containers;
    const env = Object.fromEntries((own?.env ?? []).map(({ name, value = "" }) => [name, value]));
    return new Container(
      {
        mounts,
        argv: this.#node.images[own?.image ?? ""] ?? own?.command ?? [],
        cwd: own?.workingDir ?? "/",
        env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOSTNAME: metadata.name, HOME: "/", ...env },
        uid: own?.securityContext?.runAsUser ?? spec.securityContext?.runAsUser ?? 0,
        gid: own?.securityContext?.runAsGroup ?? spec.securityContext?.runAsGroup ?? 0,
        hostname: metadata.name,
        group,
      },
      this.#node.pool,
    );
  }

  /** Tells the world what the container is doing. */
  #say(state: ContainerState): void {
    if (this.#lost !== undefined) return;
    const [own] = this.pod.spec.containers;
    this.#node.setStatus(this.pod, {
      phase:
        state.waiting?.reason === "CrashLoopBackOff" || state.waiting === undefined ? "Running" : "Pending",
      conditions: [{ type: "PodScheduled", status: "True" }],
      containerStatuses: [
        {
          name: own?.name ?? "",
          image: own?.image ?? "",
          imageID: "",
          ready: state.running !== undefined,
          restartCount: this.#restarts,
          state,
          lastState: this.#lastState,
        },
      ],
    });
  }
}
