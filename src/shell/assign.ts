import type { Assignment } from "unbash";
import { checkArithmeticText } from "./arithmetic.ts";
import { unknown } from "./emit.ts";
import { expandOne, expandWord } from "./expand.ts";
import { assignRisk, exportRisk, type NameRisk } from "./names.ts";
import { type Scope, spend } from "./run.ts";
import {
  known,
  lookUp,
  type State,
  type Taint,
  UNKNOWN_VALUE,
  type Value,
  withTaint,
  withVar,
  worse,
} from "./state.ts";

/** How an assignment is meant. */
export interface AssignOptions {
  /** It goes to the environment of programs (`export`, or in front of a command). */
  readonly exported?: boolean;
  /** The value is evaluated as arithmetic (`declare -i`). */
  readonly integer?: boolean;
}

/** One assignment, as far as it is known. */
export interface Assigned {
  readonly name: string;
  readonly value: Value;
  readonly risk: NameRisk;
}

/** Judges an assignment's parts and gives what it sets. */
export function readAssignment(scope: Scope, node: Assignment, options: AssignOptions = {}): Assigned {
  const at = { ...scope, span: { start: node.pos, end: node.end } };
  const { name } = node;
  // A subscript is a key of an associative array or arithmetic: judged as the stricter of both.
  if (node.index !== undefined) checkArithmeticText(at, expandOne(at, node.index).shape);
  const value = readValue(at, node, options);
  const text = value.text;
  if (name === "PATH" && addsToPath(node)) return { name, value, risk: "environment" };
  return { name, value, risk: options.exported ? exportRisk(name, text) : assignRisk(name, text) };
}

/** `$PATH:/more`: programs that were found before are still found where they were. */
function addsToPath(node: Assignment): boolean {
  return node.value.type === "Word" && /^"?\$(?:PATH|\{PATH\}):/.test(node.value.text);
}

function readValue(scope: Scope, node: Assignment, options: AssignOptions): Value {
  if (node.value.type === "ArrayValue") {
    for (const element of node.value.elements) expandElement(scope, element);
    return UNKNOWN_VALUE;
  }
  const arg = expandOne(scope, node.value);
  if (options.integer) checkArithmeticText(scope, arg.shape);
  if (node.index !== undefined) return UNKNOWN_VALUE;
  const text = arg.value;
  if (text === null) {
    const numeric = !node.append && /^-?0+$/.test(arg.shape ?? "");
    return { ...UNKNOWN_VALUE, numeric, plain: !node.append && arg.plain };
  }
  if (!node.append) return known(text);
  const before = lookUp(scope.shell.state, node.name, scope.shell.context.home);
  return before?.text == null || before.pattern ? UNKNOWN_VALUE : known(before.text + text);
}

function expandElement(scope: Scope, element: Parameters<typeof expandWord>[1]): void {
  // `[key]=value` elements evaluate the key.
  const key = /^\[([^\]]*)\]\+?=/.exec(element.text)?.[1];
  if (key !== undefined && !/^[\w"'.-]*$/.test(key)) unknown(scope, null, "an array key is evaluated");
  // The key of an ordinary array is arithmetic: a name in it stands for its value, which is evaluated too.
  else if (key !== undefined && /^[A-Za-z_]\w*$/.test(key)) checkArithmeticText(scope, key);
  expandWord(scope, element);
}

/** Sets a variable in the shell. */
export function applyAssignment(scope: Scope, assigned: Assigned): void {
  const { shell } = scope;
  const { name, value, risk } = assigned;
  // The state is copied, with all its variables.
  spend(shell.context, Math.floor(shell.state.vars.size / 32));
  if (name === "IFS") shell.context.splits = true;
  if (risk === "shell") unknown(scope, null, `sets ${name}, which changes how the shell itself works`);
  shell.state = withVar(taint(shell.state, risk), name, value);
}

function taint(state: State, risk: NameRisk): State {
  if (risk === "none" || risk === "shell") return state;
  return withTaint(state, risk);
}

/**
 * The shell while it runs a command of its own with assignments in front: `cd` and `eval` see them, and some keep them
 * (`X=1 export X`), so that nothing is known of these names from there on.
 */
export function withPrefix(scope: Scope, nodes: readonly Assignment[], taint: Taint): State {
  const { state, context } = scope.shell;
  if (nodes.length === 0) return state;
  spend(context, nodes.length * Math.floor(state.vars.size / 32));
  return withTaint(
    nodes.reduce((after, { name }) => withVar(after, name, UNKNOWN_VALUE), state),
    taint,
  );
}

/** What assignments in front of a command make of its environment. */
export function prefixTaint(scope: Scope, nodes: readonly Assignment[]): Taint {
  let worst: Taint = "none";
  for (const node of nodes) {
    const { name, risk } = readAssignment(scope, node, { exported: true });
    // `IFS= read …` is how lines are read; it holds for that one command only.
    if (name === "IFS" || risk === "none") continue;
    worst = worse(worst, risk === "shell" ? "loader" : risk);
  }
  return worst;
}
