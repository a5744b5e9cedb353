import { type PermissionRule, RULE_TIERS, type RuleBehavior } from "../rule.ts";
import type { PermissionContext } from "../tool.ts";
import { canonicalPath } from "./canonical.ts";
import { type CommandRule, compileCommandRule } from "./command-rule.ts";
import { domainOf, hostName } from "./host-name.ts";
import { compilePathRule, type PathRule, type RuleBase } from "./path-rule.ts";
import { compileToolName, ownToolName, subjectOf, type ToolName } from "./tool-name.ts";

/** A rule with what it was made ready into. */
export interface Ready<T> {
  readonly rule: PermissionRule;
  readonly tool: ToolName;
  readonly test: T;
}

/** Rules of one behaviour by what they speak about, strongest tier first. */
export interface RuleGroup {
  readonly size: number;
  /** Some rule wants what it allows confined. */
  readonly confines: boolean;
  /** Rules without content. */
  readonly tools: readonly Ready<null>[];
  /** By the program they name. */
  readonly commands: ReadonlyMap<string, readonly Ready<CommandRule>[]>;
  readonly anyCommands: readonly Ready<CommandRule>[];
  readonly reads: readonly Ready<PathRule>[];
  readonly writes: readonly Ready<PathRule>[];
  readonly searches: readonly Ready<PathRule>[];
  readonly domains: readonly Ready<string>[];
  /** By tool: content that only the tool understands. */
  readonly own: ReadonlyMap<string, readonly Ready<unknown>[]>;
  /** By tool: every rule with content, for tools that don't state their effects. */
  readonly contents: ReadonlyMap<string, readonly Ready<unknown>[]>;
}

/** All rules in force, ready to be compared. */
export interface RuleSet {
  readonly groups: Readonly<Record<RuleBehavior, RuleGroup>>;
}

interface Cached {
  readonly copy: readonly PermissionRule[];
  readonly cwd: string;
  readonly project: string;
  readonly backend: PermissionContext["backend"];
  readonly set: RuleSet;
}

const cache = new WeakMap<readonly PermissionRule[], Cached>();

/** The project's root: the first working directory, or where commands start. */
export function projectOf(context: PermissionContext): string {
  return context.workingDirectories[0] ?? context.cwd;
}

/** The rules made ready; done once for an array, and again when its content, the directory or the backend has changed. */
export function ruleSetOf(context: PermissionContext): RuleSet {
  const { rules, cwd, backend } = context;
  const project = projectOf(context);
  const known = cache.get(rules);
  if (
    known !== undefined &&
    known.cwd === cwd &&
    known.project === project &&
    known.backend === backend &&
    sameRules(known.copy, rules)
  ) {
    return known.set;
  }
  const set = compileRules(rules, ruleBase(context));
  cache.set(rules, { copy: [...rules], cwd, project, backend, set });
  return set;
}

/** Where a context's relative rules start. */
export function ruleBase(context: PermissionContext): RuleBase {
  const { backend, cwd } = context;
  const world = { flavour: backend.flavour, foldsCase: backend.foldsCase };
  const canonical = (path: string): string => canonicalPath(path, world, cwd);
  return {
    project: canonical(projectOf(context)),
    cwd: canonical(cwd),
    home: canonical(backend.home),
    homeText: backend.home,
    world,
  };
}

function sameRules(a: readonly PermissionRule[], b: readonly PermissionRule[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) if (a[index] !== b[index]) return false;
  return true;
}

function compileRules(rules: readonly PermissionRule[], base: RuleBase): RuleSet {
  const sorted = [...rules].sort((a, b) => rankOf(a) - rankOf(b));
  const group = (behavior: RuleBehavior): RuleGroup =>
    compileGroup(
      sorted.filter((rule) => rule.behavior === behavior),
      behavior !== "allow",
      base,
    );
  return { groups: { deny: group("deny"), ask: group("ask"), allow: group("allow") } };
}

/** A rule's tier as a number, 0 for the strongest; free-text sources rank after all tiers. */
export function rankOf(rule: PermissionRule): number {
  const tiers: readonly string[] = RULE_TIERS;
  const at = tiers.indexOf(rule.source);
  return at < 0 ? RULE_TIERS.length : at;
}

/** Compiles rules of one behaviour; `wide` for deny and ask, whose path rules take every reading. */
export function compileGroup(rules: readonly PermissionRule[], wide: boolean, base: RuleBase): RuleGroup {
  const group = openGroup(rules);
  for (const rule of rules) {
    const tool = compileToolName(rule.toolName);
    const content = meaningful(rule);
    if (content === null) group.tools.push({ rule, tool, test: null });
    else addWithContent(group, { rule, tool, test: content }, wide, base);
  }
  return group;
}

function addWithContent(group: OpenGroup, ready: Ready<string>, wide: boolean, base: RuleBase): void {
  const { rule, tool, test: content } = ready;
  const owner = tool.exact ?? ownToolName(rule.toolName);
  const subject = subjectOf(rule.toolName, content);
  push(group.contents, owner, ready);
  if (subject === "own") push(group.own, owner, ready);
  else if (subject === "domain") {
    group.domains.push({ rule, tool, test: hostName(domainOf(content)) });
  } else if (subject === "command") {
    const command = { rule, tool, test: compileCommandRule(content, base.homeText) };
    if (command.test.program === undefined) group.anyCommands.push(command);
    else push(group.commands, command.test.program, command);
  } else pathList(group, subject).push({ rule, tool, test: compilePathRule(content, wide, base) });
}

/** A rule's content, or `null` when it says no more than the tool's name: `Bash(*)`. */
function meaningful({ toolName, ruleContent }: PermissionRule): string | null {
  const content = ruleContent?.trim() ?? "";
  if (content === "") return null;
  const everyCommand = content === "*" || content === ":*";
  return everyCommand && subjectOf(toolName, content) === "command" ? null : content;
}

interface OpenGroup {
  readonly size: number;
  readonly confines: boolean;
  readonly tools: Ready<null>[];
  readonly commands: Map<string, Ready<CommandRule>[]>;
  readonly anyCommands: Ready<CommandRule>[];
  readonly reads: Ready<PathRule>[];
  readonly writes: Ready<PathRule>[];
  readonly searches: Ready<PathRule>[];
  readonly domains: Ready<string>[];
  readonly own: Map<string, Ready<unknown>[]>;
  readonly contents: Map<string, Ready<unknown>[]>;
}

function openGroup(rules: readonly PermissionRule[]): OpenGroup {
  return {
    size: rules.length,
    confines: rules.some((rule) => rule.confine !== undefined),
    tools: [],
    commands: new Map(),
    anyCommands: [],
    reads: [],
    writes: [],
    searches: [],
    domains: [],
    own: new Map(),
    contents: new Map(),
  };
}

function pathList(group: OpenGroup, subject: "read" | "write" | "search"): Ready<PathRule>[] {
  if (subject === "read") return group.reads;
  return subject === "write" ? group.writes : group.searches;
}

function push<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const known = lists.get(key);
  if (known === undefined) lists.set(key, [value]);
  else known.push(value);
}
