import { globRegex, globsMeet, isGlob } from "./glob-regex.ts";

/** One component of a path rule. */
interface Component {
  readonly text: string;
  /** `undefined` for a literal name. */
  readonly regex: RegExp | undefined;
  readonly any: boolean;
}

/** A path rule's glob, absolute and canonical, ready to be compared. */
export interface PathPattern {
  /** What stands before the first special character, to tell most paths apart cheaply. */
  readonly base: string;
  readonly components: readonly Component[];
}

/** The target of an effect, as far as its shape matters here. */
export interface Target {
  readonly recursive?: boolean;
  readonly pattern?: boolean;
}

/** Makes an absolute canonical glob ready. */
export function compilePathPattern(glob: string): PathPattern {
  const components: Component[] = [];
  for (const text of partsOf(glob)) {
    const any = text === "**";
    if (any && components.at(-1)?.any === true) continue;
    components.push({ text, any, regex: !any && isGlob(text) ? globRegex(text) : undefined });
  }
  const start = fixedStart(glob);
  return { base: start === glob ? glob : start.replace(/\/$/, ""), components };
}

/**
 * Whether an effect on `path` may touch what the pattern names, or what lies below it: the question of deny and ask rules. Errs towards
 * yes for targets that are patterns themselves or reach in depth.
 */
export function patternReaches(pattern: PathPattern, path: string, target: Target): boolean {
  const start = target.pattern === true ? fixedStart(path) : path;
  const deeper = target.pattern === true || target.recursive === true;
  if (!start.startsWith(pattern.base) && !(deeper && pattern.base.startsWith(start))) return false;
  const parts = partsOf(path);
  const deep = parts.findIndex((part) => target.pattern === true && part.includes("**"));
  return reaches(pattern.components, 0, deep < 0 ? parts : parts.slice(0, deep), 0, {
    recursive: target.recursive === true || deep >= 0,
    pattern: target.pattern === true,
  });
}

/** Whether a pattern is a name at any depth below the root. */
export function isFloating({ components }: PathPattern): boolean {
  return components.length === 2 && components[0]?.any === true && components[1]?.any === false;
}

/** Whether everything an effect on `path` touches is what the pattern names: the question of allow rules. */
export function patternContains(pattern: PathPattern, path: string, target: Target): boolean {
  if (!path.startsWith(pattern.base)) return false;
  return contains(pattern.components, 0, partsOf(path), 0, target);
}

function fixedStart(glob: string): string {
  const special = glob.search(/[*?[]/);
  return special < 0 ? glob : glob.slice(0, special);
}

function partsOf(path: string): readonly string[] {
  return path.split("/").filter((part) => part !== "");
}

function reaches(
  rule: readonly Component[],
  i: number,
  path: readonly string[],
  j: number,
  target: Target,
): boolean {
  const component = rule[i];
  if (component === undefined) return true;
  const part = path[j];
  if (part === undefined) return target.recursive === true || (component.any && i === rule.length - 1);
  if (component.any) {
    return reaches(rule, i + 1, path, j, target) || reaches(rule, i, path, j + 1, target);
  }
  return meets(component, part, target.pattern === true) && reaches(rule, i + 1, path, j + 1, target);
}

function contains(
  rule: readonly Component[],
  i: number,
  path: readonly string[],
  j: number,
  target: Target,
): boolean {
  const component = rule[i];
  const part = path[j];
  if (part === undefined) {
    if (component === undefined) return target.recursive !== true;
    return component.any && i === rule.length - 1;
  }
  if (component === undefined) return false;
  if (component.any) {
    return contains(rule, i + 1, path, j, target) || contains(rule, i, path, j + 1, target);
  }
  const covered =
    target.pattern === true && isGlob(part)
      ? component.text === "*" || component.text === part
      : meets(component, part, false);
  return covered && contains(rule, i + 1, path, j + 1, target);
}

/** Whether a rule's component and a path's part can be the same name. A shell's `*` never stands for a name with a leading dot. */
function meets(component: Component, part: string, partMayBeGlob: boolean): boolean {
  if (!partMayBeGlob || !isGlob(part)) {
    return component.regex === undefined ? component.text === part : component.regex.test(part);
  }
  if (component.text.startsWith(".") && !/^[.[]/.test(part)) return false;
  // Cheap ends first: most names are told apart by them.
  if (!globsMeet(component.text, part)) return false;
  return component.regex !== undefined || globRegex(part).test(component.text);
}
