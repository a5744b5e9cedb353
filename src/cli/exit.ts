/** How the program ends; scripts rely on these. */
export const EXIT = {
  done: 0,
  /** The tool ran and failed, or what was checked is not in order. */
  failed: 1,
  usage: 2,
  denied: 3,
  /** A person has to approve, and nobody could be asked. */
  approvalNeeded: 4,
  /** Stopped with Ctrl-C, as shells count it. */
  interrupted: 130,
} as const;

/** One of the codes above. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
