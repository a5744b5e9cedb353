/** This machine, in the form of `--backend`. */
export const LOCAL = "local";

/** The forms of `--backend`, for help texts. */
export const BACKEND_HELP =
  "where the tools act: local, bubblewrap, docker:IMAGE, ssh:[USER@]HOST[:PORT][/PATH], e2b:TEMPLATE or k8s:NAMESPACE/IMAGE";

/** The key of settings files that says where tools act. */
export const BACKEND_KEY = "backend";

/** Directories of this machine. Absolute. */
export interface Here {
  /** Where work is done. */
  readonly cwd: string;
  /** The root of the project it is in. */
  readonly project: string;
}
