import type { Program } from "../program.ts";

// Verbs that change something are for rules to decide. Options are listed so that a message or a file is
// understood; an option that isn't listed only adds to the reasons for asking.

const INFO = "-h --help";
const REPOSITORY = "changes the repository";
const TREE = "changes files in the work tree";

/** Verbs that start hooks, filters or editors, or take what came from elsewhere. */
const OPAQUE: readonly Program[] = [
  {
    names: "commit",
    style: "exact",
    info: INFO,
    opaque: true,
    options: {
      flag: "-a --all -p --patch -s --signoff --no-signoff --amend --no-edit --edit -e --allow-empty --allow-empty-message -q --quiet -v --verbose -n --no-verify --verify --reset-author --dry-run --short --porcelain --long -z --branch -i --include -o --only --no-gpg-sign --no-post-rewrite --status --no-status --null",
      maybe: "-S --gpg-sign -u --untracked-files",
      text: "-m --message --author --date --trailer -c -C --reedit-message --reuse-message --fixup --squash --cleanup",
      read: "-F --file -t --template --pathspec-from-file",
    },
    operands: "text*",
  },
  {
    names: "checkout switch",
    style: "exact",
    info: INFO,
    opaque: true,
    system: TREE,
    options: {
      flag: "-q --quiet --progress --no-progress -f --force --discard-changes --ours --theirs -l -d --detach --guess --no-guess -m --merge -p --patch --overlay --no-overlay --no-track --ignore-skip-worktree-bits --ignore-other-worktrees --recurse-submodules --no-recurse-submodules --overwrite-ignore --no-overwrite-ignore",
      maybe: "-t --track",
      text: "-b -B -c -C --create --force-create --orphan --conflict",
      read: "--pathspec-from-file",
    },
    operands: "text*",
  },
  {
    names: "merge",
    style: "exact",
    info: INFO,
    opaque: true,
    system: REPOSITORY,
    options: {
      flag: "-n --no-stat --stat --summary --squash --no-squash --commit --no-commit --ff --no-ff --ff-only --abort --quit --continue --allow-unrelated-histories --edit --no-edit -e -q --quiet -v --verbose --progress --no-progress --signoff --no-signoff --no-verify --verify --autostash --no-autostash --verify-signatures --no-verify-signatures --no-gpg-sign --rerere-autoupdate",
      maybe: "--log -S --gpg-sign",
      text: "-m --message -s --strategy -X --strategy-option --into-name --cleanup",
      read: "-F --file",
    },
    operands: "text*",
  },
  {
    names: "rebase",
    style: "exact",
    info: INFO,
    opaque: true,
    system: REPOSITORY,
    options: {
      flag: "--continue --abort --skip --quit --edit-todo --show-current-patch -i --interactive --keep-base --no-ff -f --force-rebase -q --quiet -v --verbose --stat -n --no-stat --no-verify --verify --fork-point --no-fork-point --autosquash --no-autosquash --autostash --no-autostash --root -r --update-refs --no-update-refs --committer-date-is-author-date --reset-author-date --signoff --apply -m --merge",
      maybe: "--rebase-merges --empty",
      text: "--onto -s --strategy -X --strategy-option",
      shell: "-x --exec",
    },
    operands: "text*",
  },
  {
    names: "cherry-pick revert",
    style: "exact",
    info: INFO,
    opaque: true,
    system: REPOSITORY,
    options: {
      flag: "--continue --abort --skip --quit -e --edit --no-edit -x -n --no-commit -s --signoff --ff --allow-empty --allow-empty-message --keep-redundant-commits",
      maybe: "-S --gpg-sign",
      text: "-m --mainline --strategy -X --strategy-option --cleanup",
    },
    operands: "text*",
  },
  {
    names: "am",
    style: "exact",
    info: INFO,
    opaque: true,
    system: REPOSITORY,
    options: {
      flag: "-3 --3way -q --quiet -s --signoff -k --keep --keep-cr --no-keep-cr -c --scissors --no-scissors --continue -r --resolved --skip --abort --quit --reject --ignore-space-change --ignore-whitespace",
      maybe: "--show-current-patch --patch-format --whitespace",
      text: "-p -C --directory --exclude --include",
    },
    operands: "input*",
  },
  {
    names: "pull push fetch clone ls-remote send-pack fetch-pack",
    network: "any",
    opaque: true,
    operands: "git-source*",
  },
  { names: "send-email imap-send request-pull svn p4 cvsimport", network: "any", opaque: true },
  {
    names: "filter-branch filter-repo replay difftool mergetool gui citool gitk instaweb hook",
    opaque: true,
  },
  { names: "lfs annex flow subtree", opaque: true },
];

/** Verbs that change the index, the work tree or references, and do no more. */
const PLAIN: readonly Program[] = [
  {
    names: "add stage",
    style: "exact",
    info: INFO,
    system: "changes the repository's index",
    options: {
      flag: "-n --dry-run -v --verbose -f --force -u --update -A --all --no-all -N --intent-to-add --refresh --ignore-errors --ignore-missing --renormalize --sparse --no-ignore-removal --ignore-removal -p --patch -i --interactive",
      text: "--chmod",
      read: "--pathspec-from-file",
    },
    operands: "text*",
  },
  {
    names: "restore",
    style: "exact",
    info: INFO,
    system: TREE,
    options: {
      flag: "-S --staged -W --worktree -q --quiet --progress --no-progress --ours --theirs -m --merge -p --patch --ignore-unmerged --overlay --no-overlay --ignore-skip-worktree-bits",
      text: "-s --source --conflict",
      read: "--pathspec-from-file",
    },
    operands: "text*",
  },
  {
    names: "reset",
    style: "exact",
    info: INFO,
    system: REPOSITORY,
    options: {
      flag: "--mixed --soft --merge --keep -q --quiet --no-quiet -N --intent-to-add -p --patch --refresh --no-refresh --hard",
      read: "--pathspec-from-file",
    },
    operands: "text*",
    when: [{ options: "--hard", system: "discards changes in the work tree and moves the branch" }],
  },
  {
    names: "clean",
    style: "exact",
    info: INFO,
    options: { flag: "-q --quiet -n --dry-run -f --force -d -x -X", text: "-e --exclude" },
    operands: "text*",
    system: "removes untracked files",
    when: [{ options: "-n --dry-run", instead: true }],
  },
  {
    names: "rm",
    style: "exact",
    info: INFO,
    options: {
      flag: "-n --dry-run --cached -q --quiet --ignore-unmatch --sparse -f --force -r",
      read: "--pathspec-from-file",
    },
    operands: "text*",
    system: "removes files from the work tree and the index",
  },
  {
    names: "mv",
    style: "exact",
    info: INFO,
    options: { flag: "-v --verbose -n --dry-run -f --force -k --sparse" },
    operands: "text*",
    system: "moves files in the work tree and the index",
  },
  {
    names: "init",
    style: "exact",
    info: INFO,
    options: { flag: "-q --quiet --bare", text: "-b --initial-branch --object-format", maybe: "--shared" },
    operands: "text",
    system: "makes a repository",
  },
  // These show what a patch would do, unless `--apply` is given too.
  {
    names: "apply",
    style: "exact",
    info: INFO,
    options: {
      flag: "--stat --numstat --summary --check -z -v --verbose -q --quiet -R --reverse --ignore-space-change --ignore-whitespace --unidiff-zero --inaccurate-eof --recount --allow-empty",
      text: "--exclude --include -p -C --whitespace --directory",
    },
    operands: "input*",
    system: TREE,
    when: [{ options: "--stat --numstat --summary --check", instead: true }],
  },
  {
    names:
      "gc prune repack pack-refs maintenance prune-packed update-index update-ref update-server-info read-tree write-tree mktree mktag commit-tree commit-graph multi-pack-index replace unpack-objects index-pack rerere checkout-index merge-file merge-index pack-objects",
    opaque: true,
    system: REPOSITORY,
  },
];

/** Git's verbs that change things. */
export const GIT_CHANGE: readonly Program[] = [...OPAQUE, ...PLAIN];
