import type { Program } from "../program.ts";

// Left out everywhere: `--web` (starts a browser), `--hostname` (goes elsewhere), `--show-token` (prints a secret).

const OUTPUT = { text: "--json -t --template", jq: "-q --jq", "gh-repo": "-R --repo" } as const;
const READS = { style: "exact", network: "read", info: "-h --help" } as const;
const CHANGES = { network: "any", opaque: true, info: "-h --help" } as const;

const PR: Program = {
  names: "pr",
  style: "exact",
  info: "-h --help",
  options: { "gh-repo": "-R --repo" },
  commands: [
    {
      ...READS,
      names: "list ls",
      options: {
        ...OUTPUT,
        flag: "-d --draft",
        text: `${OUTPUT.text} --app -a --assignee -A --author -B --base -H --head -l --label -L --limit -S --search -s --state`,
      },
      operands: "",
    },
    { ...READS, names: "view", options: { ...OUTPUT, flag: "-c --comments" }, operands: "gh-item" },
    {
      ...READS,
      names: "diff",
      options: { flag: "--name-only --patch", text: "--color -e --exclude", "gh-repo": "-R --repo" },
      operands: "gh-item",
    },
    { ...READS, names: "status", options: { ...OUTPUT, flag: "-c --conflict-status" }, operands: "" },
    {
      ...READS,
      names: "checks",
      options: { ...OUTPUT, flag: "--watch --fail-fast --required", text: `${OUTPUT.text} -i --interval` },
      operands: "gh-item",
    },
    {
      ...CHANGES,
      names:
        "create new edit checkout co review comment merge close reopen ready lock unlock update-branch revert",
    },
  ],
};

const ISSUE: Program = {
  names: "issue",
  style: "exact",
  info: "-h --help",
  options: { "gh-repo": "-R --repo" },
  commands: [
    {
      ...READS,
      names: "list ls",
      options: {
        ...OUTPUT,
        text: `${OUTPUT.text} --app -a --assignee -A --author -l --label -L --limit --mention -m --milestone -S --search -s --state --type`,
      },
      operands: "",
    },
    { ...READS, names: "view", options: { ...OUTPUT, flag: "-c --comments" }, operands: "gh-item" },
    { ...READS, names: "status", options: OUTPUT, operands: "" },
    {
      ...CHANGES,
      names: "create new edit close reopen comment delete transfer pin unpin lock unlock develop",
    },
  ],
};

const ACTIONS: readonly Program[] = [
  {
    names: "run",
    style: "exact",
    info: "-h --help",
    options: { "gh-repo": "-R --repo" },
    commands: [
      {
        ...READS,
        names: "list ls",
        options: {
          ...OUTPUT,
          flag: "-a --all",
          text: `${OUTPUT.text} -b --branch -c --commit --created -e --event -L --limit -s --status -u --user -w --workflow`,
        },
        operands: "",
      },
      {
        ...READS,
        names: "view",
        options: {
          ...OUTPUT,
          flag: "--log --log-failed -v --verbose --exit-status",
          text: `${OUTPUT.text} -a --attempt -j --job`,
        },
        operands: "text",
      },
      {
        ...READS,
        names: "watch",
        options: { flag: "--exit-status --compact", text: "-i --interval", "gh-repo": "-R --repo" },
        operands: "text",
      },
      { ...CHANGES, names: "rerun cancel delete download" },
    ],
  },
  {
    names: "workflow",
    style: "exact",
    info: "-h --help",
    options: { "gh-repo": "-R --repo" },
    commands: [
      {
        ...READS,
        names: "list ls",
        options: { ...OUTPUT, flag: "-a --all", text: `${OUTPUT.text} -L --limit` },
        operands: "",
      },
      {
        ...READS,
        names: "view",
        options: { flag: "-y --yaml", text: "-r --ref", "gh-repo": "-R --repo" },
        operands: "text",
      },
      { ...CHANGES, names: "run enable disable" },
    ],
  },
  {
    names: "cache",
    style: "exact",
    options: { "gh-repo": "-R --repo" },
    commands: [
      {
        ...READS,
        names: "list ls",
        options: { ...OUTPUT, text: `${OUTPUT.text} -k --key -L --limit -O --order -r --ref -S --sort` },
        operands: "",
      },
      { ...CHANGES, names: "delete" },
    ],
  },
];

const REPOSITORY: readonly Program[] = [
  {
    names: "repo",
    style: "exact",
    info: "-h --help",
    commands: [
      {
        ...READS,
        names: "view",
        options: { ...OUTPUT, text: `${OUTPUT.text} -b --branch` },
        operands: "gh-repo",
      },
      {
        ...READS,
        names: "list ls",
        options: {
          ...OUTPUT,
          flag: "--archived --no-archived --fork --source",
          text: `${OUTPUT.text} -l --language -L --limit --topic --visibility`,
        },
        operands: "text",
      },
      {
        ...CHANGES,
        names:
          "clone create new delete edit fork rename sync archive unarchive deploy-key set-default garden autolink",
      },
    ],
  },
  {
    names: "release",
    style: "exact",
    info: "-h --help",
    options: { "gh-repo": "-R --repo" },
    commands: [
      {
        ...READS,
        names: "list ls",
        options: {
          ...OUTPUT,
          flag: "--exclude-drafts --exclude-pre-releases",
          text: `${OUTPUT.text} -L --limit -O --order`,
        },
        operands: "",
      },
      { ...READS, names: "view", options: OUTPUT, operands: "text" },
      { ...CHANGES, names: "create new delete delete-asset download edit upload verify verify-asset" },
    ],
  },
  {
    names: "label",
    style: "exact",
    options: { "gh-repo": "-R --repo" },
    commands: [
      {
        ...READS,
        names: "list ls",
        options: { ...OUTPUT, text: `${OUTPUT.text} -L --limit --order -S --search --sort` },
        operands: "",
      },
      { ...CHANGES, names: "clone create delete edit" },
    ],
  },
  {
    names: "ruleset rs",
    style: "exact",
    options: { "gh-repo": "-R --repo" },
    commands: [
      {
        ...READS,
        names: "list ls",
        options: { flag: "-p --parents", text: "-L --limit -o --org", "gh-repo": "-R --repo" },
        operands: "",
      },
      {
        ...READS,
        names: "view",
        options: { flag: "-p --parents", text: "-o --org", "gh-repo": "-R --repo" },
        operands: "text",
      },
      { ...READS, names: "check", options: { flag: "--default", "gh-repo": "-R --repo" }, operands: "text" },
    ],
  },
  {
    names: "variable",
    style: "exact",
    options: { "gh-repo": "-R --repo" },
    commands: [
      {
        ...READS,
        names: "list ls get",
        options: { ...OUTPUT, text: `${OUTPUT.text} -e --env -o --org` },
        operands: "text",
      },
      { ...CHANGES, names: "set delete remove" },
    ],
  },
  // A secret's value is never shown.
  {
    names: "secret",
    style: "exact",
    options: { "gh-repo": "-R --repo" },
    commands: [
      {
        ...READS,
        names: "list ls",
        options: { ...OUTPUT, flag: "-u --user", text: `${OUTPUT.text} -a --app -e --env -o --org` },
        operands: "",
      },
      { ...CHANGES, names: "set delete remove" },
    ],
  },
];

const SEARCH_TEXT = `${OUTPUT.text} -L --limit --order --sort --owner --repo --language --license --topic --stars --forks --size --updated --created --visibility --match --number-topics --good-first-issues --help-wanted-issues --followers --assignee --author --author-date --author-email --author-name --committer --committer-date --committer-email --committer-name --hash --parent --tree --merges --closed --commenter --comments --interactions --involves --label --mentions --milestone --project --reactions --state --team-mentions --app --base -B --head -H --checks --review --review-requested --reviewed-by --merged-at --extension --filename`;

const SEARCH: Program = {
  names: "search",
  style: "exact",
  info: "-h --help",
  commands: [
    {
      ...READS,
      names: "repos issues prs code commits",
      options: {
        text: SEARCH_TEXT,
        jq: "-q --jq",
        flag: "--archived --include-forks --no-assignee --no-label --no-milestone --no-project --locked --include-prs --merged --draft --merge",
        maybe: "--include-forks",
      },
      operands: "text*",
    },
  ],
};

const REST: readonly Program[] = [
  { ...READS, names: "status", options: { text: "-e --exclude -o --org" }, operands: "" },
  {
    names: "auth",
    style: "exact",
    commands: [
      { ...READS, names: "status", options: { flag: "-a --active" }, operands: "" },
      { ...CHANGES, names: "login logout refresh setup-git switch token" },
    ],
  },
  {
    names: "gist",
    style: "exact",
    commands: [
      {
        ...READS,
        names: "list ls",
        options: { flag: "--public --secret --include-content", text: "-L --limit --filter" },
        operands: "",
      },
      {
        ...READS,
        names: "view",
        options: { flag: "--files -r --raw", text: "-f --filename" },
        operands: "gh-item",
      },
      { ...CHANGES, names: "create new edit delete clone rename" },
    ],
  },
  {
    names: "project",
    style: "exact",
    commands: [
      {
        ...READS,
        names: "list ls view item-list field-list",
        options: { flag: "--closed", text: "--format --owner -L --limit -t --template", jq: "-q --jq" },
        operands: "text",
      },
      {
        ...CHANGES,
        names:
          "create edit delete close copy item-add item-create item-edit item-delete item-archive field-create field-delete link unlink mark-template",
      },
    ],
  },
  {
    names: "ssh-key gpg-key org extension ext alias",
    style: "exact",
    commands: [
      { ...READS, names: "list ls", options: { text: "-L --limit" }, operands: "" },
      { ...CHANGES, names: "add delete create install remove upgrade exec browse search set import" },
    ],
  },
  {
    names: "config",
    style: "exact",
    commands: [
      { names: "get", style: "exact", operands: "text" },
      { names: "list ls", style: "exact", operands: "" },
      { names: "set clear-cache", system: "changes gh's settings", opaque: true },
    ],
  },
  // With a field, an input or another method it changes something, and none of these is listed.
  {
    ...READS,
    names: "api",
    options: {
      flag: "-i --include --paginate --slurp --silent --verbose",
      text: "-t --template -p --preview --cache",
      jq: "-q --jq",
      "http-header": "-H --header",
      "http-method": "-X --method",
    },
    operands: "gh-endpoint",
  },
  { names: "completion", style: "exact", options: { text: "-s --shell" }, operands: "" },
  { names: "help version", style: "exact", operands: "text*" },
  { ...CHANGES, names: "browse codespace cs attestation at copilot agent-task" },
];

/** GitHub's command line. */
export const GH: readonly Program[] = [
  {
    names: "gh",
    style: "exact",
    info: "--version --help -h",
    commands: [PR, ISSUE, ...ACTIONS, ...REPOSITORY, SEARCH, ...REST],
  },
];
