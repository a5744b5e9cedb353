import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Mount } from "./mounts.ts";

/** Names at the top that hold programs and libraries: directories, or links into /usr. */
const PROGRAMS = ["usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32"] as const;

/** What programs look up below /etc and what tells nothing of this machine's secrets. Copied once, since each mount costs every command. */
const SETTINGS: readonly string[] = [
  "ld.so.cache localtime timezone os-release debian_version locale.alias locale.conf services protocols",
  "shells mime.types magic inputrc bash.bashrc host.conf gai.conf ssl/openssl.cnf",
].flatMap((line) => line.split(" "));

/** Larger parts of /etc, without which programs there are don't start. */
const LIVE_SETTINGS = ["alternatives", "ssl/certs", "pki/tls/certs", "pki/ca-trust/extracted"] as const;
const LIVE_PREFIX = "java-";

/** Who commands are, as they see it. */
export interface Identity {
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

/**
 * Builds the tree that a sandbox sees at `/`, with a place for each mount in it, and answers the mounts that programs need.
 * Nothing is ever mounted on a name that isn't there yet: so nothing is left behind where it isn't ours.
 */
export function buildSystem(root: string, identity: Identity): readonly Mount[] {
  for (const name of ["proc", "dev", "run/toolgate", "tmp", "var", "opt", "mnt", "etc", "sys"]) {
    mkdirSync(join(root, name), { recursive: true });
  }
  symlinkSync("../tmp", join(root, "var/tmp"));
  const mounts = PROGRAMS.flatMap((name) => program(root, name));
  for (const name of SETTINGS) copySetting(root, name);
  for (const [name, text] of Object.entries(accounts(identity))) writeFileSync(join(root, "etc", name), text);
  const more = readdirSync("/etc").filter((name) => name.startsWith(LIVE_PREFIX));
  return [...mounts, ...[...LIVE_SETTINGS, ...more].flatMap((name) => live(root, `/etc/${name}`))];
}

/** Makes the place on which something of the machine is mounted. */
export function makePlace(root: string, at: string, kind: "directory" | "file"): void {
  const path = join(root, at);
  mkdirSync(kind === "directory" ? path : dirname(path), { recursive: true });
  if (kind === "file") writeFileSync(path, "");
}

function program(root: string, name: string): readonly Mount[] {
  const stat = lstatSync(`/${name}`, { throwIfNoEntry: false });
  if (stat?.isSymbolicLink()) {
    symlinkSync(readlinkSync(`/${name}`), join(root, name));
    return [];
  }
  return stat?.isDirectory() ? live(root, `/${name}`) : [];
}

function live(root: string, path: string): readonly Mount[] {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) return [];
  makePlace(root, path, "directory");
  return [{ at: path, source: path, writable: false }];
}

/** Only what everybody may read anyway. */
function copySetting(root: string, name: string): void {
  const from = join("/etc", name);
  const to = join(root, "etc", name);
  const stat = lstatSync(from, { throwIfNoEntry: false });
  if (stat === undefined) return;
  mkdirSync(dirname(to), { recursive: true });
  if (stat.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
  else if (stat.isFile() && (stat.mode & 0o004) !== 0) copyFileSync(from, to);
}

/** Enough for a program to learn its own name and that of nobody else. */
function accounts({ uid, gid, home }: Identity): Readonly<Record<string, string>> {
  const root = uid === 0 ? "" : "root:x:0:0:root:/root:/usr/sbin/nologin\n";
  const rootGroup = gid === 0 ? "" : "root:x:0:\n";
  return {
    passwd: `${root}user:x:${uid}:${gid}::${home}:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n`,
    group: `${rootGroup}user:x:${gid}:\nnogroup:x:65534:\n`,
    hosts: "127.0.0.1 localhost sandbox\n::1 localhost\n",
    hostname: "sandbox\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n",
    "resolv.conf": "",
  };
}
