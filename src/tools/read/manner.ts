/** How a file is shown, in the terms of the tool that shows it. */
export interface ReadManner {
  /** The parameter that names the first line to show. */
  readonly start: string;
  /** Lines have their numbers before them. */
  readonly numbered: boolean;
  /** What shows other parts of a line that was clipped. */
  readonly inLine: string;
  /** What changes a file in its own encoding. */
  readonly editor: string;
  readonly editors: string;
}

/** Read's own. */
export const READ_MANNER: ReadManner = {
  start: "offset",
  numbered: true,
  inLine: "Grep or Bash (cut -c)",
  editor: "Edit",
  editors: "Edit and Write",
};
