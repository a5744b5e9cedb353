import { resolve } from "node:path";
import type { Backend } from "../backend.ts";
import { localBackend } from "../backends/local.ts";
import { ToolgateError } from "../errors.ts";
import { guard, type TreeProgress } from "./tree/guard.ts";
import { folderHere, hostTree, writeHostTree } from "./tree/host-tree.ts";
import { placeTree, writePlaceTree } from "./tree/place-tree.ts";
import { staged } from "./tree/staged.ts";

/** How a folder is carried over. */
export interface TransferOptions {
  /** What is at the target is replaced, as a whole. @default false: refused with `already_exists`, unless it is an empty folder */
  readonly replace?: boolean;
  /** Bytes of all files together. @default 2 GiB */
  readonly maxBytes?: number;
  /** @default 200000 */
  readonly maxEntries?: number;
  /** Tells how far it is, with every piece. */
  readonly onProgress?: (progress: TreeProgress) => void;
  readonly signal?: AbortSignal;
}

/** What was carried over. */
export interface TransferReport {
  /** Files, directories and links. */
  readonly entries: number;
  /** Bytes of files. */
  readonly bytes: number;
  /** What was left out, each with the reason: devices, sockets, links of a place that lead out of the folder. */
  readonly skipped: readonly string[];
}

const MAX_BYTES = 2 * 1024 ** 3;
const MAX_ENTRIES = 200_000;

/**
 * Copies a folder of this machine into a place. Links stay links and are never followed; modes are kept, owners aren't. The target is there as a
 * whole or not at all, but for an empty folder, into which the pieces are moved one by one.
 * @throws ToolgateError `already_exists`, `too_large`, `not_a_directory`, `no_space`
 */
export async function upload(
  backend: Backend,
  folder: string,
  target: string,
  options: TransferOptions = {},
): Promise<TransferReport> {
  const from = await folderHere(folder);
  const report = new Report(options);
  await staged(
    backend,
    target,
    (part) => {
      const limits = { what: from, links: "keep", foldsCase: backend.foldsCase } as const;
      return writePlaceTree(backend, part, report.guarded(hostTree(from), limits), options.signal);
    },
    options,
  );
  return report.facts;
}

/**
 * Copies a folder of a place to this machine, under the same promises. What comes from there is not believed: links that lead out of the folder are left
 * out, and names that lead elsewhere end it.
 * @throws ToolgateError `already_exists`, `too_large`, `not_found`, `invalid_input`
 */
export async function download(
  backend: Backend,
  directory: string,
  target: string,
  options: TransferOptions = {},
): Promise<TransferReport> {
  const { kind } = await backend.stat(directory);
  if (kind !== "directory") throw new ToolgateError("not_a_directory", `${directory} is no folder.`);
  await using host = localBackend({ bwrap: false });
  const report = new Report(options);
  await staged(
    host,
    resolve(target),
    (part) => {
      const limits = { what: directory, links: "inside", foldsCase: host.foldsCase } as const;
      return writeHostTree(part, report.guarded(placeTree(backend, directory, options.signal), limits));
    },
    options,
  );
  return report.facts;
}

/** Keeps count of a transfer. */
class Report {
  readonly #options: TransferOptions;
  readonly #skipped: string[] = [];
  #last: TreeProgress | undefined;

  constructor(options: TransferOptions) {
    this.#options = options;
  }

  guarded(
    tree: Parameters<typeof guard>[0],
    limits: Pick<Parameters<typeof guard>[1], "what" | "links" | "foldsCase">,
  ): ReturnType<typeof guard> {
    const { maxBytes = MAX_BYTES, maxEntries = MAX_ENTRIES, onProgress, signal } = this.#options;
    return guard(tree, {
      ...limits,
      maxBytes,
      maxEntries,
      signal,
      onProgress: (progress) => {
        this.#last = progress;
        onProgress?.(progress);
      },
      onSkipped: (path, why) => this.#skipped.push(`${path} ${why}`),
    });
  }

  get facts(): TransferReport {
    const { entries = 0, bytes = 0 } = this.#last ?? {};
    return { entries, bytes, skipped: this.#skipped };
  }
}
