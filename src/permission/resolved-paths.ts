import type { Backend, ResolvedPath } from "../backend.ts";

/**
 * Where paths lead, by path, from a backend that tells it of many at once. When it can't be asked none has a real path; what needs
 * one then fails closed.
 */
export async function resolvedPaths(
  paths: readonly string[],
  backend: Backend,
): Promise<ReadonlyMap<string, ResolvedPath>> {
  const once = [...new Set(paths)];
  if (once.length === 0) return new Map();
  try {
    const resolved = (await backend.resolveAll?.(once)) ?? [];
    return new Map(once.map((path, index) => [path, resolved[index] ?? {}]));
  } catch {
    return new Map();
  }
}
