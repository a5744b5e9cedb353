/** Which shell reads a text: bash; `sh`, which is dash, busybox or bash itself; or another one, whose rules are its own. */
export type Dialect = "bash" | "sh" | "other";

/** The dialect of a program that is given shell code. Every other program than a shell that takes code hands it to `sh`. */
export function dialectOf(program: string): Dialect {
  if (program === "bash") return "bash";
  return /^(?:zsh|ksh|mksh|fish|csh|tcsh)$/.test(program) ? "other" : "sh";
}

/** What all shells read alike: plain words, quotes, lists and pipes, and the two redirections that everybody writes. */
const EVERYWHERE = /^[\w\s./:,@%+;|'"-]*$/;
const ORDINARY_PAIRS = /&&|2>&1|[12]?>\s*\/dev\/null\b/g;

/** Expansions that only bash has, quoted or not, and variables that only bash sets. */
const BASH_VALUE =
  /\$['"[]|\$\{!|\$\{\w+(?:\[|:(?![-+=?])|[/^,@])|\$\{?(?:RANDOM|SECONDS|LINENO|E?UID|PIPESTATUS|FUNCNAME|EPOCH\w*|SHLVL|COLUMNS|LINES|BASH\w*|HOST\w+|OSTYPE|MACHTYPE|GROUPS|DIRSTACK|REPLY)\b/;

/** Syntax that `sh` reads otherwise than bash, or not at all. A descriptor of two digits is a word and a redirection there. */
const BASH_SYNTAX =
  /&>|>&(?!\s*[\d-])|\|&|[<>]\(|<<<|\[\[|(?<!\$)\(\(|(?<!\$)\{(?=[^{}]*\})[^{}\s]*?(?:,|\.\.)|\w\+?=\(|\w\+=|[?*+@!]\(|\{\w+\}[<>]|;;?&|\d\d[<>]|~[-+]/;

/** Words that mean something to bash that they don't mean to `sh`; an alias is used there by the lines that follow. */
const BASH_WORD =
  /(?:^|[\s;&|({])(?:alias|builtin|coproc|declare|dirs|disown|enable|function|let|local|mapfile|popd|pushd|readarray|select|shopt|source|suspend|time|trap|typeset|exec\s+-|set\s+[-+]o|read\s+-[^r]|type\s+-)(?=[\s;&|)]|$|\w)/;

/** A variable set before one of these stays set in `sh`, where in bash it is gone with the command. */
const KEPT_VALUE =
  /(?:\w=[^\s;&|(){]*|[)`"'])\s+(?:[:.]|break|continue|eval|exec|exit|export|readonly|return|set|shift|times|trap|unset)(?=[\s;&|)]|$)/;

const QUOTED = /\\[\s\S]|'[^']*'|"(?:\\[\s\S]|[^"\\])*"/g;

/** Whether a shell of this dialect may read the text otherwise than bash, by whose rules it is judged. In doubt it may. */
export function readsOtherwise(text: string, dialect: Dialect): boolean {
  if (dialect === "bash") return false;
  if (dialect === "other") {
    // zsh finds programs by `path`, which may be read like any other variable.
    return !EVERYWHERE.test(text.replace(ORDINARY_PAIRS, " ")) || /\b(?:read|getopts|vared)\b/.test(text);
  }
  if (BASH_VALUE.test(text)) return true;
  const substitutes = /\$\(|`/.test(text);
  // `echo` makes other text of backslashes there.
  if (substitutes && text.includes("\\") && /\becho\b/.test(text)) return true;
  // Where a substitution may have quotes of its own in it, quoted pieces aren't told apart from others.
  const bare = substitutes ? text : text.replace(QUOTED, "q");
  return BASH_SYNTAX.test(bare) || BASH_WORD.test(bare) || KEPT_VALUE.test(bare);
}
