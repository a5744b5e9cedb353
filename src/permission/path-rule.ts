import { canonicalPath, type PathWorld } from "./canonical.ts";
import { isGlob } from "./glob-regex.ts";
import { compilePathPattern, type PathPattern } from "./path-pattern.ts";

/** Where a rule's relative paths start. All canonical. */
export interface RuleBase {
  readonly project: string;
  readonly cwd: string;
  readonly home: string;
  /** The home as commands spell it. */
  readonly homeText: string;
  readonly world: PathWorld;
}

/** A path rule in each reading that its direction takes. */
export interface PathRule {
  readonly patterns: readonly PathPattern[];
  /** The absolute glob behind each pattern. */
  readonly named: readonly string[];
}

/**
 * Makes a path rule ready. `//x` and `C:/x` are absolute, `~/x` is below the home, `./x` and `a/x` below the project, a bare name is that
 * name at any depth. A leading `/` is read both as absolute and as below the project; where that would make an allow rule as wide as the
 * whole machine (`/**`), only as below the project. Deny and ask rules (`wide`) take every reading, also from the current directory,
 * and bare names and `**` anywhere on the machine.
 */
export function compilePathRule(content: string, wide: boolean, base: RuleBase): PathRule {
  const globs = expandBraces(content.trim()).flatMap((text) => readings(text, wide, base));
  const named = [...new Set(globs)];
  return { patterns: named.map((glob) => compilePathPattern(glob)), named };
}

/** `{a,b}` becomes one text for each choice; past a bound the braces stay as they are. */
export function expandBraces(text: string): readonly string[] {
  let texts = [text];
  for (let round = 0; round < 8; round += 1) {
    const next = texts.flatMap(expandFirst);
    if (next.length === texts.length || next.length > 256) break;
    texts = next;
  }
  return texts;
}

function readings(raw: string, wide: boolean, base: RuleBase): readonly string[] {
  const windows = base.world.flavour === "win32";
  const slashed = windows ? raw.replaceAll("\\", "/") : raw;
  const text = /.\/$/.test(slashed) ? `${slashed}**` : slashed;
  if (windows && /^[a-z]:\//i.test(text)) return [absolute(text, base)];
  if (text.startsWith("//")) return [absolute(text.replace(/^\/+/, "/"), base)];
  if (text === "~" || text.startsWith("~/")) return [absolute(`${base.home}${text.slice(1)}`, base)];
  if (text.startsWith("/")) return rooted(text, wide, base);
  return relative(text.replace(/^(?:\.\/)+/, ""), text.startsWith("./"), wide, base);
}

function rooted(text: string, wide: boolean, base: RuleBase): readonly string[] {
  const inProject = absolute(below(base.project, text.slice(1)), base);
  const [, first = ""] = text.split("/");
  if (!wide && (isGlob(first) || first === "")) return [inProject];
  return [absolute(text, base), inProject];
}

function relative(text: string, anchored: boolean, wide: boolean, base: RuleBase): readonly string[] {
  const bare = !anchored && !text.includes("/");
  const floating = bare || text.startsWith("**/");
  const glob = bare && text !== "**" ? `**/${text}` : text;
  if (floating && wide) return [absolute(`/${glob}`, base)];
  const inProject = absolute(below(base.project, glob), base);
  return wide ? [inProject, absolute(below(base.cwd, glob), base)] : [inProject];
}

function below(folder: string, rest: string): string {
  return folder.endsWith("/") ? folder + rest : `${folder}/${rest}`;
}

/** Names in rules are folded as in paths; Windows' own cleaning of names must not touch `*` and `?`. */
function absolute(path: string, { world, cwd }: RuleBase): string {
  const foldsCase = world.foldsCase || world.flavour === "win32";
  return canonicalPath(path, { flavour: "posix", foldsCase }, cwd);
}

function expandFirst(text: string): readonly string[] {
  const match = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(text);
  if (match === null) return [text];
  const [, before = "", choices = "", after = ""] = match;
  return choices.split(",").map((choice) => `${before}${choice}${after}`);
}
