import type { Program } from "../program.ts";
import { LOG_OPTIONS, REF_TEXT, SHOWS_CONTENTS } from "./git-options.ts";

// Verbs that read or change, by their options or subcommands.

const INFO = "-h --help";
const CHANGES = "changes the repository";

const REFERENCES: readonly Program[] = [
  {
    names: "branch",
    style: "exact",
    info: INFO,
    options: {
      flag: "-a --all -r --remotes -l --list -v -vv --verbose -q --quiet --show-current --no-column --no-color -i --ignore-case --omit-empty --no-abbrev",
      maybe: "--color --column --abbrev",
      text: REF_TEXT,
      "git-format": "--format --sort",
    },
    // A name alone makes a branch; with these options it is a pattern.
    operands: "",
    when: [
      { options: "-l --list --contains --no-contains --merged --no-merged --points-at", operands: "text*" },
    ],
  },
  {
    names: "tag",
    style: "exact",
    info: INFO,
    options: {
      flag: "-l --list --no-column --no-color -i --ignore-case --omit-empty",
      maybe: "-n --color --column",
      text: REF_TEXT,
      "git-format": "--format --sort",
    },
    operands: "",
    when: [
      {
        options: "-l --list -n --contains --no-contains --merged --no-merged --points-at",
        operands: "text*",
      },
    ],
  },
  {
    names: "symbolic-ref",
    style: "exact",
    info: INFO,
    options: { flag: "-q --quiet --short --recurse --no-recurse" },
    operands: "text",
  },
  {
    names: "reflog",
    style: "exact",
    info: INFO,
    options: LOG_OPTIONS,
    contentsBy: SHOWS_CONTENTS,
    operands: "",
    commands: [
      // A reference may stand where a subcommand does.
      {
        names: "show HEAD @ main master develop stash",
        style: "exact",
        options: LOG_OPTIONS,
        contentsBy: SHOWS_CONTENTS,
        operands: "git-object*",
      },
      { names: "list", style: "exact", operands: "" },
      { names: "exists", style: "exact", operands: "text" },
      {
        names: "expire delete drop write",
        opaque: true,
        system: "removes entries of the reference log",
      },
    ],
  },
  {
    names: "remote",
    style: "exact",
    info: INFO,
    options: { flag: "-v --verbose" },
    operands: "",
    commands: [
      { names: "get-url", style: "exact", options: { flag: "--push --all" }, operands: "text" },
      { names: "show update prune", style: "exact", network: "any", operands: "text*" },
      {
        names: "add set-url rename rm remove set-head set-branches",
        style: "exact",
        system: "changes the repository's remotes",
        options: { flag: "-f --tags --no-tags --push --add --delete -a --auto -d", text: "-t -m" },
        operands: "text*",
      },
    ],
  },
];

const SETTINGS_FLAGS =
  "--global --system --local --worktree --bool --int --bool-or-int --bool-or-str --path --expiry-date -z --null --name-only --includes --no-includes --show-origin --show-scope --fixed-value";

const CONFIG: Program = {
  names: "config",
  style: "exact",
  info: INFO,
  options: {
    flag: `${SETTINGS_FLAGS} --get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool -l --list`,
    text: "-t --type --default --blob",
    read: "-f --file",
  },
  contentsBy: "--blob",
  // One name is looked up; a second word is its new value.
  operands: "text",
  when: [
    {
      options: "--get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool -l --list",
      operands: "text*",
    },
  ],
  commands: [
    {
      names: "get list",
      style: "exact",
      options: {
        flag: `${SETTINGS_FLAGS} --all --regexp --show-names --no-show-names`,
        text: "--type --default --blob --value --url",
        read: "-f --file",
      },
      operands: "text",
    },
    {
      names: "set unset rename-section remove-section",
      style: "exact",
      system: "changes Git's settings",
      options: { flag: `${SETTINGS_FLAGS} --all --append`, text: "--type --value --comment" },
      operands: "text*",
    },
    { names: "edit", opaque: true },
  ],
};

const LISTS: readonly Program[] = [
  // Without a subcommand it stashes: unknown, since a parent's effects hold for its subcommands too.
  {
    names: "stash",
    style: "exact",
    info: INFO,
    options: {
      flag: "-p --patch -S --staged -k --keep-index --no-keep-index -q --quiet -u --include-untracked -a --all",
      text: "-m --message",
    },
    commands: [
      {
        names: "list",
        style: "exact",
        options: LOG_OPTIONS,
        contentsBy: SHOWS_CONTENTS,
        operands: "git-object*",
      },
      {
        names: "show",
        style: "exact",
        options: { ...LOG_OPTIONS, flag: `${LOG_OPTIONS.flag} --include-untracked --only-untracked` },
        contentsBy: SHOWS_CONTENTS,
        operands: "text*",
      },
      {
        names: "push save pop apply drop clear branch create store",
        style: "exact",
        opaque: true,
        system: "stashes or restores changes of the work tree",
        options: {
          flag: "-p --patch -S --staged -k --keep-index --no-keep-index -q --quiet -u --include-untracked -a --all --index",
          text: "-m --message",
          read: "--pathspec-from-file",
        },
        operands: "text*",
      },
    ],
  },
  {
    names: "worktree",
    style: "exact",
    info: INFO,
    commands: [
      { names: "list", style: "exact", options: { flag: "-v --verbose --porcelain -z" }, operands: "" },
      { names: "add move remove", opaque: true, system: "changes the list of work trees" },
      { names: "lock unlock prune repair", opaque: true, system: CHANGES },
    ],
  },
  {
    names: "notes",
    style: "exact",
    info: INFO,
    options: { text: "--ref" },
    operands: "",
    commands: [
      { names: "list show", style: "exact", operands: "text" },
      { names: "get-ref", style: "exact", operands: "" },
      { names: "add append copy edit merge remove prune", opaque: true, system: CHANGES },
    ],
  },
  {
    names: "submodule",
    style: "exact",
    info: INFO,
    options: { flag: "-q --quiet" },
    operands: "",
    commands: [
      {
        names: "status",
        style: "exact",
        options: { flag: "--cached --recursive -q --quiet" },
        operands: "text*",
      },
      {
        names: "update add sync init deinit set-url set-branch absorbgitdirs",
        network: "any",
        opaque: true,
      },
      { names: "foreach summary", opaque: true },
    ],
  },
  {
    names: "bisect",
    style: "exact",
    info: INFO,
    commands: [
      {
        names: "log terms",
        style: "exact",
        options: { flag: "--term-good --term-bad --term-old --term-new" },
        operands: "",
      },
      {
        names: "start good bad new old skip reset run replay visualize view next",
        opaque: true,
        system: CHANGES,
      },
    ],
  },
  {
    names: "sparse-checkout",
    style: "exact",
    info: INFO,
    commands: [
      { names: "list", style: "exact", operands: "" },
      { names: "init set add reapply disable", opaque: true, system: CHANGES },
    ],
  },
  {
    names: "bundle",
    style: "exact",
    info: INFO,
    commands: [
      {
        names: "verify list-heads",
        style: "exact",
        options: { flag: "-q --quiet" },
        operands: "read text*",
      },
      { names: "create unbundle", opaque: true, system: CHANGES },
    ],
  },
  // Other forms start compressors, write a file or reach a remote.
  {
    names: "archive",
    style: "exact",
    info: INFO,
    options: { flag: "-l --list" },
    repository: "contents",
    opaque: true,
    when: [{ options: "-l --list", operands: "", instead: true }],
  },
];

/** Git's verbs that read in one form and change in another. */
export const GIT_MIXED: readonly Program[] = [...REFERENCES, CONFIG, ...LISTS];
