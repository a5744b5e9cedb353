import { randomUUID } from "node:crypto";
import type { KubeObject } from "./shapes.ts";
import { Refusal } from "./shapes.ts";

/** Counts the changes of the whole cluster, as etcd does. */
export class Versions {
  #last = 100;

  get last(): number {
    return this.#last;
  }

  next(): number {
    this.#last += 1;
    return this.#last;
  }
}

/** What happened to an object. */
export interface Change<T> {
  readonly version: number;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: T;
}

/** Objects of one kind, and the changes that a watch can still be told. */
export class Table<T extends KubeObject> {
  readonly resource: string;
  readonly #versions: Versions;
  readonly #objects = new Map<string, T>();
  readonly #watchers = new Set<(change: Change<T>) => void>();
  #changes: Change<T>[] = [];
  /** Changes up to this one have been forgotten. */
  #forgotten = 0;

  constructor(resource: string, versions: Versions) {
    this.resource = resource;
    this.#versions = versions;
  }

  get(namespace: string, name: string): T | undefined {
    return this.#objects.get(`${namespace}/${name}`);
  }

  need(namespace: string, name: string): T {
    const object = this.get(namespace, name);
    if (object !== undefined) return object;
    throw new Refusal(404, "NotFound", `${this.resource} "${name}" not found`);
  }

  list(namespace: string): T[] {
    return [...this.#objects.values()].filter(({ metadata }) => metadata.namespace === namespace);
  }

  add(namespace: string, object: T): T {
    const { name } = object.metadata;
    if (this.get(namespace, name) !== undefined) {
      throw new Refusal(409, "AlreadyExists", `${this.resource} "${name}" already exists`);
    }
    const metadata = {
      ...object.metadata,
      namespace,
      uid: randomUUID(),
      creationTimestamp: new Date().toISOString(),
    };
    return this.#put("ADDED", { ...object, metadata });
  }

  /** Replaces what an object says; nothing when it is no longer there. */
  update(namespace: string, name: string, change: (object: T) => T): void {
    const object = this.get(namespace, name);
    if (object !== undefined) this.#put("MODIFIED", change(object));
  }

  remove(namespace: string, name: string): void {
    const object = this.get(namespace, name);
    if (object === undefined) return;
    this.#put("DELETED", object);
    this.#objects.delete(`${namespace}/${name}`);
  }

  /** Tells what happened after a version, and what happens from now on. @throws Refusal 410 when that has been forgotten */
  watch(after: number, tell: (change: Change<T>) => void): () => void {
    if (after < this.#forgotten) {
      throw new Refusal(410, "Expired", `too old resource version: ${after} (${this.#forgotten})`);
    }
    for (const change of this.#changes) if (change.version > after) tell(change);
    this.#watchers.add(tell);
    return () => void this.#watchers.delete(tell);
  }

  /** Forgets the past, as etcd does after some minutes. */
  compact(): void {
    this.#forgotten = this.#versions.next();
    this.#changes = [];
  }

  #put(type: Change<T>["type"], object: T): T {
    const version = this.#versions.next();
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
    this.#objects.set(`${stored.metadata.namespace}/${stored.metadata.name}`, stored);
    const change = { version, type, object: stored };
    this.#changes.push(change);
    for (const tell of this.#watchers) tell(change);
    return stored;
  }
}
