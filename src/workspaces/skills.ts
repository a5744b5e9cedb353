import { basename } from "node:path";
import type { Backend } from "../backend.ts";
import { isToolgateError, ToolgateError } from "../errors.ts";
import { randomHex } from "../lib/random-hex.ts";
import type { FoundSkills, Skill } from "../toolkit/skill.ts";
import { MAX_SKILL_BYTES, parseSkill, SKILL_FILE } from "../toolkit/skill-text.ts";
import type { Layout } from "./layout.ts";
import { type ArchiveStream, entriesOfArchive } from "./tree/archive.ts";
import type { Tree } from "./tree/entry.ts";
import { guard } from "./tree/guard.ts";
import { folderHere, hostTree } from "./tree/host-tree.ts";
import { clearLeftovers, PART_PREFIX } from "./tree/leftovers.ts";
import { pathsOf } from "./tree/paths-of.ts";
import { writePlaceTree } from "./tree/place-tree.ts";
import { exchange } from "./tree/staged.ts";

/** How a skill is added. */
export interface AddSkillOptions {
  /** The folder's name in the workspace. @default the folder's own, or that of the archive's one folder, or the skill's name */
  readonly directory?: string;
  /** A skill of that folder is replaced. @default false: refused with `already_exists` */
  readonly replace?: boolean;
  /** Bytes of all files, expanded; the archive itself may have no more either. @default 500 MiB */
  readonly maxBytes?: number;
  /** @default 10000 */
  readonly maxEntries?: number;
  /** How many times its own size an archive may expand to. @default 200 */
  readonly maxRatio?: number;
  readonly signal?: AbortSignal;
}

interface Place {
  readonly backend: Backend;
  readonly layout: Layout;
}

interface Cached {
  readonly version: string;
  readonly read: Skill | string;
}

const MAX_BYTES = 500 * 1024 * 1024;
const MAX_ENTRIES = 10_000;
const MAX_RATIO = 200;
/** A plain name, that every file system and every shell takes as it is. */
const DIRECTORY = /^[\p{L}\p{N}](?:[\p{L}\p{N}._-]{0,62}[\p{L}\p{N}_-])?$/u;
/** What macOS puts beside the files of an archive. */
const CLUTTER = /^__MACOSX(?:\/|$)|(?:^|\/)(?:\.DS_Store|\._[^/]*)$/;

/** The skills that lie in a workspace, one folder each. */
export class WorkspaceSkills {
  readonly #place: () => Place;
  readonly #cache = new Map<string, Cached>();

  constructor(place: () => Place) {
    this.#place = place;
  }

  /** What is there; a file that hasn't changed isn't read again. */
  async list(): Promise<FoundSkills> {
    const read = await Promise.all((await this.#folders()).map((name) => this.#read(name)));
    return {
      skills: read.filter((item) => typeof item !== "string"),
      problems: read.filter((item) => typeof item === "string"),
    };
  }

  /** Adds a folder of this machine. */
  async addFolder(path: string, options: AddSkillOptions): Promise<Skill> {
    const folder = await folderHere(path);
    const { directory = basename(folder) } = options;
    const what = `the skill ${folder}`;
    return this.#add(hostTree(folder), { ...options, directory, what });
  }

  /** Adds a zip, tar or tar.gz archive: of the skill's files, or of the one folder with them. */
  addArchive(stream: ArchiveStream, options: AddSkillOptions): Promise<Skill> {
    const what = "the skill's archive";
    const { maxBytes = MAX_BYTES, maxRatio = MAX_RATIO } = options;
    return this.#add(tidy(entriesOfArchive(stream, { what, maxBytes, maxRatio })), { ...options, what });
  }

  /** Removes a skill by its name, or its folder's. Answers whether there was one. */
  async remove(name: string): Promise<boolean> {
    const { backend, layout } = this.#place();
    const paths = pathsOf(backend);
    const { skills } = await this.list();
    const known = skills.find((skill) => skill.name === name)?.directory;
    const folder = known === undefined ? name : paths.basename(known);
    if (!(await this.#folders()).includes(folder)) return false;
    // Out of sight in one step, however long the rest takes.
    const gone = await this.#draft();
    await backend.rename(paths.join(layout.skills, folder), paths.join(gone, folder));
    await backend.remove(gone, { recursive: true });
    return true;
  }

  async #add(tree: Tree, options: AddSkillOptions & { readonly what: string }): Promise<Skill> {
    const { backend } = this.#place();
    const { maxBytes = MAX_BYTES, maxEntries = MAX_ENTRIES, directory, what, signal } = options;
    if (directory !== undefined) checkDirectory(directory);
    const draft = await this.#draft();
    try {
      // Two names that are one on some file system would make a skill that works here only.
      const rules = { what, maxBytes, maxEntries, links: "refuse", foldsCase: true, portable: true } as const;
      await writePlaceTree(backend, draft, guard(tree, { ...rules, signal }), signal);
      return await this.#take(draft, options);
    } finally {
      await backend.remove(draft, { recursive: true }).catch(() => undefined);
    }
  }

  /** Looks at what was written, and puts it among the skills in one step. */
  async #take(draft: string, options: AddSkillOptions & { readonly what: string }): Promise<Skill> {
    const { backend, layout } = this.#place();
    const { join } = pathsOf(backend);
    const { folder, named } = await skillIn(backend, draft, options.what);
    const skill = await readSkill(backend, folder);
    if (typeof skill === "string") {
      throw new ToolgateError("invalid_input", `In ${options.what}, ${SKILL_FILE} ${skill}.`);
    }
    const directory = options.directory ?? named ?? skill.name;
    checkDirectory(directory);
    const known = (await this.#folders()).find((name) => folded(name) === folded(directory));
    if (known !== undefined && options.replace !== true) {
      throw new ToolgateError("already_exists", `There is a skill in ${known} already.`, {
        hint: "Choose another directory, or have it replaced.",
      });
    }
    const target = join(layout.skills, known ?? directory);
    await backend.mkdir(layout.skills);
    await (known === undefined ? backend.rename(folder, target) : exchange(backend, folder, target));
    return { ...skill, directory: target };
  }

  /** A folder for what is not yet, or no longer, among the skills. */
  async #draft(): Promise<string> {
    const { backend, layout } = this.#place();
    const draft = pathsOf(backend).join(layout.drafts, `${PART_PREFIX}${randomHex(6)}`);
    await backend.mkdir(draft);
    await clearLeftovers(backend, draft);
    return draft;
  }

  async #folders(): Promise<readonly string[]> {
    const { backend, layout } = this.#place();
    try {
      const entries = await backend.list(layout.skills);
      return entries
        .filter(({ kind, name }) => kind === "directory" && !name.startsWith("."))
        .map(({ name }) => name)
        .sort();
    } catch (error) {
      if (isToolgateError(error, "not_found")) return [];
      throw error;
    }
  }

  async #read(name: string): Promise<Skill | string> {
    const { backend, layout } = this.#place();
    const { join } = pathsOf(backend);
    const folder = join(layout.skills, name);
    const file = join(folder, SKILL_FILE);
    try {
      const { version } = await backend.lstat(file);
      const known = this.#cache.get(file);
      if (known?.version === version) return known.read;
      const read = await readSkill(backend, folder);
      const result = typeof read === "string" ? `${file} ${read}.` : read;
      this.#cache.set(file, { version, read: result });
      return result;
    } catch (error) {
      return `${file} can't be read: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
}

/** The folder in a draft that is the skill: the draft itself, or the one folder in it, which names it. */
async function skillIn(
  backend: Backend,
  draft: string,
  what: string,
): Promise<{ readonly folder: string; readonly named?: string }> {
  const entries = await backend.list(draft);
  if (entries.some(({ name }) => name === SKILL_FILE)) return { folder: draft };
  const [only, other] = entries;
  if (only?.kind === "directory" && other === undefined) {
    return { folder: pathsOf(backend).join(draft, only.name), named: only.name };
  }
  throw new ToolgateError("invalid_input", `In ${what} there is no ${SKILL_FILE}.`, {
    hint: "It has to be at the top, or in the one folder that is there.",
  });
}

/** A skill, or what is wrong with it. A link to a file elsewhere is none. */
async function readSkill(backend: Backend, folder: string): Promise<Skill | string> {
  const file = pathsOf(backend).join(folder, SKILL_FILE);
  const { kind, size } = await backend.lstat(file).catch((error: unknown) => {
    if (isToolgateError(error, "not_found")) return { kind: "missing", size: 0 };
    throw error;
  });
  if (kind === "missing") return "isn't there";
  if (kind !== "file") return "is no plain file";
  if (size > MAX_SKILL_BYTES) return `has ${size} bytes; ${MAX_SKILL_BYTES} are the most`;
  const bytes = await backend.readFile(file, { length: MAX_SKILL_BYTES });
  return parseSkill(Buffer.from(bytes).toString("utf8"), folder);
}

async function* tidy(tree: Tree): Tree {
  for await (const entry of tree) if (!CLUTTER.test(entry.path)) yield entry;
}

/** @throws ToolgateError `invalid_input` */
function checkDirectory(name: string): void {
  if (DIRECTORY.test(name)) return;
  throw new ToolgateError("invalid_input", `${JSON.stringify(name)} can't be a skill's folder.`, {
    hint: "Use letters, digits, ., _ and -, 64 at most, beginning with a letter or a digit.",
  });
}

function folded(name: string): string {
  return name.normalize("NFC").toLowerCase();
}
