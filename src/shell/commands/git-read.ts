import type { Program } from "../program.ts";
import {
  DIFF_OPTIONS,
  LOG_OPTIONS,
  REF_TEXT,
  REV_LIST_OPTIONS,
  SHOWS_CONTENTS,
  SHOWS_NAMES,
} from "./git-options.ts";

const INFO = "-h --help";

/** Verbs that look at history and differences. */
const HISTORY: readonly Program[] = [
  {
    names: "log whatchanged",
    style: "exact",
    info: INFO,
    options: LOG_OPTIONS,
    contentsBy: SHOWS_CONTENTS,
    operands: "git-object*",
  },
  // A file's contents are shown whatever is said of differences.
  {
    names: "show",
    style: "exact",
    info: INFO,
    options: LOG_OPTIONS,
    repository: "contents",
    operands: "git-object*",
  },
  {
    names: "diff diff-tree diff-index diff-files",
    style: "exact",
    info: INFO,
    options: {
      ...LOG_OPTIONS,
      flag: `${LOG_OPTIONS.flag} --cached --staged -r -1 -2 -3 --base --ours --theirs -0 --no-commit-id --always -v`,
      recursive: "--no-index",
    },
    repository: "contents",
    contentsBy: SHOWS_CONTENTS,
    namesBy: `${SHOWS_NAMES} --no-index`,
    operands: "git-side*",
    when: [{ options: "--no-index", operands: "input*" }],
  },
  {
    names: "range-diff",
    style: "exact",
    info: INFO,
    options: {
      ...DIFF_OPTIONS,
      flag: `${DIFF_OPTIONS.flag} --no-dual-color --dual-color --no-notes --left-only --right-only`,
      maybe: `${DIFF_OPTIONS.maybe} --notes`,
      text: `${DIFF_OPTIONS.text} --creation-factor`,
    },
    repository: "contents",
    operands: "text*",
  },
  {
    names: "rev-list",
    style: "exact",
    info: INFO,
    options: REV_LIST_OPTIONS,
    operands: "git-object*",
  },
  {
    names: "shortlog",
    style: "exact",
    info: INFO,
    options: {
      ...LOG_OPTIONS,
      text: `${LOG_OPTIONS.text.replace("-n ", "").replace(" --committer ", " ")} --group`,
      flag: `${LOG_OPTIONS.flag} -c --committer -n --numbered -s --summary -e --email`,
      maybe: `${LOG_OPTIONS.maybe} -w`,
    },
    operands: "git-object*",
  },
  {
    names: "blame annotate",
    style: "exact",
    info: INFO,
    options: {
      flag: "-b --root --show-stats --progress --no-progress -f --show-name -n --show-number -e --show-email -w -s -l -t -p --porcelain --line-porcelain --incremental -c --score-debug --color-lines --color-by-age --minimal --first-parent",
      maybe: "-C -M --abbrev",
      text: "-L --since --ignore-rev --date --encoding --reverse",
      read: "-S --contents --ignore-revs-file",
    },
    repository: "contents",
    operands: "git-object*",
  },
  {
    names: "cherry",
    style: "exact",
    info: INFO,
    options: { flag: "-v --verbose", maybe: "--abbrev" },
    operands: "text*",
  },
  {
    names: "merge-base",
    style: "exact",
    info: INFO,
    options: { flag: "-a --all --octopus --independent --is-ancestor --fork-point" },
    operands: "text*",
  },
  {
    names: "describe",
    style: "exact",
    info: INFO,
    options: {
      flag: "--contains --debug --all --tags --long --first-parent --exact-match --always",
      maybe: "--abbrev --dirty --broken",
      text: "--candidates --match --exclude",
    },
    operands: "text*",
  },
  {
    names: "name-rev",
    style: "exact",
    info: INFO,
    options: {
      flag: "--name-only --tags --all --stdin --annotate-stdin --undefined --no-undefined --always",
      text: "--refs --exclude",
    },
    operands: "text*",
  },
  {
    names: "show-branch",
    style: "exact",
    info: INFO,
    options: {
      flag: "-a --all -r --remotes --topo-order --date-order --current --no-color --sparse --list --independent --merge-base --no-name --sha1-name --topics",
      maybe: "--color --more -g --reflog",
    },
    operands: "text*",
  },
  {
    names: "patch-id",
    style: "exact",
    info: INFO,
    options: { flag: "--stable --unstable --verbatim" },
    operands: "",
  },
];

/** Verbs that look at the work tree, the index and single objects. */
const STATE: readonly Program[] = [
  {
    names: "status",
    style: "exact",
    info: INFO,
    contentsBy: "-v -vv --verbose",
    options: {
      flag: "-s --short -b --branch --no-branch --show-stash --no-show-stash --long -v -vv --verbose -z --null --ahead-behind --no-ahead-behind --renames --no-renames --no-column",
      maybe: "--porcelain -u --untracked-files --ignore-submodules --ignored --column -M --find-renames",
    },
    operands: "text*",
  },
  {
    names: "rev-parse",
    style: "exact",
    info: INFO,
    options: {
      flag: "--verify -q --quiet --symbolic --symbolic-full-name --all --not --git-dir --absolute-git-dir --git-common-dir --is-inside-git-dir --is-inside-work-tree --is-bare-repository --is-shallow-repository --show-cdup --show-prefix --show-toplevel --show-superproject-working-tree --shared-index-path --revs-only --no-revs --flags --no-flags --local-env-vars --sq --bisect --end-of-options --show-ref-format",
      maybe: "--short --abbrev-ref --branches --tags --remotes --show-object-format --path-format",
      text: "--default --prefix --git-path --disambiguate --since --after --until --before --glob --exclude",
      read: "--resolve-git-dir",
    },
    operands: "text*",
  },
  {
    names: "ls-files",
    style: "exact",
    info: INFO,
    options: {
      flag: "-z -t -v -f -c --cached -d --deleted -o --others -i --ignored -s --stage -u --unmerged -k --killed -m --modified --directory --empty-directory --no-empty-directory --eol --deduplicate --exclude-standard --full-name --recurse-submodules --error-unmatch --debug --sparse --resolve-undo",
      maybe: "--abbrev",
      text: "-x --exclude --exclude-per-directory --with-tree --format",
      read: "-X --exclude-from",
    },
    operands: "text*",
  },
  {
    names: "ls-tree",
    style: "exact",
    info: INFO,
    options: {
      flag: "-d -r -t -z -l --long --name-only --name-status --object-only --full-name --full-tree",
      maybe: "--abbrev",
      text: "--format",
    },
    operands: "text*",
  },
  // `--textconv` and `--filters` start configured programs.
  {
    names: "cat-file",
    style: "exact",
    info: INFO,
    options: {
      flag: "-e -p -t -s --allow-unknown-type --use-mailmap --mailmap --no-use-mailmap -z -Z --batch-all-objects --buffer --follow-symlinks --unordered",
      maybe: "--batch --batch-check --batch-command",
    },
    repository: "contents",
    namesBy: "-e -t -s --batch-check",
    operands: "git-object*",
  },
  {
    names: "for-each-ref",
    style: "exact",
    info: INFO,
    options: {
      flag: "-s --shell -p --perl --python --tcl --ignore-case --omit-empty --no-color --stdin --include-root-refs",
      maybe: "--color",
      text: `--count --exclude ${REF_TEXT}`,
      "git-format": "--format --sort",
    },
    operands: "text*",
  },
  {
    names: "show-ref",
    style: "exact",
    info: INFO,
    options: {
      flag: "--tags --heads --branches --verify --exists --head -d --dereference -q --quiet",
      maybe: "-s --hash --abbrev --exclude-existing",
    },
    operands: "text*",
  },
  {
    names: "count-objects",
    style: "exact",
    info: INFO,
    options: { flag: "-v --verbose -H --human-readable" },
    operands: "",
  },
  {
    names: "check-ignore",
    style: "exact",
    info: INFO,
    options: { flag: "-q --quiet -v --verbose --stdin -z -n --non-matching --no-index" },
    operands: "text*",
  },
  {
    names: "check-attr",
    style: "exact",
    info: INFO,
    options: { flag: "-a --all --cached --stdin -z", text: "--source" },
    operands: "text*",
  },
  // `-O` and `--open-files-in-pager` start a program, `--textconv` a configured one.
  {
    names: "grep",
    recursive: true,
    repository: "search",
    namesBy: "--no-index",
    style: "exact",
    info: INFO,
    options: {
      flag: "--cached --untracked --exclude-standard --no-exclude-standard --recurse-submodules -v --invert-match -i --ignore-case -w --word-regexp -a --text -I --no-textconv -r --recursive --no-recursive -E --extended-regexp -G --basic-regexp -F --fixed-strings -P --perl-regexp -n --line-number --column -h -H --full-name -l --files-with-matches --name-only -L --files-without-match -z --null -o --only-matching -c --count --no-color --break --heading --no-line-number -p --show-function -W --function-context --and --or --not -q --quiet --all-match --no-index --no-ext-grep -#",
      maybe: "--color",
      text: "--max-depth -C --context -B --before-context -A --after-context --threads -e -m --max-count",
      read: "-f",
    },
    operands: "text git-object*",
    when: [
      { options: "--no-index", and: "-e -f", operands: "read*", implied: "." },
      { options: "--no-index", operands: "text read*", implied: "." },
      { options: "-e -f", operands: "git-object*" },
    ],
  },
  {
    names: "fsck",
    style: "exact",
    info: INFO,
    options: {
      flag: "-v --verbose --unreachable --dangling --no-dangling --tags --root --cache --reflogs --no-reflogs --full --no-full --connectivity-only --strict --progress --no-progress --name-objects --no-name-objects --references --no-references",
    },
    operands: "text*",
  },
  {
    names: "verify-pack",
    style: "exact",
    info: INFO,
    options: { flag: "-v --verbose -s --stat-only" },
    operands: "read*",
  },
];

/** Verbs for which no repository is looked at, or nothing but what they are given. */
export const GIT_ALONE: readonly Program[] = [
  { names: "check-mailmap", style: "exact", info: INFO, options: { flag: "--stdin" }, operands: "text*" },
  {
    names: "check-ref-format",
    style: "exact",
    info: INFO,
    options: {
      flag: "--normalize --allow-onelevel --no-allow-onelevel --refspec-pattern --branch --print",
    },
    operands: "text*",
  },
  { names: "var", style: "exact", info: INFO, options: { flag: "-l" }, operands: "text" },
  {
    names: "stripspace",
    style: "exact",
    info: INFO,
    options: { flag: "-s --strip-comments -c --comment-lines" },
    operands: "",
  },
  { names: "get-tar-commit-id", style: "exact", info: INFO, operands: "" },
  {
    names: "hash-object",
    style: "exact",
    info: INFO,
    options: { flag: "--stdin --no-filters --literally", text: "-t" },
    operands: "input*",
  },
  { names: "version", style: "exact", info: INFO, options: { flag: "--build-options" }, operands: "" },
  // `--web` starts a browser and `--info` another viewer.
  {
    names: "help",
    style: "exact",
    options: {
      flag: "-a --all -g --guides -c --config -m --man -v --verbose --no-external-commands --no-aliases --user-interfaces --developer-interfaces",
    },
    operands: "text",
  },
];

/** Git's verbs that only read. */
export const GIT_READ: readonly Program[] = [...HISTORY, ...STATE];
