import type { Command, ParsedScript, ParseError, Redirection, SyntaxNode } from "unbash";

/** What is used of the parser. */
export interface Parser {
  readonly parse: (source: string) => ParsedScript;
  readonly forEachChild: (node: SyntaxNode, callback: (child: SyntaxNode) => void) => void;
}

let loaded: Parser | undefined;

/** Loads the parser, once a process. It costs some 20 ms, so nothing loads it before a command is to be judged. */
export async function loadParser(): Promise<void> {
  if (loaded !== undefined) return;
  const { parse, forEachChild } = await import("unbash");
  loaded = { parse: (source) => withMissed(source, parse(source), forEachChild), forEachChild };
}

/** An opening parenthesis behind a word, a process substitution that is glued to one, a number between two redirections. */
const SUSPICIOUS = /[^\s;&|()<>$=](?:[ \t]|\\\n)*\(|[^\s;&|()<>][<>]\(|[<>|]\s*\d+[<>]/;
const DROPPED = /(?:[ \t]|\\\n)*\(/y;

/** Adds what the parser passes over and bash doesn't: `ls (` is an error, and `ls>(cat)` is one word. */
function withMissed(
  source: string,
  script: ParsedScript,
  forEachChild: Parser["forEachChild"],
): ParsedScript {
  if (!SUSPICIOUS.test(source)) return script;
  const errors: ParseError[] = [];
  const visit = (node: SyntaxNode): void => {
    if (node.type === "Command") errors.push(...wordsIn(source, node));
    if (node.type === "Command" || node.type === "Redirected")
      errors.push(...numbersIn(source, node.redirects));
    forEachChild(node, visit);
  };
  forEachChild(script, visit);
  return errors.length === 0 ? script : { ...script, errors: [...(script.errors ?? []), ...errors] };
}

/** A number that stands right before another redirection is that one's descriptor, and no file's name. */
function numbersIn(source: string, redirects: readonly Redirection[]): ParseError[] {
  return redirects.flatMap((redirect) => {
    if (redirect.type === "HereDoc" || redirect.operator.endsWith("&")) return [];
    const { target } = redirect;
    const isNumber =
      target !== undefined && /^\d+$/.test(target.text) && /[<>]/.test(source[target.end] ?? "");
    return isNumber ? [{ message: "a number where a file's name belongs", pos: target.pos }] : [];
  });
}

function wordsIn(source: string, { name, args }: Command): ParseError[] {
  if (name === undefined) return [];
  DROPPED.lastIndex = name.end;
  if (DROPPED.test(source)) return [{ message: "unexpected token '('", pos: name.end }];
  let end = name.end;
  for (const arg of args) {
    if (arg.pos === end) return [{ message: "words that run together", pos: end }];
    end = arg.end;
  }
  return [];
}

/** The parser, when it has been loaded. */
export function parser(): Parser | undefined {
  return loaded;
}
