import { type Arg, dynamic, literal } from "../arg.ts";
import { emitPath, unknown } from "../emit.ts";
import type { Run } from "../run.ts";
import { type AwkToken, tokeniseAwk } from "./awk-tokens.ts";

interface Spot {
  readonly run: Run;
  readonly arg: Arg;
  readonly tokens: readonly AwkToken[];
  readonly at: number;
  /** In a `print` statement, outside brackets: there `>` is a redirection and not a comparison. */
  readonly printing: boolean;
}

const MAX_PROGRAM = 32 * 1024;

/** An awk program: `system`, pipes, redirections and `getline` reach outside. */
export function awk(run: Run, arg: Arg): void {
  const readable = arg.shape !== null && !arg.many && !arg.pattern && arg.shape.length <= MAX_PROGRAM;
  const tokens = readable ? tokeniseAwk(arg.shape ?? "") : null;
  if (tokens === null) {
    unknown(run, arg, "an awk program that isn't known");
    return;
  }
  let printAt = -1;
  let depth = 0;
  tokens.forEach(({ kind, text }, at) => {
    depth += depthChange(text, kind);
    if (endsStatement(text, kind, depth) && !(kind === "line" && goesOn(tokens[at - 1]))) printAt = -1;
    if (kind === "name" && /^printf?$/.test(text)) printAt = depth;
    checkToken({ run, arg, tokens, at, printing: depth === printAt });
  });
}

function depthChange(text: string, kind: AwkToken["kind"]): number {
  if (kind !== "mark") return 0;
  if (text === "(" || text === "[") return 1;
  return text === ")" || text === "]" ? -1 : 0;
}

function endsStatement(text: string, kind: AwkToken["kind"], depth: number): boolean {
  if (kind === "line") return depth === 0;
  return kind === "mark" && /^[;{}]$/.test(text);
}

/** A statement goes on behind a line that ends in a comma or an operator, or is empty. */
function goesOn(before: AwkToken | undefined): boolean {
  return before?.kind === "line" || (before?.kind === "mark" && !/^(?:[)\]};]|\+\+|--)$/.test(before.text));
}

function checkToken(spot: Spot): void {
  const { run, arg, tokens, at } = spot;
  const token = tokens[at];
  if (token?.kind === "mark") checkMark(spot, token.text);
  else if (token?.kind === "string" && token.text.startsWith("/inet")) {
    unknown(run, arg, "the awk program opens a connection");
  } else if (token?.kind === "name" && token.text === "system") {
    const whole = tokens[at + 1]?.text === "(" && tokens[at + 3]?.text === ")";
    runCode(spot, whole ? tokens[at + 2] : undefined);
  } else if (token?.kind === "name" && token.text === "ARGV") {
    // What is put there is read as a file.
    emitPath(run, "read", dynamic("", arg.span));
  }
}

function checkMark(spot: Spot, text: string): void {
  const { run, arg, tokens, at } = spot;
  if (text === "@" || text === "|&") unknown(run, arg, "the awk program starts or loads something");
  else if (text === "|") runCode(spot, pipedCode(spot));
  else if ((text === ">" || text === ">>") && spot.printing) checkOutput(spot);
  else if (text === "<" && followsGetline(tokens, at)) checkInput(spot);
}

/** The command of `print | "command"`, where it is one text. What a command gives to the program may go anywhere in it. */
function pipedCode({ tokens, at }: Spot): AwkToken | undefined {
  if (tokens[at + 1]?.text === "getline") return undefined;
  return endsAt(tokens, at + 2) ? tokens[at + 1] : undefined;
}

function runCode(spot: Spot, code: AwkToken | undefined): void {
  const { run, arg } = spot;
  const known = code?.kind === "string" && arg.value !== null && !code.text.includes("\\");
  if (!known || !run.script(literal(code.text, arg.span)))
    unknown(run, arg, "the awk program starts a program");
}

function checkOutput(spot: Spot): void {
  const { run, arg, tokens, at } = spot;
  const target = tokens[at + 1];
  if (target?.kind === "string" && arg.value !== null && endsAt(tokens, at + 2)) {
    emitPath(run, "write", literal(target.text, arg.span));
  } else unknown(run, arg, "the awk program writes to a file that isn't known");
}

function checkInput(spot: Spot): void {
  const { run, arg, tokens, at } = spot;
  const source = tokens[at + 1];
  const known = source?.kind === "string" && arg.value !== null;
  emitPath(run, "read", known ? literal(source.text, arg.span) : dynamic("", arg.span));
}

function endsAt(tokens: readonly AwkToken[], at: number): boolean {
  const token = tokens[at];
  return token === undefined || token.kind === "line" || token.text === ";" || token.text === "}";
}

function followsGetline(tokens: readonly AwkToken[], at: number): boolean {
  for (let back = at - 1; back >= Math.max(0, at - 8); back -= 1) {
    const token = tokens[back];
    if (token?.text === "getline") return true;
    if (token === undefined || token.kind === "line" || /^[;{}(]$/.test(token.text)) return false;
  }
  return false;
}
