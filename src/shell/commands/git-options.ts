/** Options that several git verbs share. Text tables in the manner of `Options`. */

const DIFF_FLAGS =
  "-p -u --patch -s --no-patch --raw --minimal --no-minimal --patience --histogram --numstat --shortstat --summary --patch-with-raw --patch-with-stat -z --name-only --name-status --no-color --no-renames --rename-empty --no-rename-empty --check --full-index --no-full-index --binary -D --irreversible-delete --pickaxe-all --pickaxe-regex -R -a --text --no-text --ignore-cr-at-eol --ignore-space-at-eol -b --ignore-space-change -w --ignore-all-space --ignore-blank-lines -W --function-context --no-function-context --exit-code --quiet --no-ext-diff --no-textconv --no-prefix --default-prefix --ita-invisible-in-index --ita-visible-in-index --compact-summary --no-compact-summary --no-indent-heuristic --indent-heuristic --cc -c --dd --combined-all-paths --no-color-moved --no-color-moved-ws --no-relative --no-diff-merges --find-copies-harder --cumulative --no-stat --merge-base --root -t -m -h";
const DIFF_MAYBE =
  "--stat --dirstat --dirstat-by-file --submodule --color --color-moved --color-moved-ws --word-diff --color-words --abbrev -B --break-rewrites -M --find-renames -C --find-copies --relative -U --unified --ignore-submodules -X --diff-merges";
const DIFF_TEXT =
  "-S -G -l --diff-algorithm --anchored --stat-width --stat-name-width --stat-count --stat-graph-width --ws-error-highlight --word-diff-regex --diff-filter --skip-to --rotate-to --inter-hunk-context --src-prefix --dst-prefix --line-prefix --output-indicator-new --output-indicator-old --output-indicator-context --ignore-matching-lines -I --find-object";

/** Options shared by several verbs: each kind's names, so that a verb can add its own. */
export interface SharedOptions {
  readonly flag: string;
  readonly maybe: string;
  readonly text: string;
  readonly read?: string;
  readonly write?: string;
  readonly "git-format"?: string;
}

/** What everything that shows differences takes. `--ext-diff` and `--textconv` start configured programs and are left out. */
export const DIFF_OPTIONS: SharedOptions = {
  flag: DIFF_FLAGS,
  maybe: DIFF_MAYBE,
  text: DIFF_TEXT,
  read: "-O",
  write: "--output",
};

const REV_FLAGS =
  "--all --reflog -g --walk-reflogs --merge --boundary --first-parent --exclude-first-parent-only --merges --no-merges --reverse --date-order --author-date-order --topo-order --graph --no-graph --show-pulls --full-history --dense --sparse --simplify-merges --simplify-by-decoration --cherry --cherry-pick --cherry-mark --left-right --left-only --right-only -i --regexp-ignore-case -E --extended-regexp -F --fixed-strings -P --perl-regexp --basic-regexp --all-match --invert-grep --oneline --no-abbrev --no-abbrev-commit --abbrev-commit --parents --children --no-notes --no-standard-notes --standard-notes --relative-date --no-decorate --source --use-mailmap --mailmap --no-use-mailmap --no-mailmap --log-size --no-log-size --follow --no-follow --full-diff --stdin --bisect --do-walk --no-expand-tabs --in-commit-order --clear-decorations --remove-empty --no-max-parents --no-min-parents --not --ignore-missing --unpacked --single-worktree -q -#";
// Some take their value attached only; the next word is then an option of its own.
const REV_MAYBE =
  "--decorate --notes --show-notes --expand-tabs --branches --tags --remotes --no-walk --min-parents --max-parents --ancestry-path";
const REV_TEXT =
  "-n --max-count --skip --since --after --until --before --since-as-filter --max-age --min-age --author --committer --grep --grep-reflog --date --glob --exclude --exclude-hidden --encoding";

/** What `log` and its relatives take: the walk, the differences, the format. `--show-signature` starts gpg and is left out. */
export const LOG_OPTIONS: SharedOptions = {
  ...DIFF_OPTIONS,
  flag: `${DIFF_FLAGS} ${REV_FLAGS}`,
  maybe: `${DIFF_MAYBE} ${REV_MAYBE}`,
  text: `${DIFF_TEXT} ${REV_TEXT} --decorate-refs --decorate-refs-exclude -L`,
  "git-format": "--format --pretty",
};

/** What `rev-list` takes. */
export const REV_LIST_OPTIONS: SharedOptions = {
  flag: `${REV_FLAGS} --quiet --count --header --timestamp --objects --objects-edge --objects-edge-aggressive --indexed-objects --use-bitmap-index --no-object-names --object-names --bisect-vars --bisect-all --progress --no-commit-header --commit-header --exclude-promisor-objects --no-filter`,
  maybe: `${REV_MAYBE} --disk-usage --missing --abbrev`,
  text: `${REV_TEXT} --filter`,
  "git-format": "--format --pretty",
};

/** What makes a history show differences, or look for text in them. */
export const SHOWS_CONTENTS =
  "-p -u --patch --patch-with-raw --patch-with-stat -c --cc --dd -m --diff-merges -U --unified --word-diff --color-words --binary -L -S -G";

/** What makes differences names and numbers only. */
export const SHOWS_NAMES =
  "--stat --numstat --shortstat --dirstat --dirstat-by-file --cumulative --summary --name-only --name-status --raw -s --no-patch --quiet";

/** What selects references: `branch`, `tag` and `for-each-ref`. */
export const REF_TEXT = "--contains --no-contains --merged --no-merged --points-at";
