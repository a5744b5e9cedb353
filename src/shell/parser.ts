import type { Command, ParsedScript, ParseError, SyntaxNode } from "unbash";

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
    if (node.type === "Command") errors.push(...missedIn(source, node));
    forEachChild(node, visit);
  };
  forEachChild(script, visit);
  return errors.length === 0 ? script : { ...script, errors: [...(script.errors ?? []), ...errors] };
}

function missedIn(source: string, { name, args, redirects }: Command): ParseError[] {
  for (const redirect of redirects) {
    if (redirect.type !== "Redirect" || redirect.operator.endsWith("&")) continue;
    const { target } = redirect;
    if (target !== undefined && /^\d+$/.test(target.text) && /[<>]/.test(source[target.end] ?? "")) {
      return [{ message: "a number where a file's name belongs", pos: target.pos }];
    }
  }
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
