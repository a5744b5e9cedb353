import { existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { readSmallText } from "../lib/small-text.ts";
import type { FoundSkills, Skill, SkillLoader } from "./skill.ts";
import { MAX_SKILL_BYTES, parseSkill, SKILL_FILE } from "./skill-text.ts";

interface Cached {
  readonly mtimeMs: number;
  readonly read: Skill | string;
}

/** Skills of one place: a folder with a `SKILL.md`, a folder of such folders, a skill made by code, or somebody who knows of skills. */
export class SkillSource {
  readonly #source: string | Skill | SkillLoader;
  readonly #cache = new Map<string, Cached>();

  constructor(source: string | Skill | SkillLoader) {
    this.#source = typeof source === "string" ? resolve(source) : source;
  }

  /** Whether there is nothing here that may be a skill. Looks at names only; who knows of skills may know of some later. */
  get isEmpty(): boolean {
    return typeof this.#source === "string" && foldersOf(this.#source).length === 0;
  }

  /** Reads what is here; a file that hasn't changed isn't read again. */
  async load(): Promise<FoundSkills> {
    if (typeof this.#source !== "string") {
      return "listSkills" in this.#source
        ? this.#source.listSkills()
        : { skills: [this.#source], problems: [] };
    }
    const folders = foldersOf(this.#source);
    if (folders.length === 0) {
      const why = existsSync(this.#source)
        ? `has no ${SKILL_FILE} in it or in a folder below it`
        : "doesn't exist";
      return { skills: [], problems: [`${this.#source} ${why}.`] };
    }
    const read = await Promise.all(folders.map((folder) => this.#read(folder)));
    return {
      skills: read.filter((item) => typeof item !== "string"),
      problems: read.filter((item) => typeof item === "string"),
    };
  }

  async #read(folder: string): Promise<Skill | string> {
    const file = join(folder, SKILL_FILE);
    try {
      const { mtimeMs, size } = statSync(file);
      const known = this.#cache.get(file);
      if (known?.mtimeMs === mtimeMs) return known.read;
      if (size > MAX_SKILL_BYTES) return `${file} has ${size} bytes; ${MAX_SKILL_BYTES} are the most.`;
      const read = await parseSkill(await readSmallText(file), folder);
      const result = typeof read === "string" ? `${file} ${read}.` : read;
      this.#cache.set(file, { mtimeMs, read: result });
      return result;
    } catch (error) {
      return `${file} can't be read: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
}

/** The folder itself if it is a skill, else those right below it that are. */
function foldersOf(directory: string): readonly string[] {
  if (isSkill(directory)) return [directory];
  try {
    return readdirSync(directory)
      .sort()
      .map((name) => join(directory, name))
      .filter(isSkill);
  } catch {
    return [];
  }
}

/** Names are compared exactly, on file systems that fold case too. */
function isSkill(directory: string): boolean {
  try {
    return readdirSync(directory).includes(SKILL_FILE);
  } catch {
    return false;
  }
}
