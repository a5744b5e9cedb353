import type { Assignment, Command, Redirection } from "unbash";
import type { Span } from "../effect.ts";
import { type Arg, dynamic, literal } from "./arg.ts";
import { applyAssignment, prefixTaint, readAssignment, withPrefix } from "./assign.ts";
import { declare, isDeclaration } from "./declare.ts";
import { launch } from "./dispatch.ts";
import { unknown } from "./emit.ts";
import { expandOne, expandWord } from "./expand.ts";
import { applyRedirects, type Stdin } from "./redirect.ts";
import type { Run, Scope, Shell } from "./run.ts";
import { type Outcome, same } from "./state.ts";

/** The number of the part that a syntax node is; a loop's body keeps its numbers. */
export function partOf(shell: Shell, node: object): number {
  const { context } = shell;
  const before = context.parts.get(node);
  if (before !== undefined) return before;
  const part = context.nextPart;
  context.nextPart += 1;
  context.parts.set(node, part);
  return part;
}

/** A place for effects that belong to a syntax node and to no program. */
export function scopeOf(shell: Shell, node: { readonly pos: number; readonly end: number }): Run {
  const span: Span = shell.within ?? { start: node.pos, end: node.end };
  const part = partOf(shell, node);
  return {
    shell,
    part,
    span,
    program: "",
    wrappers: [],
    inShell: true,
    stdin: undefined,
    bases: shell.state.bases,
    outcome: undefined,
    start: (argv) => unknown({ shell, part, span }, argv[0] ?? null, "starts a program"),
    script: () => false,
  };
}

/** Judges one simple command: assignments, redirections, words. `stdin` is what a pipe or group gives it. */
export function runCommand(shell: Shell, node: Command, stdin: Stdin): Outcome {
  const scope = scopeOf(shell, node);
  const assignments = node.prefix.filter((item) => item.type === "Assignment");
  const argv = wordsOf(scope, node);
  if (argv.length === 0) return assignOnly(scope, assignments, node.redirects);
  const taint = prefixTaint(scope, assignments);
  const own = applyRedirects(scope, node.redirects);
  const before = shell.state;
  shell.state = withPrefix(scope, assignments, taint);
  if (isDeclaration(argv[0]?.value ?? null)) {
    declare(scope, node, argv);
    return same(shell.state);
  }
  const outcome = launch({
    shell,
    part: scope.part,
    span: scope.span,
    argv,
    wrappers: [],
    inShell: true,
    bases: shell.state.bases,
    taint: shell.state.taint,
    stdin: own === undefined ? stdin : own,
  });
  shell.state = before;
  return outcome ?? same(before);
}

function assignOnly(
  scope: Run,
  assignments: readonly Assignment[],
  redirects: readonly Redirection[],
): Outcome {
  for (const node of assignments) applyAssignment(scope, readAssignment(scope, node));
  applyRedirects(scope, redirects);
  return same(scope.shell.state);
}

function wordsOf(scope: Scope, node: Command): readonly Arg[] {
  if (node.name === undefined) return [];
  const argv: Arg[] = [...expandWord(scope, node.name)];
  const declares = isDeclaration(argv[0]?.value ?? null);
  for (const word of node.args) {
    const span = { start: word.pos, end: word.end };
    if (word.type === "Word") argv.push(...expandWord(scope, word));
    else argv.push(declares ? literal(word.text, span) : assignmentWord(scope, word));
  }
  return argv;
}

/** An assignment that is an argument (`alias x=y`): a word like any other. */
function assignmentWord(scope: Scope, node: Assignment): Arg {
  const span = { start: node.pos, end: node.end };
  if (node.value.type === "ArrayValue" || node.index !== undefined) {
    readAssignment(scope, node);
    return { ...dynamic("", span, true), substituted: true };
  }
  const value = expandOne(scope, node.value);
  const prefix = `${node.name}${node.append ? "+" : ""}=`;
  if (value.value !== null) return { ...literal(prefix + value.value, span), pattern: value.pattern };
  return { ...dynamic(prefix + value.prefix, span, true), substituted: value.substituted };
}
