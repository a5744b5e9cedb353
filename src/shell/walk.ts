import type {
  AndOr,
  CompoundList,
  ParsedScript,
  Pipeline,
  PipelineNode,
  Redirected,
  Statement,
} from "unbash";
import type { Span } from "../effect.ts";
import { runCompound } from "./compound.ts";
import { applyRedirects, type Stdin } from "./redirect.ts";
import { type Shell, spend } from "./run.ts";
import { runCommand, scopeOf } from "./simple.ts";
import { join, type Outcome, same } from "./state.ts";

const MAX_DEPTH = 100;

/** Judges a script; the shell is left as the script leaves it. */
export function walkScript(shell: Shell, script: ParsedScript): void {
  if (shell.depth > MAX_DEPTH) {
    const span = shell.within ?? { start: script.pos, end: script.end };
    unread(shell, span, "nested too deeply to be judged");
    return;
  }
  for (const error of script.errors ?? []) {
    shell.context.errors.push(error.message);
    const at = shell.within ?? { start: error.pos, end: Math.max(error.pos + 1, script.end) };
    unread(shell, at, `the shell can't read this: ${error.message}`);
  }
  runList(shell, script.commands);
}

/** Says that some text wasn't read. It belongs to no part, since it may hold commands of its own. */
function unread({ context }: Shell, span: Span, why: string): void {
  context.effects.push({ kind: "unknown", why, span });
}

/** Judges statements one after the other. */
export function runList(shell: Shell, statements: readonly Statement[], stdin?: Stdin): Outcome {
  let outcome: Outcome = same(shell.state);
  for (const statement of statements) {
    // Code behind an `exit` is judged as if it were reached.
    shell.state = join(outcome.ok, outcome.fail) ?? shell.state;
    outcome = runStatement(shell, statement, stdin);
  }
  shell.state = join(outcome.ok, outcome.fail) ?? shell.state;
  return outcome;
}

function runStatement(shell: Shell, statement: Statement, stdin: Stdin): Outcome {
  if (!statement.background) return runNode(shell, statement.command, stdin);
  runNode({ ...shell }, statement.command, stdin);
  return same(shell.state);
}

/** Judges a node in the shell's state, and gives the states it may leave. */
export function runNode(shell: Shell, node: PipelineNode | AndOr | CompoundList, stdin: Stdin): Outcome {
  const { context } = shell;
  spend(context, 1);
  if (shell.depth > MAX_DEPTH) return giveUp(shell);
  switch (node.type) {
    case "AndOr":
      return runAndOr(shell, node, stdin);
    case "Pipeline":
      return runPipeline(shell, node, stdin);
    case "Command":
      return runCommand(shell, node, stdin);
    case "Redirected":
      return runRedirected(shell, node, stdin);
    case "CompoundList":
      return runList(shell, node.commands, stdin);
    default:
      return runCompound({ ...shell, depth: shell.depth + 1 }, node, { stdin, runList, runNode });
  }
}

function giveUp(shell: Shell): Outcome {
  unread(shell, shell.within ?? { start: 0, end: 0 }, "nested too deeply to be judged");
  return same(shell.state);
}

function runAndOr(shell: Shell, node: AndOr, stdin: Stdin): Outcome {
  let outcome: Outcome | undefined;
  node.commands.forEach((command, at) => {
    if (outcome === undefined) {
      outcome = runNode(shell, command, stdin);
      return;
    }
    const { ok, fail }: Outcome = outcome;
    const and = node.operators[at - 1] === "&&";
    shell.state = (and ? ok : fail) ?? shell.state;
    const next = runNode(shell, command, stdin);
    outcome = and ? { ok: next.ok, fail: join(fail, next.fail) } : { ok: join(ok, next.ok), fail: next.fail };
  });
  return outcome ?? same(shell.state);
}

function runPipeline(shell: Shell, node: Pipeline, stdin: Stdin): Outcome {
  const negated = node.prefixes.filter((prefix) => prefix.type === "Negation").length % 2 === 1;
  const [only, ...others] = node.commands;
  if (only !== undefined && others.length === 0) {
    const { ok, fail } = runNode(shell, only, stdin);
    return negated ? { ok: fail, fail: ok } : { ok, fail };
  }
  node.commands.forEach((command, at) => {
    runNode({ ...shell }, command, at === 0 ? stdin : null);
  });
  return same(shell.state);
}

function runRedirected(shell: Shell, node: Redirected, stdin: Stdin): Outcome {
  const own = applyRedirects(scopeOf(shell, node), node.redirects);
  return runNode(shell, node.command, own === undefined ? stdin : own);
}
