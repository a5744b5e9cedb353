import { ToolgateError } from "../errors.ts";
import { isObject } from "../lib/json.ts";
import { nearestNames } from "../lib/nearest.ts";
import { shorten } from "../lib/words-for.ts";
import type { AgentState } from "../state.ts";
import type { Tool } from "../tool.ts";
import type { ToolGroup, ToolkitOptions } from "./options.ts";
import { RESET_TOOLS, ResetTools } from "./reset-tools.ts";
import { inOrder } from "./schemas.ts";
import type { FoundSkills, Skill } from "./skill.ts";
import { SkillSource } from "./skill-source.ts";
import { SKILL_TOOL, SkillTool } from "./skill-tool.ts";
import { TOOL_SEARCH, ToolSearch } from "./tool-search.ts";

/** The group that is always active. */
export const BASIC = "basic";

interface Group {
  readonly facts: { readonly name: string; readonly description: string; readonly instructions?: string };
  readonly tools: Map<string, Tool>;
  readonly skills: readonly SkillSource[];
}

/** How many tools are shown before some are shown on demand only. */
const DEFER_ABOVE = 40;
const TOOL_NAME = /^[A-Za-z0-9_-]{1,128}$/;
const GROUP_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const OWN_TOOLS: ReadonlySet<string> = new Set([RESET_TOOLS, SKILL_TOOL, TOOL_SEARCH]);

/** Which tools and skills there are, in which groups, and which of them the model is shown. */
export class Registry {
  readonly #state: AgentState;
  readonly #groups = new Map<string, Group>();
  readonly #listeners = new Set<() => void>();
  readonly #deferAbove: number;
  readonly #toolSearch: Tool;
  readonly #skillTool: Tool;
  #resetTools: Tool | undefined;

  /** @throws ToolgateError `usage`, `already_exists` */
  constructor(
    state: AgentState,
    basic: Pick<ToolkitOptions, "tools" | "skills" | "deferAbove">,
    groups: readonly ToolGroup[],
  ) {
    this.#state = state;
    this.#deferAbove = basic.deferAbove ?? DEFER_ABOVE;
    this.#toolSearch = new ToolSearch(
      () => this.#deferrable(),
      (names) => this.#activate(names),
    );
    this.#skillTool = new SkillTool(async () => (await this.skills()).skills);
    const { tools = [], skills = [] } = basic;
    this.#addGroup({ tools, skills, name: BASIC, description: "Always active." });
    for (const group of groups) this.addGroup(group);
  }

  /** @throws ToolgateError `usage`, `already_exists` */
  addGroup(group: ToolGroup): void {
    const { name, description } = group;
    if (!GROUP_NAME.test(name) || name === BASIC) {
      throw new ToolgateError("usage", `${JSON.stringify(name)} can't be a group's name.`, {
        hint: `Use letters, digits, _ and -, 64 at most, and not ${BASIC}.`,
      });
    }
    if (typeof description !== "string" || description.trim() === "") {
      throw new ToolgateError(
        "usage",
        `The group ${name} has no description, by which the model chooses it.`,
      );
    }
    if (this.#groups.has(name)) throw doubled(`a group ${name}`);
    this.#addGroup(group);
    this.#resetTools = undefined;
    this.#changed();
  }

  /** @throws ToolgateError `usage`, `already_exists` */
  add(tool: Tool, groupName: string): void {
    const group = this.#groups.get(groupName);
    if (group === undefined) {
      throw new ToolgateError("usage", `There is no group ${JSON.stringify(groupName)}.`, {
        hint: `There are: ${[...this.#groups.keys()].join(", ")}.`,
      });
    }
    checkTool(tool);
    if (this.get(tool.name) !== undefined || OWN_TOOLS.has(tool.name)) throw doubled(`a tool ${tool.name}`);
    group.tools.set(tool.name, tool);
    this.#changed();
  }

  /** @throws ToolgateError `usage`, `unknown_tool` */
  replace(tool: Tool): void {
    checkTool(tool);
    const group = this.#groupOf(tool.name);
    if (group === undefined) throw this.#unknown(tool.name);
    group.tools.set(tool.name, tool);
    this.#changed();
  }

  remove(name: string): boolean {
    const wasThere = this.#groupOf(name)?.tools.delete(name) ?? false;
    if (wasThere) this.#changed();
    return wasThere;
  }

  /** Tells `listener` whenever what the model is shown may have changed. Answers a function that ends it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get(name: string): Tool | undefined {
    return this.#groupOf(name)?.tools.get(name) ?? this.#ownTools().find((tool) => tool.name === name);
  }

  /** Every tool, of inactive groups too. */
  all(): readonly Tool[] {
    return [...this.#groups.values()].flatMap(({ tools }) => [...tools.values()]);
  }

  /** What the model is shown: by name, tools of MCP servers last, so that a prompt's beginning stays the same. */
  visible(): readonly Tool[] {
    const hidden = new Set(this.#deferrable().map(({ name }) => name));
    for (const name of this.#state.tools.activatedTools ?? []) hidden.delete(name);
    const tools = this.#activeTools().filter(({ name }) => !hidden.has(name));
    return inOrder([...tools, ...this.#ownTools()]);
  }

  /**
   * The tool that a call names.
   * @throws ToolgateError `unknown_tool`, `tool_inactive`
   */
  find(name: string): Tool {
    const group = this.#groupOf(name);
    if (group !== undefined && this.#isActive(group)) {
      const tool = group.tools.get(name);
      if (tool !== undefined) return tool;
    }
    if (group !== undefined) {
      const { name: groupName } = group.facts;
      throw new ToolgateError("tool_inactive", `${name} is in the group ${groupName}, which isn't active.`, {
        hint: `Activate it with ${RESET_TOOLS} {"${groupName}": true}, along with the other groups you need.`,
      });
    }
    const own = this.#ownTools().find((tool) => tool.name === name);
    if (own !== undefined) return own;
    throw this.#unknown(name);
  }

  /** The skills of active groups; of two with one name the later counts. */
  async skills(): Promise<FoundSkills> {
    const found = await Promise.all(this.#sources().map((source) => source.load()));
    const skills = new Map<string, Skill>();
    const problems = found.flatMap((each) => each.problems);
    for (const skill of found.flatMap((each) => each.skills)) {
      const known = skills.get(skill.name);
      if (known !== undefined) {
        problems.push(`The skill ${skill.name} of ${whereOf(known)} is hidden by that of ${whereOf(skill)}.`);
      }
      skills.set(skill.name, skill);
    }
    return { skills: [...skills.values()], problems };
  }

  #addGroup({ name, description, instructions, tools = [], skills = [] }: ToolGroup): void {
    this.#groups.set(name, {
      facts: { name, description, ...(instructions === undefined ? {} : { instructions }) },
      tools: new Map(),
      skills: skills.map((source) => new SkillSource(source)),
    });
    for (const tool of tools) this.add(tool, name);
  }

  #groupOf(name: string): Group | undefined {
    for (const group of this.#groups.values()) if (group.tools.has(name)) return group;
    return undefined;
  }

  #isActive({ facts }: Group): boolean {
    return facts.name === BASIC || this.#state.tools.activatedGroups.includes(facts.name);
  }

  #active(): readonly Group[] {
    return [...this.#groups.values()].filter((group) => this.#isActive(group));
  }

  #activeTools(): readonly Tool[] {
    return this.#active().flatMap((group) => [...group.tools.values()]);
  }

  /** The tools that are shown on demand only: when there are too many, those of MCP servers first. */
  #deferrable(): readonly Tool[] {
    const tools = this.#activeTools();
    if (tools.length <= this.#deferAbove) return [];
    const own = tools.filter(({ isMcp }) => !isMcp);
    return [...own.slice(this.#deferAbove), ...tools.filter(({ isMcp }) => isMcp)];
  }

  #activate(names: readonly string[]): void {
    const known = this.#state.tools.activatedTools ?? [];
    const added = names.filter((name) => !known.includes(name));
    if (added.length === 0) return;
    this.#state.tools.activatedTools = [...known, ...added];
    this.#changed();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }

  #sources(): readonly SkillSource[] {
    return this.#active().flatMap((group) => group.skills);
  }

  /** The tools that are there when there is something for them to show. */
  #ownTools(): readonly Tool[] {
    const own: Tool[] = [];
    if (this.#groups.size > 1) {
      this.#resetTools ??= this.#makeResetTools();
      own.push(this.#resetTools);
    }
    if (this.#sources().some((source) => !source.isEmpty)) own.push(this.#skillTool);
    if (this.#deferrable().length > 0) own.push(this.#toolSearch);
    return own;
  }

  #makeResetTools(): Tool {
    const groups = [...this.#groups.values()].map(({ facts }) => facts).filter(({ name }) => name !== BASIC);
    return new ResetTools(groups, this.#state, () => this.#changed());
  }

  #unknown(name: string): ToolgateError {
    const names = this.visible().map((tool) => tool.name);
    // A caller without types may give anything.
    const shown = shorten(String(name), 200);
    const near = nearestNames(shown, names);
    return new ToolgateError("unknown_tool", `There is no tool ${JSON.stringify(shown)}.`, {
      hint: near.length > 0 ? `Did you mean ${near.join(" or ")}?` : listed(names),
    });
  }
}

function listed(names: readonly string[]): string {
  if (names.length === 0) return "There are no tools at all.";
  const more = names.length > 40 ? ` and ${names.length - 40} more` : "";
  return `The tools are: ${names.slice(0, 40).join(", ")}${more}.`;
}

/** What a tool must be to be shown to a model. */
function checkTool({ name, inputSchema }: Tool): void {
  if (typeof name !== "string" || !TOOL_NAME.test(name)) {
    throw new ToolgateError("usage", `${JSON.stringify(name)} can't be a tool's name.`, {
      hint: "Use letters, digits, _ and -, 128 at most.",
    });
  }
  const schema: unknown = inputSchema;
  if (!isObject(schema)) throw badSchema(name, "is no object");
  if (schema.type !== undefined && schema.type !== "object")
    throw badSchema(name, "has another type than object at its root");
  if (schema.properties !== undefined && !isObject(schema.properties))
    throw badSchema(name, "has properties that are no object");
}

function badSchema(name: string, what: string): ToolgateError {
  return new ToolgateError("usage", `The input schema of ${name} ${what}.`);
}

function doubled(what: string): ToolgateError {
  return new ToolgateError("already_exists", `There is ${what} already.`);
}

function whereOf({ directory }: Skill): string {
  return directory ?? "the program";
}
