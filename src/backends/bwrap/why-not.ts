import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { promisify } from "node:util";

const PROBE_MS = 5000;

/** Runs a command line of bubblewrap once. Answers what it said when it failed, `undefined` when it ended well. */
export async function tryOut(
  command: readonly string[],
  user: { readonly uid: number; readonly gid: number } | undefined,
): Promise<string | undefined> {
  const [program = "", ...args] = command;
  try {
    await promisify(execFile)(program, args, { timeout: PROBE_MS, env: {}, ...user });
    return undefined;
  } catch (error) {
    if (error instanceof Error && "stderr" in error && String(error.stderr).trim() !== "") {
      return String(error.stderr).trim();
    }
    return "It started, and did not confine.";
  }
}

/** Puts a failure of bubblewrap into words that say what to change. */
export function explain(failure: string): string {
  const said = `Bubblewrap doesn't work here: ${failure.split("\n")[0]}.`;
  if (setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") === "1") {
    return `${said} AppArmor restricts user namespaces: give bwrap a profile that allows \`userns\`.`;
  }
  if (setting("/proc/sys/kernel/unprivileged_userns_clone") === "0") {
    return `${said} User namespaces are switched off: set the kernel setting kernel.unprivileged_userns_clone to 1.`;
  }
  if (setting("/proc/sys/user/max_user_namespaces") === "0") {
    return `${said} No user namespaces are allowed: raise the kernel setting user.max_user_namespaces.`;
  }
  if (existsSync("/.dockerenv") || existsSync("/run/.containerenv")) {
    return `${said} This is a container that doesn't allow another inside it; the container itself has to confine.`;
  }
  return said;
}

function setting(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    // Not every kernel has every setting.
    return undefined;
  }
}
