import type { Backend, ExecOptions, ExecResult } from "../backend.ts";

/**
 * The backend of a workspace, whichever it has at the time: tools that were given it go on working when the workspace has been made anew.
 * Each use throws `backend_unavailable` while there is none. Disposing it does nothing: it is the workspace that is closed.
 */
export function currentBackend(current: () => Backend): Backend {
  // Whether files can be told by their names is a matter of its kind, and that stays.
  const tellsFiles = current().fileId !== undefined;
  const resolvesAll = current().resolveAll !== undefined;
  return {
    get id() {
      return current().id;
    },
    get flavour() {
      return current().flavour;
    },
    get cwd() {
      return current().cwd;
    },
    get home() {
      return current().home;
    },
    get scratch() {
      return current().scratch;
    },
    get foldsCase() {
      return current().foldsCase;
    },
    capabilities: () => current().capabilities(),
    exec: async (argv: readonly string[], options: ExecOptions): Promise<ExecResult> =>
      current().exec(argv, options),
    readFile: async (path, options) => current().readFile(path, options),
    readStream: (path, options) => current().readStream(path, options),
    writeFile: async (path, data, options) => current().writeFile(path, data, options),
    stat: async (path) => current().stat(path),
    lstat: async (path) => current().lstat(path),
    realpath: (path) => current().realpath(path),
    ...(tellsFiles ? { fileId: (path: string) => current().fileId?.(path) } : {}),
    ...(resolvesAll
      ? { resolveAll: async (paths: readonly string[]) => (await current().resolveAll?.(paths)) ?? [] }
      : {}),
    list: async (path) => current().list(path),
    mkdir: async (path) => current().mkdir(path),
    rename: async (from, to) => current().rename(from, to),
    remove: async (path, options) => current().remove(path, options),
    [Symbol.asyncDispose]: async () => undefined,
  };
}
