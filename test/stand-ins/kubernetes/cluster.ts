import { mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type FifoPool, fifoPool } from "../../../src/backends/local/fifo.ts";
import { type AdmissionOptions, admit } from "./admission.ts";
import { PodRun } from "./kubelet.ts";
import { type KubeObject, type Pod, type PodStatus, readObject, readPod } from "./shapes.ts";
import { Table, Versions } from "./table.ts";

/** What a cluster has. */
export interface ClusterOptions extends AdmissionOptions {
  /** The namespace that exists. */
  readonly namespace: string;
  readonly folder: string;
  readonly images: Readonly<Record<string, readonly string[] | undefined>>;
  readonly cpus: number;
  readonly podPidsLimit: number;
}

/** The objects of one namespace, and the pods' lives. */
export class Cluster {
  readonly options: ClusterOptions;
  readonly #versions = new Versions();
  readonly pods: Table<Pod> = new Table("pods", this.#versions);
  readonly claims: Table<KubeObject> = new Table("persistentvolumeclaims", this.#versions);
  readonly events: Table<KubeObject> = new Table("events", this.#versions);
  readonly #runs = new Map<string, PodRun>();
  readonly #pool: FifoPool;
  #eventCount = 0;

  constructor(options: ClusterOptions) {
    this.options = options;
    mkdirSync(options.folder, { recursive: true });
    this.#pool = fifoPool(() => options.folder);
  }

  get version(): number {
    return this.#versions.last;
  }

  /** A pod's life, while it has one. */
  run(name: string): PodRun | undefined {
    return this.#runs.get(name);
  }

  createPod(namespace: string, body: unknown): Pod {
    const sent = readPod(body);
    admit(sent, this.pods.list(namespace).length, this.options);
    const pod = this.pods.add(namespace, { ...sent, status: { phase: "Pending" } });
    for (const volume of pod.spec.volumes ?? []) {
      if (volume.ephemeral === undefined) continue;
      const metadata = { name: `${pod.metadata.name}-${volume.name}` };
      this.createClaim(namespace, { metadata, spec: volume.ephemeral.volumeClaimTemplate.spec });
    }
    const { cpus, podPidsLimit, images } = this.options;
    const node = {
      ...{ cpus, podPidsLimit, images, folder: this.options.folder, pool: this.#pool },
      claimFolder: (where: string, claim: string) =>
        this.claims.get(where, claim) === undefined ? undefined : this.claimFolder(where, claim),
      setStatus: (of: Pod, status: PodStatus) =>
        this.pods.update(namespace, of.metadata.name, (now) => ({ ...now, status })),
      event: (of: Pod, reason: string, message: string) => this.#event(of, reason, message),
    };
    this.#runs.set(pod.metadata.name, new PodRun(pod, node));
    return pod;
  }

  createClaim(namespace: string, body: unknown): KubeObject {
    const claim = this.claims.add(namespace, readObject(body));
    mkdirSync(this.claimFolder(namespace, claim.metadata.name), { recursive: true, mode: 0o777 });
    return claim;
  }

  claimFolder(namespace: string, claim: string): string {
    return join(this.options.folder, "claims", `${namespace}-${claim}`);
  }

  /** Marks a pod as going and lets it end; answers the pod as it is meanwhile. */
  deletePod(namespace: string, name: string, graceSeconds: number | undefined): Pod {
    const pod = this.pods.need(namespace, name);
    const grace = graceSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30;
    const deletionTimestamp = new Date(Date.now() + grace * 1000).toISOString();
    this.pods.update(namespace, name, (now) => ({
      ...now,
      metadata: { ...now.metadata, deletionTimestamp },
    }));
    void this.#end(pod, grace);
    return this.pods.need(namespace, name);
  }

  /** Ends every pod and forgets everything. */
  async close(): Promise<void> {
    await Promise.all([...this.#runs.values()].map((run) => run.delete(0)));
    this.#pool.close();
    await rm(this.options.folder, { recursive: true, force: true });
  }

  async #end(pod: Pod, graceSeconds: number): Promise<void> {
    const { namespace = "", name } = pod.metadata;
    await this.#runs.get(name)?.delete(graceSeconds);
    this.#runs.delete(name);
    this.pods.remove(namespace, name);
    for (const volume of pod.spec.volumes ?? []) {
      if (volume.ephemeral === undefined) continue;
      this.claims.remove(namespace, `${name}-${volume.name}`);
      await rm(this.claimFolder(namespace, `${name}-${volume.name}`), { recursive: true, force: true });
    }
  }

  #event(pod: Pod, reason: string, message: string): void {
    this.#eventCount += 1;
    const { name, namespace = "", uid } = pod.metadata;
    const event = {
      metadata: { name: `${name}.${this.#eventCount}` },
      involvedObject: { kind: "Pod", name, namespace, uid },
      type: "Warning",
      lastTimestamp: new Date().toISOString(),
      ...{ reason, message, count: 1 },
    };
    this.events.add(namespace, event);
  }
}
