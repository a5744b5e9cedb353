import type { ParsedScript, SyntaxNode } from "unbash";

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
  loaded = { parse, forEachChild };
}

/** The parser, when it has been loaded. */
export function parser(): Parser | undefined {
  return loaded;
}
