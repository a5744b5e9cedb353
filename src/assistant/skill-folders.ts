import { realpathSync } from "node:fs";
import { basename, join } from "node:path";
import type { Skill } from "../toolkit/skill.ts";
import { SkillSource } from "../toolkit/skill-source.ts";
import type { SkillFile, SkillFiles } from "../tools/assistant/read-file.ts";

/** Where an assistant's skills are, and which are switched off. */
export interface SkillFoldersOptions {
  /** Folders of skills, `skills/` of a workspace among them. */
  readonly folders: readonly string[];
  /** Names of skills that are switched off, or of their folders. */
  readonly disabled?: readonly string[];
}

interface Known {
  /** Links resolved: what makes a skill the one it is. */
  readonly directory: string;
  readonly skill: Skill;
  readonly isDisabled: boolean;
}

/** Skills on this machine, told by where they really are: another folder of the same name is another one. */
export class SkillFolders implements SkillFiles {
  readonly #sources: readonly SkillSource[];
  readonly #disabled: ReadonlySet<string>;

  constructor({ folders, disabled = [] }: SkillFoldersOptions) {
    this.#sources = folders.map((folder) => new SkillSource(folder));
    this.#disabled = new Set(disabled);
  }

  async lookUp(realPath: string): Promise<SkillFile | undefined> {
    if (basename(realPath) !== "SKILL.md") return undefined;
    const known = (await this.#known()).find(({ directory }) => join(directory, "SKILL.md") === realPath);
    if (known === undefined) return undefined;
    const { skill, isDisabled } = known;
    return { name: skill.name, isDisabled, markdown: skill.markdown };
  }

  /** Where the skills are that are switched off. */
  async disabledDirectories(): Promise<readonly string[]> {
    return (await this.#known()).filter(({ isDisabled }) => isDisabled).map(({ directory }) => directory);
  }

  async #known(): Promise<readonly Known[]> {
    const found = await Promise.all(this.#sources.map((source) => source.load()));
    return found.flatMap(({ skills }) => skills.flatMap((skill) => this.#knownOf(skill)));
  }

  #knownOf(skill: Skill): readonly Known[] {
    if (skill.directory === undefined) return [];
    const isDisabled = this.#disabled.has(skill.name) || this.#disabled.has(basename(skill.directory));
    return [{ directory: realpathSync(skill.directory), skill, isDisabled }];
  }
}
