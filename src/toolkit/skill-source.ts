import { existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { isObject } from "../lib/json.ts";
import { readSmallText } from "../lib/small-text.ts";
import type { Skill } from "./skill.ts";

/** What was found, and what is wrong with what is not shown. */
export interface FoundSkills {
  readonly skills: readonly Skill[];
  readonly problems: readonly string[];
}

const FILE = "SKILL.md";
const MAX_BYTES = 1024 * 1024;

interface Cached {
  readonly mtimeMs: number;
  readonly read: Skill | string;
}

/** Skills of one place: a folder with a `SKILL.md`, a folder of such folders, or a skill made by code. */
export class SkillSource {
  readonly #source: string | Skill;
  readonly #cache = new Map<string, Cached>();

  constructor(source: string | Skill) {
    this.#source = typeof source === "string" ? resolve(source) : source;
  }

  /** Whether there is anything here that may be a skill. Looks at names only. */
  get isEmpty(): boolean {
    return typeof this.#source === "string" && foldersOf(this.#source).length === 0;
  }

  /** Reads what is here; a file that hasn't changed isn't read again. */
  async load(): Promise<FoundSkills> {
    if (typeof this.#source !== "string") return { skills: [this.#source], problems: [] };
    const folders = foldersOf(this.#source);
    if (folders.length === 0) {
      const why = existsSync(this.#source) ? `has no ${FILE} in it or in a folder below it` : "doesn't exist";
      return { skills: [], problems: [`${this.#source} ${why}.`] };
    }
    const read = await Promise.all(folders.map((folder) => this.#read(folder)));
    return {
      skills: read.filter((item) => typeof item !== "string"),
      problems: read.filter((item) => typeof item === "string"),
    };
  }

  async #read(folder: string): Promise<Skill | string> {
    const file = join(folder, FILE);
    try {
      const { mtimeMs, size } = statSync(file);
      const known = this.#cache.get(file);
      if (known?.mtimeMs === mtimeMs) return known.read;
      if (size > MAX_BYTES) return `${file} has ${size} bytes; ${MAX_BYTES} are the most.`;
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
    return readdirSync(directory).includes(FILE);
  } catch {
    return false;
  }
}

/** A skill, or what is wrong with its text. */
async function parseSkill(text: string, directory: string): Promise<Skill | string> {
  const plain = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  const [whole, head] = /^---[ \t]*\n([\s\S]*?)\n---[ \t]*(?:\n|$)/.exec(plain) ?? [];
  if (whole === undefined || head === undefined)
    return "doesn't begin with front matter between two lines of ---";
  const { default: yaml } = await import("yaml");
  let facts: unknown;
  try {
    // Aliases can blow a small text up to a huge value; no skill needs them.
    facts = yaml.parse(head, { maxAliasCount: 0, logLevel: "error" });
  } catch (error) {
    const first = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    return `has front matter that isn't YAML: ${first}`;
  }
  const { name, description } = isObject(facts) ? facts : {};
  if (typeof name !== "string" || name.trim() === "") return "has no name in its front matter";
  if (typeof description !== "string" || description.trim() === "") {
    return "has no description in its front matter";
  }
  const markdown = plain.slice(whole.length).replace(/^\n+/, "");
  return { name: name.trim(), description: description.trim(), markdown, directory };
}
