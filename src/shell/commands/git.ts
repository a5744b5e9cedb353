import type { Program } from "../program.ts";
import { GIT_CHANGE } from "./git-change.ts";
import { GIT_MIXED } from "./git-mixed.ts";
import { GIT_ALONE, GIT_READ } from "./git-read.ts";

/** Where nothing else is said, names of the repository are shown. */
function inRepository(rows: readonly Program[]): readonly Program[] {
  return rows.map((row) => ({
    ...(row.opaque === true ? {} : { repository: "names" as const }),
    ...row,
    ...(row.commands === undefined ? {} : { commands: inRepository(row.commands) }),
  }));
}

/**
 * Git. The pager is `cat` when commands run, so that a log is only printed. Left out, and so unknown: `--exec-path=…`, `--config-env`
 * (programs) and `-p`, `--paginate` (a pager).
 */
export const GIT: readonly Program[] = [
  {
    names: "git",
    options: {
      flag: "-P --no-pager --no-optional-locks --no-replace-objects --no-lazy-fetch --no-advice --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs",
      dir: "-C",
      "git-config": "-c",
      repository: "--git-dir --work-tree",
    },
    info: "--version --help -v -h --exec-path --html-path --man-path --info-path",
    style: "exact",
    commands: [...inRepository([...GIT_READ, ...GIT_MIXED]), ...GIT_ALONE, ...GIT_CHANGE],
  },
];
