import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { findChromium } from "../src/tools/web/browser/find-chromium.ts";
import { postgresPrograms } from "./postgres.ts";
import { hasSshd } from "./sshd.ts";

/** System components that tests may need, each with the way to find out. */
const COMPONENTS = {
  bash: (): boolean => onPath("bash"),
  busybox: (): boolean => existsSync("/bin/busybox"),
  bwrap: (): boolean => onPath("bwrap") && runs("bwrap", ["--ro-bind", "/", "/", "--unshare-all", "true"]),
  strace: (): boolean => onPath("strace"),
  git: (): boolean => onPath("git"),
  python3: (): boolean => onPath("python3"),
  docker: (): boolean => runs("docker", ["version"]),
  openssl: (): boolean => onPath("openssl"),
  chromium: (): boolean => findChromium() !== undefined,
  xvfb: (): boolean => onPath("Xvfb"),
  scrot: (): boolean => onPath("scrot"),
  xwd: (): boolean => onPath("xwd"),
  imagemagick: (): boolean => onPath("import"),
  xrandr: (): boolean => onPath("xrandr"),
  sshd: (): boolean => hasSshd() && onPath("ssh-keygen"),
  postgres: (): boolean => postgresPrograms() !== undefined,
} as const;

/** The name of a system component. */
export type Component = keyof typeof COMPONENTS;

/**
 * Whether this machine has a component, for `describe.skipIf(!has("bwrap"))`. With `TOOLGATE_TEST_REQUIRE=all` (as in CI) a
 * missing one throws instead, so that a skip can't hide there.
 */
export function has(component: Component): boolean {
  const found = COMPONENTS[component]();
  if (!found && process.env.TOOLGATE_TEST_REQUIRE === "all") {
    throw new Error(`This test run requires ${component}, and this machine doesn't have it.`);
  }
  return found;
}

function onPath(program: string): boolean {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));
}

function runs(program: string, args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: "ignore", timeout: 5000 });
    return true;
  } catch {
    return false;
  }
}
