import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { rgPath } from "@vscode/ripgrep";

/** A user whom the test image knows besides root. */
export const TEST_USER = "somebody";

const PASSWD = "root:x:0:0:root:/root:/bin/sh\nsomebody:x:1000:1000::/home/somebody:/bin/sh\n";
/** What the suites' rows import. */
const PYTHON_MODULES = "socket,os,sys,time,signal,subprocess,encodings.idna";
const ARCHIVE_LIMIT = 256 * 1024 * 1024;

let made: string | undefined;

/** An image of this machine's busybox, bash, ripgrep and Python: tests reach no registry. Made when the engine doesn't have it. */
export function testImage(): string {
  made ??= makeImage();
  return made;
}

/** What the engine still has of what a test made, by the label that it gave. */
export function leftBehind(label: string): readonly string[] {
  const filter = ["--filter", `label=${label}`];
  return [
    ["ps", "-a", "--format", "container {{.Names}} {{.Status}}"],
    ["volume", "ls", "--format", "volume {{.Name}}"],
    ["network", "ls", "--format", "network {{.Name}}"],
  ].flatMap((command) =>
    docker([...command, ...filter])
      .split("\n")
      .filter((line) => line !== ""),
  );
}

/** Runs the engine's own client and answers what it says. */
export function docker(args: readonly string[]): string {
  return execFileSync("docker", args, { encoding: "utf8", timeout: 60_000 }).trim();
}

/** How many processes of this machine, those in containers included, have a text in their environment. */
export function processesWith(text: string): number {
  return readdirSync("/proc").filter(
    (name) => /^\d+$/.test(name) && textOf(`/proc/${name}/environ`).includes(text),
  ).length;
}

/** Ends a process of a container by the number that it has in there; from outside, since inside there may be no room for a `kill`. */
export function endInContainer(container: string, pid: number): void {
  const [, ...lines] = docker(["top", container, "-eo", "pid"]).split("\n");
  for (const outside of lines.map(Number)) {
    const numbers = /^NSpid:\s*(.+)$/m.exec(textOf(`/proc/${outside}/status`))?.[1]?.split(/\s+/);
    if (Number(numbers?.at(-1)) === pid) process.kill(outside, "SIGKILL");
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return ""; // gone, or another user's
  }
}

function makeImage(): string {
  const files = imageFiles();
  const facts = [...files].map(([target, source]) => [target, source, statSync(source).mtimeMs]);
  const print = createHash("sha256")
    .update(JSON.stringify([facts, PASSWD]))
    .digest("hex")
    .slice(0, 12);
  const name = `toolgate-test:${print}`;
  if (docker(["image", "ls", "-q", name]) !== "") return name;
  const root = mkdtempSync(join(tmpdir(), "toolgate-image-"));
  try {
    fill(root, files);
    const input = execFileSync("tar", ["-C", root, "-c", "."], { maxBuffer: ARCHIVE_LIMIT });
    const settings = ["-c", "ENV PATH=/usr/bin:/bin", "-c", "ENV GREETING=hello"];
    execFileSync("docker", ["import", ...settings, "-", name], {
      input,
      stdio: ["pipe", "ignore", "inherit"],
    });
    return name;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Where in the image, and from where on this machine. */
function imageFiles(): ReadonlyMap<string, string> {
  const programs: readonly (readonly [string, string])[] = [
    ["/bin/busybox", "/bin/busybox"],
    ["/bin/bash", "/bin/bash"],
    ["/usr/bin/rg", rgPath],
    ["/usr/bin/python3", "/usr/bin/python3"],
  ];
  const script = `import sys,${PYTHON_MODULES}\nprint(*(m.__file__ for m in list(sys.modules.values()) if getattr(m, "__file__", None)))`;
  const modules = execFileSync("/usr/bin/python3", ["-B", "-c", script], { encoding: "utf8" })
    .trim()
    .split(" ");
  const libraries = programs.flatMap(([, source]) => librariesOf(source));
  const same = [...modules, ...libraries].filter((path) => path !== "").map((path) => [path, path] as const);
  return new Map([...programs, ...same]);
}

function librariesOf(program: string): readonly string[] {
  try {
    const said = execFileSync("/usr/bin/ldd", [program], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return [...said.matchAll(/(\/\S+) \(0x/g)].map((match) => match[1] ?? "");
  } catch {
    return []; // linked statically
  }
}

function fill(root: string, files: ReadonlyMap<string, string>): void {
  for (const folder of ["bin", "etc", "root", "tmp", "home/somebody"])
    mkdirSync(join(root, folder), { recursive: true });
  execFileSync("chmod", ["1777", join(root, "tmp")]);
  writeFileSync(join(root, "etc/passwd"), PASSWD);
  for (const applet of execFileSync("/bin/busybox", ["--list"], { encoding: "utf8" }).trim().split("\n")) {
    if (applet !== "busybox" && applet !== "bash") symlinkSync("busybox", join(root, "bin", applet));
  }
  for (const [target, source] of files) {
    mkdirSync(dirname(join(root, target)), { recursive: true });
    // Python says a word when this is missing.
    if (target.endsWith("/os.py")) mkdirSync(join(root, dirname(target), "lib-dynload"), { recursive: true });
    copyFileSync(realpathSync(source), join(root, target));
  }
}
