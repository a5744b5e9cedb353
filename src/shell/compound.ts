import type {
  AndOr,
  ArithmeticExpression,
  Case,
  CommandNode,
  CompoundList,
  For,
  If,
  PipelineNode,
  Select,
  Statement,
  While,
  Word,
} from "unbash";
import type { Arg } from "./arg.ts";
import { checkArithmetic } from "./arithmetic.ts";
import { unknown } from "./emit.ts";
import { expandOne, expandParts, expandWord } from "./expand.ts";
import { callsItselfApart } from "./fork-bomb.ts";
import { assignRisk, isPlainName } from "./names.ts";
import type { Stdin } from "./redirect.ts";
import type { Run, Shell } from "./run.ts";
import { findChanges, forget } from "./scan.ts";
import { scopeOf } from "./simple.ts";
import {
  blur,
  join,
  known,
  NUMBER_VALUE,
  type Outcome,
  type State,
  same,
  UNKNOWN_VALUE,
  type Value,
  withVar,
} from "./state.ts";
import { checkTest } from "./test-expression.ts";

/** The walker's functions, handed in since it uses this file. */
export interface Walker {
  readonly stdin: Stdin;
  readonly runList: (shell: Shell, statements: readonly Statement[], stdin?: Stdin) => Outcome;
  readonly runNode: (shell: Shell, node: PipelineNode | AndOr | CompoundList, stdin: Stdin) => Outcome;
}

type Compound = Exclude<CommandNode, { type: "Command" | "Redirected" }>;

const MAX_ROUNDS = 12;

/** Judges control flow and groups by their bodies. */
export function runCompound(shell: Shell, node: Compound, walker: Walker): Outcome {
  const { runList, stdin } = walker;
  switch (node.type) {
    case "BraceGroup":
      return runList(shell, node.body.commands, stdin);
    case "Subshell":
      runList({ ...shell }, node.body.commands, stdin);
      return same(shell.state);
    case "If":
      return runIf(shell, node, walker);
    case "For":
    case "Select":
      return runFor(shell, node, walker);
    case "While":
      return runWhile(shell, node, walker);
    case "ArithmeticFor":
      return runArithmeticFor(shell, node, walker);
    case "Case":
      return runCase(shell, node, walker);
    case "Function":
      return define(shell, node, walker);
    case "Coproc":
      if (node.name !== undefined) checkName(scopeOf(shell, node), node.name);
      walker.runNode({ ...shell }, node.body, null);
      return same(shell.state);
    case "TestCommand":
      checkTest(scopeOf(shell, node), node.expression);
      return same(shell.state);
    case "ArithmeticCommand":
      if (node.expression === undefined) unknown(scopeOf(shell, node), null, "arithmetic that can't be read");
      evaluate(shell, node, node.expression);
      return same(shell.state);
    default:
      return node satisfies never;
  }
}

function evaluate(
  shell: Shell,
  node: { readonly pos: number; readonly end: number },
  expression: ArithmeticExpression | undefined,
): void {
  if (expression === undefined) return;
  const scope = scopeOf(shell, node);
  checkArithmetic(scope, expression, (part) => {
    expandParts(scope, [part], { start: part.pos, end: part.end });
  });
}

function runIf(shell: Shell, node: If, walker: Walker): Outcome {
  const { runList, stdin } = walker;
  let clause = runList(shell, node.clause.commands, stdin);
  const ends: Outcome[] = [runFrom(shell, clause.ok, node.then, walker)];
  for (const branch of node.elif) {
    shell.state = clause.fail ?? shell.state;
    clause = runList(shell, branch.clause.commands, stdin);
    ends.push(runFrom(shell, clause.ok, branch.then, walker));
  }
  if (node.else === undefined) ends.push({ ok: clause.fail, fail: null });
  else ends.push(runFrom(shell, clause.fail, node.else, walker));
  return merge(shell, ends);
}

function runFrom(shell: Shell, state: State | null, list: CompoundList, walker: Walker): Outcome {
  shell.state = state ?? shell.state;
  return walker.runList(shell, list.commands, walker.stdin);
}

/** All ways that several branches may leave. */
function merge(shell: Shell, outcomes: readonly Outcome[]): Outcome {
  let ok: State | null = null;
  let fail: State | null = null;
  for (const outcome of outcomes) {
    ok = join(ok, outcome.ok);
    fail = join(fail, outcome.fail);
  }
  shell.state = join(ok, fail) ?? shell.state;
  return { ok, fail };
}

function runFor(shell: Shell, node: For | Select, walker: Walker): Outcome {
  const { context } = shell;
  const scope = scopeOf(shell, node);
  const name = node.name.value;
  checkName(scope, node.name);
  const items = node.wordlist?.flatMap((word) => expandWord(scope, word));
  const before = forget(shell.state, findChanges([node.body], context.functions));
  let after: State = withVar(before, name, UNKNOWN_VALUE);
  for (const value of roundsOf(node, items)) {
    shell.state = withVar(before, name, value);
    walker.runList(shell, node.body.commands, walker.stdin);
    after = join(after, shell.state) ?? after;
  }
  shell.state = after;
  return same(after);
}

/** A name in the script's own syntax: bash refuses any but plain ones, so another hides something. */
function checkName(scope: Run, word: Word): void {
  if (word.parts !== undefined) expandOne(scope, word);
  const name = word.value;
  if (!isPlainName(name)) unknown(scope, null, "a name that isn't plain", "a name that isn't plain");
  else if (assignRisk(name, null) !== "none") unknown(scope, null, `sets ${name}, which changes what runs`);
}

function roundsOf(node: For | Select, items: readonly Arg[] | undefined): readonly Value[] {
  if (node.type === "Select" || items === undefined) return [UNKNOWN_VALUE];
  if (items.length <= MAX_ROUNDS && items.every((item) => item.value !== null)) {
    return items.map((item) => known(item.value ?? "", item.pattern));
  }
  const numbers = items.every((item) => /^-?\d+$/.test(item.shape ?? "") && !item.pattern);
  if (numbers) return [NUMBER_VALUE];
  return [{ ...UNKNOWN_VALUE, plain: items.every((item) => item.value === null && item.plain) }];
}

function runWhile(shell: Shell, node: While, walker: Walker): Outcome {
  const { context } = shell;
  shell.state = forget(shell.state, findChanges([node.clause, node.body], context.functions));
  const clause = walker.runList(shell, node.clause.commands, walker.stdin);
  const [inside, outside] = node.kind === "while" ? [clause.ok, clause.fail] : [clause.fail, clause.ok];
  shell.state = inside ?? shell.state;
  walker.runList(shell, node.body.commands, walker.stdin);
  shell.state = join(outside, shell.state) ?? shell.state;
  return same(shell.state);
}

function runArithmeticFor(
  shell: Shell,
  node: Extract<Compound, { type: "ArithmeticFor" }>,
  walker: Walker,
): Outcome {
  const { context } = shell;
  evaluate(shell, node, node.initialize);
  const parts = [node.test, node.update].filter((part) => part !== undefined);
  shell.state = forget(shell.state, findChanges([...parts, node.body], context.functions));
  const before = shell.state;
  evaluate(shell, node, node.test);
  walker.runList(shell, node.body.commands, walker.stdin);
  evaluate(shell, node, node.update);
  shell.state = join(before, shell.state) ?? shell.state;
  return same(shell.state);
}

function runCase(shell: Shell, node: Case, walker: Walker): Outcome {
  const scope = scopeOf(shell, node);
  expandOne(scope, node.word);
  const before = shell.state;
  const ends: Outcome[] = [same(before)];
  let entry: State = before;
  for (const item of node.items) {
    for (const pattern of item.pattern) expandOne(scope, pattern);
    shell.state = entry;
    ends.push(walker.runList(shell, item.body.commands, walker.stdin));
    // `;&` goes on into the next body.
    const closed = item.terminator === ";;" || item.terminator === undefined;
    entry = closed ? before : (join(before, shell.state) ?? before);
  }
  return merge(shell, ends);
}

function define(shell: Shell, node: Extract<Compound, { type: "Function" }>, walker: Walker): Outcome {
  const name = node.name.value;
  if (node.name.parts !== undefined) expandOne(scopeOf(shell, node), node.name);
  shell.context.functions.add(name);
  const defined = new Set([...shell.state.defined, name]);
  walker.runNode({ ...shell, state: { ...blur(shell.state), defined } }, node.body, null);
  if (callsItselfApart(node.body, name)) {
    const why = "a function that starts itself over and over";
    unknown(scopeOf(shell, node), null, why, why);
  }
  shell.state = { ...shell.state, defined };
  return same(shell.state);
}
