import { isObject } from "../../lib/json.ts";

/** A file of an entry. */
export interface ConsoleFile {
  /** Random: nothing of the name is in it. */
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  /** Bytes. */
  readonly size: number;
}

/** One message of the console's conversation. */
export interface ConsoleEntry {
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly from: "person" | "agent";
  readonly text: string;
  readonly files: readonly ConsoleFile[];
}

/** An entry as it was kept; `undefined` for a line that is none: half-written, or somebody else's. */
export function readEntry(line: string): ConsoleEntry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { id, at, from, text, files } = value;
  if (typeof id !== "string" || typeof at !== "string" || typeof text !== "string") return undefined;
  if ((from !== "person" && from !== "agent") || !Array.isArray(files)) return undefined;
  return { id, at, from, text, files: files.flatMap((file: unknown) => readFile(file) ?? []) };
}

function readFile(value: unknown): ConsoleFile | undefined {
  if (!isObject(value)) return undefined;
  const { id, name, mediaType, size } = value;
  // It becomes a path.
  if (typeof id !== "string" || !/^[0-9a-f]{32}$/.test(id)) return undefined;
  if (typeof name !== "string" || typeof mediaType !== "string" || typeof size !== "number") return undefined;
  return { id, name, mediaType, size };
}
