import type { HereDoc, Redirect, Redirection, Word } from "unbash";
import { type Arg, dynamic } from "./arg.ts";
import { connect, emitPath, unknown } from "./emit.ts";
import { expandOne, expandParts, expandWord } from "./expand.ts";
import type { Run, Scope } from "./run.ts";

/** What is known of a command's standard input: text, `null` when unknown, `undefined` when it is not redirected. */
export type Stdin = string | null | undefined;

/** Adds the effects of redirections and tells what standard input holds. */
export function applyRedirects(run: Run, redirects: readonly Redirection[]): Stdin {
  let stdin: Stdin;
  for (const redirect of redirects) {
    const text = applyRedirect(run, redirect);
    if (text !== undefined) stdin = text;
  }
  return stdin;
}

function applyRedirect(run: Run, node: Redirection): Stdin {
  if (node.type === "HereDoc") return hereDoc(run, node);
  if (node.target === undefined) {
    unknown(run, null, "a redirection without a target");
    return undefined;
  }
  if (node.type === "HereString") return expandOne(run, node.target).value;
  const target = targetOf(run, node.target);
  if (node.descriptor?.type === "FileDescriptorVariable") {
    unknown(run, target, "opens a file descriptor for later commands");
  }
  applyFile(run, node, target);
  return node.operator.startsWith("<") && (node.descriptor === undefined || isZero(node)) ? null : undefined;
}

/** The one word that a target becomes; where it may become several, bash opens nothing, and other shells the word as it stands. */
function targetOf(run: Run, word: Word): Arg {
  const [first, another] = expandWord(run, word);
  if (first !== undefined && another === undefined) return first;
  return dynamic("", { start: word.pos, end: word.end }, true);
}

function isZero(node: Redirect): boolean {
  return node.descriptor?.type === "FileDescriptor" && node.descriptor.value === 0;
}

function hereDoc(run: Scope, node: HereDoc): Stdin {
  const { body, delimiter, closing } = node;
  const span = { start: node.pos, end: body.end };
  if (closing === undefined) unknown({ ...run, span }, null, "a here-document without its end");
  if (delimiter?.quoted === true || body.parts === undefined) return body.text;
  return expandParts(run, body.parts, span).value;
}

function applyFile(run: Run, node: Redirect, target: Arg): void {
  const { operator } = node;
  if ((operator === "<&" || operator === ">&") && duplicates(run, node, target)) return;
  const socket = target.value === null ? null : /^\/dev\/(?:tcp|udp)\/([^/]*)/.exec(target.value);
  if (socket !== null) connect(run, target, false, socket[1]);
  else if (operator === "<" && isGiven(target)) {
    unknown(run, target, "a redirection from a name that may stand for a connection");
  } else if (operator === "<" && target.value !== "") emitPath(run, "read", target);
  else if (target.pattern || target.value === "") {
    unknown(run, target, "a redirection to a name that the shell completes");
  } else emitPath(run, "write", target, { redirect: true });
}

/** Whether a substitution gives the whole name: bash connects when it is `/dev/tcp/host/port`. */
function isGiven({ value, substituted, ending }: Arg): boolean {
  return value === null && substituted && ending === undefined;
}

/** Judges a redirection to another descriptor; `false` when it turns out to name a file. */
function duplicates(run: Run, { operator, target: word }: Redirect, target: Arg): boolean {
  // Bash ends the redirection at the dash, and takes what is glued to it for a word of the command.
  if (/^-./.test(word?.text ?? "")) {
    const danger = "a word is glued to the dash that closes a file descriptor";
    unknown(run, target, danger, danger);
    return true;
  }
  if (target.value !== null && /^(?:\d+-?|-)$/.test(target.value)) return true;
  if (operator === "<&" || target.value === null) {
    unknown(run, target, "duplicates a file descriptor that isn't known");
    return true;
  }
  if (/^[\w./+:@%,=-]+$/.test(target.value)) return false;
  // Bash expands this target twice, its quotes notwithstanding: what they kept from running runs.
  const danger = "bash expands the target of >& a second time, quoted or not";
  unknown(run, target, "a target that is expanded twice", danger);
  return true;
}
