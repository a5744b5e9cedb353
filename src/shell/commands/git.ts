import type { Program } from "../program.ts";
import { GIT_CHANGE } from "./git-change.ts";
import { GIT_MIXED } from "./git-mixed.ts";
import { GIT_READ } from "./git-read.ts";

/**
 * Git. The pager is `cat` when commands run, so that a log is only printed. Left out, and so unknown: `--git-dir`,
 * `--work-tree`, `--exec-path=…`, `--config-env` (other repositories and programs) and `-p`, `--paginate` (a pager).
 */
export const GIT: readonly Program[] = [
  {
    names: "git",
    options: {
      flag: "-P --no-pager --no-optional-locks --no-replace-objects --no-lazy-fetch --no-advice --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs",
      dir: "-C",
      "git-config": "-c",
    },
    info: "--version --help -v -h --exec-path --html-path --man-path --info-path",
    style: "exact",
    commands: [...GIT_READ, ...GIT_MIXED, ...GIT_CHANGE],
  },
];
