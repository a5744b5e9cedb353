/** How an answer about a command is worded and cut, in the terms of the tool that ran it. */
export interface Manner {
  /** Characters of the output's start that are shown. */
  readonly head: number;
  /** Characters of its end. */
  readonly tail: number;
  /** How to see more of a saved output; `line` is the first that isn't shown, where that is known. */
  readonly readOn: (line: number | undefined) => string;
  /** How its time is said, in the terms in which it is given. */
  readonly time: (ms: number) => string;
  /** What to do when it was stopped for its time. */
  readonly moreTime: string;
}

/** Bash's own. */
export const BASH_MANNER: Manner = {
  head: 12_000,
  tail: 18_000,
  readOn: (line) => {
    const offset = line === undefined ? "" : `, offset: ${line}`;
    return `Go on with Read {file_path${offset}} or search it with Grep.`;
  },
  time: (ms) => `${ms} ms`,
  moreTime: "Give a longer timeout (600000 at most), or set run_in_background.",
};
