import { baseOf, isWithin } from "./canonical.ts";
import { globRegex, isGlob } from "./glob-regex.ts";
import type { Place, Scene } from "./scene.ts";
import {
  DIRECTORY_NAMES,
  type DirectoryRow,
  FILE_NAMES,
  PROCESS_SECRETS,
  PUBLIC_FILE_NAMES,
  type Sensitivity,
  SYSTEM_PATHS,
} from "./sensitive-names.ts";

/** What makes a path sensitive. */
export interface Sensitive {
  readonly is: Sensitivity;
  /** In words: "SSH keys". */
  readonly what: string;
}

/** How far an effect reaches from its path. */
interface Reach {
  readonly recursive?: boolean;
  /** With which whole names a path ends of which only the beginning is known besides. */
  readonly ends?: string;
  readonly pattern?: boolean;
  /** The tool leaves secrets below out by itself. */
  readonly filtered?: boolean;
}

/** The tables, made ready once per process on first use. */
interface Tables {
  readonly exact: ReadonlyMap<string, Sensitive>;
  readonly patterns: readonly (Sensitive & { readonly regex: RegExp })[];
  readonly open: RegExp;
  /** By first component. */
  readonly directories: ReadonlyMap<string, readonly DirectoryEntry[]>;
}

interface DirectoryEntry extends Sensitive {
  readonly path: string;
  readonly except: RegExp | undefined;
  readonly readable: RegExp | undefined;
}

const PROCESS: Sensitive = { is: "secret", what: "a process' environment or memory" };

let tables: Tables | undefined;

/** Names a pattern is tried on: a few of each kind that a dotted or telling pattern would reach. */
const SAMPLES = [
  ".env",
  ".env.local",
  ".npmrc",
  ".netrc",
  ".bashrc",
  ".profile",
  ".gitconfig",
  ".git",
  ".ssh",
  ".aws",
  ".gnupg",
  ".kube",
  "id_rsa",
  "id_ed25519",
  "server.key",
  "server.p12",
  "server.pfx",
] as const;

/** What is sensitive about a place, in any of its spellings; the more serious one wins. */
export function sensitivityOf(place: Place, reach: Reach, scene: Scene): Sensitive | undefined {
  const { lexical, real, twin } = place;
  let found = pathSensitivity(lexical, reach, scene);
  if (reach.ends !== undefined) found = moreSerious(found, endSensitivity(lexical, reach.ends, scene));
  if (found?.is !== "secret" && real !== undefined && real !== lexical) {
    found = moreSerious(found, pathSensitivity(real, reach, scene));
  }
  if (twin === undefined || found?.is === "secret") return found;
  const other = pathSensitivity(twin, reach, scene);
  return other === undefined ? found : { is: other.is, what: `${other.what}, by another name of ${twin}` };
}

/** What the names say with which a path ends of which else only the beginning is known. */
function endSensitivity(canonical: string, ends: string, scene: Scene): Sensitive | undefined {
  if (PROCESS_SECRETS.includes(baseOf(ends))) return PROCESS;
  return pathSensitivity(canonical + ends, {}, scene);
}

/** What one spelling of a path says. Canonical. */
export function pathSensitivity(canonical: string, reach: Reach, scene: Scene): Sensitive | undefined {
  const path = canonical.toLowerCase();
  if (reach.recursive === true && reach.filtered !== true && isWithin(scene.home, canonical)) {
    return { is: "secret", what: "everything below your home directory, keys included" };
  }
  let found = fileSensitivity(baseOf(path));
  if (found?.is === "secret") return found;
  found = directorySensitivity(path, canonical, scene) ?? found;
  if (found?.is === "secret") return found;
  found = systemSensitivity(path, canonical, scene) ?? found;
  found = moreSerious(found, additionalSensitivity(path, scene));
  if (found === undefined && reach.pattern === true) found = patternSensitivity(path);
  return found;
}

/**
 * What of the sensitive goes with a path of a working directory that leads to it: with `data` go the records in `data/audit_logs`. Canonical;
 * its components may be patterns.
 */
export function sensitivityBelow(canonical: string, reach: Reach, scene: Scene): Sensitive | undefined {
  for (const root of [scene.cwd, ...scene.roots]) {
    if (canonical === root || !isWithin(canonical, root)) continue;
    const parts = canonical
      .slice(root === "/" ? 0 : root.length)
      .toLowerCase()
      .split("/")
      .slice(1);
    const row = rowBehind(parts, reach.pattern === true);
    if (row !== undefined) return row;
  }
  return undefined;
}

function rowBehind(parts: readonly string[], pattern: boolean): Sensitive | undefined {
  // A search's "some of what lies below" says nothing of one directory.
  if (parts.includes("**")) return undefined;
  const tests = parts.map((part) => (pattern && isGlob(part) ? globRegex(part) : undefined));
  for (const rows of ready().directories.values()) {
    for (const row of rows) {
      const names = row.path.split("/");
      if (names.length < 2 || names.length < parts.length) continue;
      if (parts.every((part, at) => tests[at]?.test(names[at] ?? "") ?? part === names[at])) return row;
    }
  }
  return undefined;
}

/** What a bare file name says. Lower case. */
export function fileSensitivity(name: string): Sensitive | undefined {
  const { exact, patterns, open } = ready();
  const known = exact.get(name);
  if (known !== undefined) return known;
  for (const row of patterns) if (row.regex.test(name)) return open.test(name) ? undefined : row;
  return undefined;
}

function moreSerious(a: Sensitive | undefined, b: Sensitive | undefined): Sensitive | undefined {
  return b !== undefined && (a === undefined || b.is === "secret") ? b : a;
}

/** Directory names count below the project, so that a project may itself live under one; secrets count everywhere. */
function directorySensitivity(path: string, canonical: string, scene: Scene): Sensitive | undefined {
  const { directories } = ready();
  const projectStart = rootLength(canonical, scene);
  let found: Sensitive | undefined;
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
    const next = path.indexOf("/", at + 1);
    const rows = directories.get(path.slice(at + 1, next < 0 ? path.length : next));
    if (rows === undefined) continue;
    const rest = path.slice(at + 1);
    for (const row of rows) {
      if (row.is === "protected" && at < projectStart) continue;
      found = moreSerious(found, rowSensitivity(row, rest));
    }
  }
  return found;
}

function rowSensitivity(row: DirectoryEntry, rest: string): Sensitive | undefined {
  if (!isWithin(rest, row.path)) return undefined;
  if (row.except?.test(rest) === true) return undefined;
  if (row.readable?.test(rest.slice(row.path.length + 1)) === true)
    return { is: "protected", what: row.what };
  return row;
}

function rootLength(canonical: string, scene: Scene): number {
  let length = 0;
  for (const root of scene.roots) if (root.length > length && isWithin(canonical, root)) length = root.length;
  return length;
}

function systemSensitivity(path: string, canonical: string, scene: Scene): Sensitive | undefined {
  if (path.startsWith("/proc/") && PROCESS_SECRETS.includes(baseOf(path))) {
    return PROCESS;
  }
  const atHome = (scene.home !== "/" && isWithin(canonical, scene.home)) || rootLength(canonical, scene) > 1;
  for (const row of SYSTEM_PATHS) {
    if (row.is === "protected" && atHome) continue;
    for (const folder of row.paths) if (isWithin(path, folder)) return row;
  }
  return undefined;
}

/** Names the context or the tool adds: a file's name or trailing path, or a directory's. */
function additionalSensitivity(path: string, scene: Scene): Sensitive | undefined {
  const { additionalDangerousFiles, additionalDangerousDirectories } = scene.context;
  for (const name of additionalDangerousFiles ?? []) {
    if (path.endsWith(`/${trimmed(name)}`)) return { is: "secret", what: `listed as dangerous (${name})` };
  }
  for (const name of additionalDangerousDirectories ?? []) {
    if (`${path}/`.includes(`/${trimmed(name)}/`))
      return { is: "secret", what: `listed as dangerous (${name})` };
  }
  return undefined;
}

function trimmed(name: string): string {
  return name.toLowerCase().replace(/^(?:\.?\/)+|\/+$/g, "");
}

/** A pattern is sensitive when a name it could stand for is; a bare `*` doesn't reach names that begin with a dot. */
function patternSensitivity(path: string): Sensitive | undefined {
  for (const part of path.split("/")) {
    if (!isGlob(part)) continue;
    if (!part.startsWith(".") && part.replace(/[^a-z0-9]/g, "").length < 2) continue;
    const hit = sampleHit(globRegex(part));
    if (hit !== undefined) return hit;
  }
  return undefined;
}

function sampleHit(regex: RegExp): Sensitive | undefined {
  for (const name of SAMPLES) {
    const hit = regex.test(name) ? (fileSensitivity(name) ?? ready().directories.get(name)?.[0]) : undefined;
    if (hit !== undefined) return hit;
  }
  return undefined;
}

function ready(): Tables {
  tables ??= makeTables();
  return tables;
}

function makeTables(): Tables {
  const exact = new Map<string, Sensitive>();
  const patterns: (Sensitive & { readonly regex: RegExp })[] = [];
  for (const row of FILE_NAMES) {
    for (const name of row.names) {
      if (isGlob(name)) patterns.push({ is: row.is, what: row.what, regex: globRegex(name) });
      else exact.set(name, { is: row.is, what: row.what });
    }
  }
  const directories = new Map<string, DirectoryEntry[]>();
  for (const row of DIRECTORY_NAMES) for (const path of row.paths) addDirectory(directories, row, path);
  return { exact, patterns, open: oneOf(PUBLIC_FILE_NAMES) ?? /$^/, directories };
}

function addDirectory(directories: Map<string, DirectoryEntry[]>, row: DirectoryRow, path: string): void {
  const [first = ""] = path.split("/", 1);
  const entry = {
    is: row.is,
    what: row.what,
    path,
    except: oneOf(row.except),
    readable: oneOf(row.readable),
  };
  directories.set(first, [...(directories.get(first) ?? []), entry]);
}

/** One expression for several names; a last `/*` is everything below. */
function oneOf(globs: readonly string[] | undefined): RegExp | undefined {
  if (globs === undefined) return undefined;
  const sources = globs.map((glob) => {
    const deep = glob.endsWith("/*");
    const source = globRegex(deep ? glob.slice(0, -2) : glob).source;
    return deep ? source.replace(/\$$/, "/.*$") : source;
  });
  return new RegExp(sources.join("|"), "su");
}
