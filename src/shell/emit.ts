import type { Effect, Span } from "../effect.ts";
import type { Arg } from "./arg.ts";
import { isDevice, isHarmlessDevice, operandPath, resolvePath } from "./paths.ts";
import { type Run, type Scope, spend } from "./run.ts";

/** Properties of an effect on a path, besides the path. */
export interface PathTraits {
  readonly recursive?: boolean;
  readonly forced?: boolean;
  readonly redirect?: boolean;
  readonly skipsHidden?: boolean;
  readonly followsLinks?: true | "directories";
  readonly skipsLinks?: true;
  readonly into?: readonly string[];
  readonly repository?: string;
}

/** That an effect reaches everything below, and through the links that are met there when the program follows them. */
export function inDepth(follows: boolean): PathTraits {
  return follows ? { recursive: true, followsLinks: true } : { recursive: true };
}

/** What can happen to a path. */
export type PathKind = "read" | "list" | "write" | "delete";

/** Adds an effect to the run's part. */
export function emit(run: Scope, effect: Effect): void {
  spend(run.shell.context, 1);
  run.shell.context.effects.push(effect);
}

/** Where an effect is shown: inside text from elsewhere, at the word it came from. */
export function spanOf(run: Scope, arg: Arg | null): Span {
  return run.shell.within ?? arg?.span ?? run.span;
}

/** Says that something can't be told. A substitution that stands where it could hurt is never silenced by a rule. */
export function unknown(run: Scope, arg: Arg | null, why: string, danger?: string): void {
  const reason = danger ?? (arg?.substituted ? `the value of a substitution decides: ${why}` : undefined);
  emit(run, {
    kind: "unknown",
    why,
    part: run.part,
    span: spanOf(run, arg),
    ...(reason === undefined ? undefined : { danger: reason }),
  });
}

/** Says that the network is reached. */
export function connect(run: Scope, arg: Arg | null, readOnly: boolean, host?: string): void {
  emit(run, {
    kind: "connect",
    part: run.part,
    span: spanOf(run, arg),
    ...(host === undefined ? undefined : { host }),
    ...(readOnly ? { readOnly } : undefined),
  });
}

/** Says that the machine is changed beyond files. */
export function system(run: Scope, arg: Arg | null, what: string, danger?: string): void {
  emit(run, {
    kind: "system",
    what,
    part: run.part,
    span: spanOf(run, arg),
    ...(danger === undefined ? undefined : { danger }),
  });
}

/** Adds the effect of using a word as a path, once for each directory the shell may be in. */
export function emitPath(run: Run, kind: PathKind, arg: Arg, traits: PathTraits = {}): void {
  if (arg.value === null) {
    emitDynamicPath(run, kind, arg, traits);
    return;
  }
  const text = kind === "delete" ? asGlob(arg, arg.value) : arg.value;
  if (text.startsWith("/")) {
    emitResolved(run, kind, arg, { path: pathOf(run, "/", text, kind, traits), ...traits });
  } else if (run.bases === null) {
    emitDynamicPath(run, kind, { ...arg, prefix: "" }, traits);
  } else {
    for (const base of run.bases)
      emitResolved(run, kind, arg, { path: pathOf(run, base, text, kind, traits), ...traits });
  }
}

/** `**` at a glob's end is all that `*` is, at the least; what a search finds below is written alike. */
function asGlob({ pattern, found }: Arg, text: string): string {
  return pattern && found === undefined ? text.replace(/(^|\/)\*{2,}(?=\/?$)/, "$1*") : text;
}

/** A slash at the end leads through a link: removing all below it empties what the link leads to. */
function pathOf(run: Run, base: string, text: string, kind: PathKind, { recursive }: PathTraits): string {
  const path = operandPath(base, text, run.shell.context.cwd);
  return kind === "delete" && recursive && text.endsWith("/") && path !== "/" ? `${path}/` : path;
}

function emitDynamicPath(run: Run, kind: PathKind, arg: Arg, traits: PathTraits): void {
  if (kind === "read" || kind === "list") {
    const cut = arg.prefix.lastIndexOf("/");
    const base = run.bases?.[0] ?? "/";
    const path = cut < 0 ? base : resolvePath(base, arg.prefix.slice(0, cut + 1));
    const ends = arg.ending?.slice(arg.ending.indexOf("/"));
    push(run, kind, arg, { path, dynamic: true, ...(ends?.startsWith("/") ? { ends } : {}), ...traits });
    return;
  }
  const { wild, ...rest } = arg;
  if (wild !== undefined && !arg.many) {
    emitPath(run, kind, { ...rest, value: wild, prefix: wild, pattern: true }, traits);
    return;
  }
  if (kind === "delete") {
    // What is moved isn't lost.
    const danger = run.program === "mv" ? undefined : "what is removed can't be known before it runs";
    unknown(run, arg, "removes a path that isn't known", danger);
    return;
  }
  const device = isDevice(arg.prefix) ? "writes to a device" : undefined;
  unknown(run, arg, "writes to a path that isn't known", device);
}

interface PathFields extends PathTraits {
  readonly path: string;
  readonly pattern?: boolean;
  readonly dynamic?: boolean;
  readonly ends?: string;
  readonly danger?: string;
}

function emitResolved(run: Run, kind: PathKind, arg: Arg, fields: PathFields): void {
  const flat = fields.path.includes("/..") ? resolvePath("/", fields.path) : fields.path;
  if (isHarmlessDevice(flat)) return;
  // The kernel's tables of connections differ from one network to another.
  if (kind === "read" && /^\/proc\/(?:[^/]+\/)?net\//.test(flat)) connect(run, arg, true);
  const pattern = arg.pattern ? { pattern: true, ...arg.found } : undefined;
  push(run, kind, arg, { ...fields, ...pattern, ...dangerOf(run, kind, flat) });
}

function dangerOf(run: Run, kind: PathKind, path: string): { danger: string } | undefined {
  if (kind === "delete" && run.wrappers.some((name) => /^(?:.*\/)?(?:sudo|doas|pkexec)$/.test(name))) {
    return { danger: "removes with the rights of another user" };
  }
  if (kind === "write" && isDevice(path)) return { danger: "writes to a device" };
  return undefined;
}

function push(run: Run, kind: PathKind, arg: Arg, fields: PathFields): void {
  emit(run, { kind, part: run.part, span: spanOf(run, arg), ...fields });
}
