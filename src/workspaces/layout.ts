import type { Backend } from "../backend.ts";
import { pathsOf } from "./tree/paths-of.ts";

/** Where a workspace keeps what is its own, below its working directory. The gate protects that name from tools. */
const FOLDER = [".toolgate", "workspace"] as const;

/** Paths in a workspace. Absolute, in the place. */
export interface Layout {
  /** Where work is done. */
  readonly root: string;
  /** What the workspace keeps for itself. */
  readonly home: string;
  /** One folder a skill. */
  readonly skills: string;
  /** One folder a session: what was moved out of its conversation. */
  readonly sessions: string;
  /** Pictures and other bytes, by their hash. */
  readonly data: string;
  /** What is being made. */
  readonly drafts: string;
}

/** The layout below a working directory. */
export function layoutAt(backend: Pick<Backend, "flavour">, root: string): Layout {
  const { join } = pathsOf(backend);
  const home = join(root, ...FOLDER);
  const at = (name: string): string => join(home, name);
  return {
    root,
    home,
    skills: at("skills"),
    sessions: at("sessions"),
    data: at("data"),
    drafts: at("drafts"),
  };
}
