import type ssh2 from "ssh2";
import { ToolgateError } from "../../errors.ts";

/** The package ssh2. */
export type Ssh2 = typeof ssh2;

/** Loads ssh2, which not everybody needs. @throws ToolgateError `missing_dependency` */
export async function loadSsh2(): Promise<Ssh2> {
  try {
    return (await import("ssh2")).default;
  } catch (error) {
    throw new ToolgateError("missing_dependency", "The SSH backend needs the package ssh2.", {
      hint: "Install it: npm install ssh2.",
      cause: error,
    });
  }
}
