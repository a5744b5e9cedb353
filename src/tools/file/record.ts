import type { Backend, FileStat } from "../../backend.ts";
import type { AgentState, ReadRecord } from "../../state.ts";

/** How many files of one backend a session remembers; the least recently used is forgotten first. */
export const MAX_READ_RECORDS = 1000;

/** Up to this size a file's content is hashed, so that a touched but unchanged file still counts as read. */
export const HASHED_BYTES: number = 8 * 1024 * 1024;

/** SHA-256 of a file's content in hex; `undefined` above {@link HASHED_BYTES}. */
export async function contentHash(bytes: Uint8Array): Promise<string | undefined> {
  if (bytes.length > HASHED_BYTES) return undefined;
  const { hash } = await import("node:crypto");
  return hash("sha256", bytes, "hex");
}

/** Notes that this content of a file is known to the model. `stat` is from before the bytes were read. */
export function remember(
  state: AgentState | undefined,
  backend: Backend,
  path: string,
  stat: FileStat,
  hash: string | undefined,
): void {
  if (state === undefined) return;
  const known = recordsOf(state, backend.id);
  known.delete(path);
  known.set(path, { path, version: stat.version, size: stat.size, ...(hash === undefined ? {} : { hash }) });
  for (const oldest of known.keys()) {
    if (known.size <= MAX_READ_RECORDS) break;
    known.delete(oldest);
  }
  state.tools.reads = { ...state.tools.reads, [backend.id]: Object.fromEntries(known) };
}

/** What was last read or written of a file in this session. */
export function recall(
  state: AgentState | undefined,
  backend: Backend,
  path: string,
): ReadRecord | undefined {
  return state === undefined ? undefined : recordsOf(state, backend.id).get(path);
}

function recordsOf(state: AgentState, backendId: string): Map<string, ReadRecord> {
  const known = Object.hasOwn(state.tools.reads, backendId) ? state.tools.reads[backendId] : undefined;
  return new Map(Object.entries(known ?? {}));
}
