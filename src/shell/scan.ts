import type { Command, SyntaxNode } from "unbash";
import { parser } from "./parser.ts";
import { blur, NUMBER_VALUE, type State, UNKNOWN_VALUE, type Value, withBases } from "./state.ts";

/** What a piece of a script may change in the shell that runs it. */
export interface Changes {
  /** Variables it may set; the value says whether only to numbers. */
  readonly names: Map<string, Value>;
  /** It may change the directory. */
  moves: boolean;
  /** It may change anything. */
  all: boolean;
}

const SETTERS =
  /^(?:read|mapfile|readarray|printf|getopts|declare|typeset|local|export|readonly|let|unset|wait|set)$/;
const ANYTHING = /^(?:eval|source|\.|command|builtin|trap|exec|shopt)$/;

/** Finds out what running some nodes may change, without running them. */
export function findChanges(nodes: readonly SyntaxNode[], functions: ReadonlySet<string>): Changes {
  const changes: Changes = { names: new Map(), moves: false, all: false };
  const forEachChild = parser()?.forEachChild;
  if (forEachChild === undefined) return { ...changes, all: true };
  const visit = (node: SyntaxNode): void => {
    note(changes, node, functions);
    if (!runsApart(node)) forEachChild(node, visit);
  };
  nodes.forEach(visit);
  return changes;
}

/** The state before a loop's body, whichever time it is run. */
export function forget(state: State, changes: Changes): State {
  if (changes.all) return blur(state);
  const moved = changes.moves ? withBases(state, null) : state;
  if (changes.names.size === 0) return moved;
  const vars = new Map<string, Value>(moved.vars);
  for (const [name, value] of changes.names) {
    const numeric = value.numeric && vars.get(name)?.numeric === true;
    vars.set(name, numeric ? NUMBER_VALUE : UNKNOWN_VALUE);
  }
  return { ...moved, vars };
}

// What these run happens in a process of its own, which changes nothing here.
function runsApart(node: SyntaxNode): boolean {
  return (
    node.type === "Subshell" ||
    node.type === "CommandExpansion" ||
    node.type === "ProcessSubstitution" ||
    node.type === "Function"
  );
}

function note(changes: Changes, node: SyntaxNode, functions: ReadonlySet<string>): void {
  switch (node.type) {
    case "Assignment":
      set(changes, node.name, isNumber(node.value.type === "Word" ? node.value.text : ""));
      return;
    case "For":
    case "Select":
      set(changes, node.name.value, false);
      return;
    case "ArithmeticBinary":
      if (node.left.type === "ArithmeticWord") set(changes, node.left.value, true);
      return;
    case "ArithmeticUnary":
      if (node.operand.type === "ArithmeticWord") set(changes, node.operand.value, true);
      return;
    case "ParameterExpansion":
      if (node.operation?.type === "Default" && node.operation.operator.includes("=")) {
        set(changes, node.parameter, false);
      }
      return;
    case "Command":
      noteCommand(changes, node, functions);
      return;
    default:
  }
}

function noteCommand(changes: Changes, node: Command, functions: ReadonlySet<string>): void {
  const name = node.name?.value;
  if (name === undefined) return;
  if (name === "cd" || name === "pushd" || name === "popd") changes.moves = true;
  else if (ANYTHING.test(name) || functions.has(name)) changes.all = true;
  else if (SETTERS.test(name)) noteNames(changes, node);
}

function noteNames(changes: Changes, node: Command): void {
  for (const word of node.args) {
    const first = word.type === "Word" ? /^[A-Za-z_]\w*/.exec(word.value)?.[0] : undefined;
    if (first !== undefined) set(changes, first, false);
  }
  for (const implied of ["REPLY", "MAPFILE", "OPTARG", "OPTIND"]) set(changes, implied, false);
}

function set(changes: Changes, name: string, numeric: boolean): void {
  const stays = numeric && changes.names.get(name)?.numeric !== false;
  changes.names.set(name, stays ? NUMBER_VALUE : UNKNOWN_VALUE);
}

function isNumber(text: string): boolean {
  return /^(?:\d+|\$\(\([^$`]*\)\))$/.test(text);
}
