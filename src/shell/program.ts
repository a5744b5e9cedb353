/**
 * The program tables: one data row a program says what each option, operand and subcommand does.
 * What a row doesn't name is unknown, and unknown is never allowed silently.
 */

/** Small languages: kinds with a reader of their own, a function over one value in `readers/`. */
export const VALUE_READERS = [
  "awk",
  "date-format",
  "gh-endpoint",
  "gh-item",
  "gh-repo",
  "git-config",
  "git-format",
  "git-object",
  "git-side",
  "git-source",
  "http-data",
  "http-header",
  "http-method",
  "jq",
  "kube-output",
  "kube-resource",
  "local-file",
  "man-page",
  "mode",
  "pager",
  "plain-file",
  "remote-file",
  "repository",
  "sed",
  "socket-filter",
  "suffix",
  "sysctl",
] as const;

/** One of the small languages. */
export type ReaderName = (typeof VALUE_READERS)[number];

/** Readers over all the words of a program whose command line is a language of its own. */
export const WORDS_READERS = [
  "apply-patch",
  "builtin",
  "chmod",
  "cloud",
  "dd",
  "env",
  "find",
  "jq",
  "python",
  "rsync",
  "shell",
  "sqlite",
  "tar",
  "test",
  "xargs",
  "yq",
] as const;

/** One of them. */
export type WordsReaderName = (typeof WORDS_READERS)[number];

/**
 * What an option's argument, or an operand, means.
 *
 * - `text`: a plain value; no value of it can hurt.
 * - `read` `list` `write` `delete`: a path, and what happens to it.
 * - `input`: `read`, where `-` stands for standard input. `output`: `write`, where `-` stands for standard output.
 * - `into`: `write`, or what the other operands name in it when it is a directory, links there gone through. `over`: the same, whatever the
 *   names. `fill`: `write` of anything below, links to directories gone through. `prefix`: `write` of names that begin so.
 * - `alias`: a file that gets another name, which is as good as reading and changing it.
 * - `dir`: the directory that the program's other relative paths start from.
 * - `run`: a program or code that is started and not looked into.
 * - `argv`: operands only: the rest of the words is a command that is started; it is unwrapped and judged itself.
 * - `shell`: shell code; judged itself when it is literal.
 * - `host` `url`: something on the network that is reached.
 * - the others: small languages with a reader of their own in `readers/`.
 */
export type ValueKind =
  | "text"
  | "read"
  | "input"
  | "list"
  | "write"
  | "output"
  | "into"
  | "over"
  | "fill"
  | "prefix"
  | "alias"
  | "delete"
  | "dir"
  | "run"
  | "argv"
  | "shell"
  | "host"
  | "url"
  | ReaderName;

/**
 * What an option means: `flag` takes no argument, `maybe` only an attached one (`--color=never`, `-n3`), both harmless;
 * `recursive` and `force` are flags that set that property on the operands' effects; any {@link ValueKind} takes an argument.
 */
export type OptionKind = "flag" | "maybe" | "recursive" | "force" | ValueKind;

/** Options by meaning, each a list of names: `{ flag: "-n --number", write: "-o --output" }`. */
export type Options = Readonly<Partial<Record<OptionKind, string>>>;

/** What starting the program does besides its options and operands. */
export interface Does {
  /** Reaches the network: `read` only fetches state with the user's own configuration. */
  readonly network?: "read" | "any";
  /** Changes the machine beyond files; in words. */
  readonly system?: string;
  /** Runs code that the command line doesn't show (scripts, hooks, plug-ins, build files). */
  readonly opaque?: boolean;
  /** Why no allow rule may silence it; in words. */
  readonly danger?: string;
  /** What it shows of the git repository that it works in: names, contents, or contents of all that it keeps now. */
  readonly repository?: "names" | "contents" | "search";
  /** Paths it writes, relative to the working directory, whatever the operands; `*` for any characters. */
  readonly touches?: string;
  /** Directories below which it writes, relative to the working directory, links to directories gone through. */
  readonly fills?: string;
}

/** A variation of a row: holds when any of the named options was given. The first that holds wins. */
export interface When extends Does {
  /** Option names, blank-separated; they must be among the row's options. */
  readonly options: string;
  /** What the row does besides doesn't hold here: only what this variation says (`git clean -n` removes nothing). */
  readonly instead?: true;
  /** Options of which one must have been given too. */
  readonly and?: string;
  readonly operands?: string;
  readonly implied?: string;
}

/** One program, or one subcommand. */
export interface Program extends Does {
  /** Its names, blank-separated; the first is the usual one. */
  readonly names: string;
  /**
   * Reviewed as a whole: there is no option, operand or input with which it writes, runs or connects.
   * Then options that aren't named are harmless too, and words may be unknown.
   */
  readonly safe?: true;
  /** What it does besides holds only with an operand; alone it lists what there is to choose from. */
  readonly listsAlone?: true;
  /** All its words go to this reader; options and operands aren't looked at. */
  readonly reader?: WordsReaderName;
  readonly options?: Options;
  /**
   * What the operands are, in order, blank-separated: `"read write"`, `"text read*"`, `"read* write"`.
   * One kind may carry `*` (any number). `""` is none. Left out: any operand is unknown (`text*` when `safe`).
   */
  readonly operands?: string;
  /** The path that stands in for missing operands of the last kind (`ls` lists `.`, `grep -r foo` reads it). */
  readonly implied?: string;
  /** Nothing stands in where a pipe or a redirection gives the standard input. */
  readonly prefersInput?: true;
  readonly when?: readonly When[];
  readonly commands?: readonly Program[];
  /** Arguments that make it print something and stop, when they are the only one: `"--version -V"`. */
  readonly info?: string;
  /**
   * How options are written. `gnu` (default): bundled short ones, `--long=value`, unambiguous abbreviations, `--help` and
   * `--version` known. `exact`: the same without abbreviations; flags may carry `=true`. `single`: `-name value`, `-name=value`.
   */
  readonly style?: "gnu" | "exact" | "single";
  /** Options end at the first operand. Always so before a subcommand and before `argv`. */
  readonly posix?: true;
  /** A word that may turn out to be an option is taken as an operand: no option does more than the operands' effects say. */
  readonly loose?: true;
  /** So is a glob that ends like a file's name (`*.log`): an option that ends so would at most name a file beside it. */
  readonly looseGlobs?: true;
  /** The operands' effects reach everything below the paths. */
  readonly recursive?: true;
  /** Options that can make it so by their argument (`grep -d recurse`); taken as if they did. */
  readonly recursedBy?: string;
  /** Below the paths it leaves out names that begin with a dot, unless one of these options is given. */
  readonly hidesUnless?: string;
  /** Of the repository it shows contents when one of these options is given; else names only when one of those is. */
  readonly contentsBy?: string;
  readonly namesBy?: string;
  /** Below the paths it goes through the links that it meets, when one of these options is given. */
  readonly followsBy?: string;
  /** Below the paths it goes through the links that it meets, unless one of these options is given. */
  readonly followsUnless?: string;
}
