import type { Program } from "../program.ts";

const NPM_LIST_FLAGS =
  "-a --all -g --global -l --long -p --parseable --json --package-lock-only --link --unicode --no-unicode -s --silent -d --dev --prod --production --omit-dev -ws --workspaces --include-workspace-root -r --recursive -P -D --only-projects --no-optional --no-color --no-update-notifier";

const JAVASCRIPT: readonly Program[] = [
  {
    names: "npm",
    style: "exact",
    info: "--version -v --help -h -l",
    options: {
      flag: "-g --global -s --silent --json --no-update-notifier --no-color --no-fund --no-audit",
      dir: "--prefix -C",
      text: "--loglevel -w --workspace",
    },
    operands: "",
    commands: [
      {
        names: "list ls la ll explain why query",
        style: "exact",
        options: {
          flag: NPM_LIST_FLAGS,
          text: "--depth --omit --include --loglevel -w --workspace",
          dir: "--prefix",
        },
        operands: "text*",
      },
      {
        names: "prefix root bin help",
        style: "exact",
        options: { flag: "-g --global" },
        operands: "",
      },
      // Alone it lists the scripts.
      {
        names: "run run-script rum urn",
        style: "exact",
        options: {
          flag: "--json -s --silent --if-present -ws --workspaces",
          text: "-w --workspace",
          dir: "--prefix",
        },
        operands: "run text*",
      },
      {
        names: "config c",
        style: "exact",
        commands: [
          {
            names: "get list ls",
            style: "exact",
            options: { flag: "-g --global -l --long --json", text: "-L --location" },
            operands: "text*",
          },
          { names: "set delete edit fix", system: "changes npm's settings", opaque: true },
        ],
      },
      { names: "get", style: "exact", operands: "text*" },
      {
        names: "pkg",
        style: "exact",
        commands: [
          { names: "get", style: "exact", operands: "text*" },
          { names: "set delete fix", touches: "package.json", opaque: true },
        ],
      },
      {
        names:
          "view info show v outdated audit ping search s find whoami dist-tag access owner team profile token star stars fund doctor",
        network: "any",
        opaque: true,
      },
      {
        names:
          "install i in add ci clean-install install-test it cit test t tst start stop restart exec x init create innit publish unpublish deprecate uninstall un remove rm r unlink update up upgrade udpate rebuild rb link ln prune dedupe ddp pack version explore edit set cache shrinkwrap login logout adduser",
        network: "any",
        opaque: true,
      },
    ],
  },
  {
    names: "pnpm",
    style: "exact",
    info: "--version -v --help -h",
    options: { flag: "-r --recursive -s --silent -w --workspace-root", text: "--filter -F", dir: "-C --dir" },
    commands: [
      {
        names: "list ls la ll why",
        style: "exact",
        options: { flag: NPM_LIST_FLAGS, text: "--depth --filter -F" },
        operands: "text*",
      },
      { names: "root bin", style: "exact", options: { flag: "-g --global" }, operands: "" },
      {
        names: "config c",
        style: "exact",
        commands: [
          { names: "get list ls", style: "exact", options: { flag: "-g --global --json" }, operands: "text" },
        ],
      },
      {
        names: "run run-script",
        style: "exact",
        options: { flag: "-s --silent --if-present" },
        operands: "run text*",
      },
      {
        names:
          "install i add remove rm uninstall un update up upgrade import rebuild rb prune link ln unlink dlx exec create init publish pack patch fetch test t start store env setup audit outdated dedupe deploy",
        network: "any",
        opaque: true,
      },
    ],
  },
  {
    names: "yarn yarnpkg",
    style: "exact",
    info: "--version -v --help -h",
    options: { flag: "-s --silent", dir: "--cwd" },
    commands: [
      {
        names: "list",
        style: "exact",
        options: { flag: "--json --prod --production -s --silent --no-progress", text: "--depth --pattern" },
        operands: "text*",
      },
      { names: "why", style: "exact", options: { flag: "-R --recursive --json --peers" }, operands: "text" },
      {
        names: "config",
        style: "exact",
        options: { flag: "--json --verbose --why" },
        operands: "",
        commands: [{ names: "get list", style: "exact", options: { flag: "--json" }, operands: "text" }],
      },
      { names: "bin", style: "exact", options: { flag: "-v --verbose --json" }, operands: "text" },
      {
        names:
          "install add remove upgrade up run exec dlx create init publish pack version link unlink test start build info outdated audit global cache set dedupe import workspace workspaces plugin node",
        network: "any",
        opaque: true,
      },
    ],
  },
  {
    names: "bun",
    style: "exact",
    info: "--version -v --revision --help -h",
    options: {},
    commands: [
      {
        names: "pm",
        style: "exact",
        commands: [
          { names: "ls bin hash-print version", style: "exact", options: { flag: "--all -g" }, operands: "" },
        ],
      },
      {
        names:
          "install i add remove rm update run test x build init create publish link unlink dev start exec upgrade outdated audit patch",
        network: "any",
        opaque: true,
      },
    ],
  },
  {
    names: "npx bunx pnpx pnpm-exec",
    style: "exact",
    info: "--version -v --help -h",
    network: "any",
    opaque: true,
  },
  {
    names: "corepack volta fnm n nvm",
    style: "exact",
    info: "--version -v --help -h",
    opaque: true,
    network: "any",
  },
];

const PIP_READING: readonly Program[] = [
  {
    names: "list freeze",
    style: "exact",
    info: "-h --help",
    options: {
      flag: "-l --local --user --not-required -e --editable --include-editable --exclude-editable --pre -v --verbose -q --quiet --no-color --disable-pip-version-check --no-python-version-warning --isolated --no-input --all --no-index",
      text: "--format --exclude",
      list: "--path",
      read: "-r --requirement",
      write: "--log --log-file --local-log",
    },
    operands: "",
  },
  {
    names: "show",
    style: "exact",
    info: "-h --help",
    options: {
      flag: "-f --files -v --verbose -q --quiet --no-color --disable-pip-version-check --isolated --no-input",
      write: "--log --log-file --local-log",
    },
    operands: "text*",
  },
  {
    names: "check",
    style: "exact",
    info: "-h --help",
    options: { flag: "-q --quiet -v --verbose --disable-pip-version-check" },
    operands: "",
  },
];

const PYTHON: readonly Program[] = [
  {
    names: "pip pip3",
    style: "exact",
    info: "--version -V --help -h help",
    options: { flag: "--disable-pip-version-check --no-color -q -v --isolated --no-input" },
    operands: "",
    commands: [
      ...PIP_READING,
      {
        names: "config",
        style: "exact",
        options: { flag: "--global --user --site" },
        commands: [
          { names: "list debug", style: "exact", operands: "" },
          { names: "get", style: "exact", operands: "text" },
          { names: "set unset edit", system: "changes pip's settings", opaque: true },
        ],
      },
      {
        names: "cache",
        style: "exact",
        commands: [
          { names: "dir info list", style: "exact", options: { text: "--format" }, operands: "text" },
          { names: "remove purge", opaque: true },
        ],
      },
      {
        names: "inspect debug",
        style: "exact",
        options: { flag: "-l --local --user -v --verbose", list: "--path" },
        operands: "",
      },
      { names: "hash", style: "exact", options: { text: "-a --algorithm" }, operands: "read*" },
      { names: "install uninstall download wheel index search lock", network: "any", opaque: true },
    ],
  },
  {
    names: "uv",
    style: "exact",
    info: "--version -V --help -h version",
    options: { flag: "-q --quiet -v --verbose --no-progress --offline --no-color", text: "--color" },
    commands: [
      {
        names: "pip",
        style: "exact",
        commands: [
          {
            names: "list show freeze check tree",
            style: "exact",
            options: {
              flag: "-e --editable --exclude-editable --strict --system --no-system -q --quiet -v --verbose --no-dedupe --invert --show-version-specifiers -f --files",
              text: "--format --exclude --depth -d --prune --package --color",
            },
            operands: "text*",
          },
          { names: "install uninstall sync compile", network: "any", opaque: true },
        ],
      },
      { names: "cache", style: "exact", commands: [{ names: "dir", style: "exact", operands: "" }] },
      {
        names: "tool",
        style: "exact",
        commands: [
          { names: "dir", style: "exact", operands: "" },
          {
            names: "list",
            style: "exact",
            options: { flag: "--show-paths --show-version-specifiers" },
            operands: "",
          },
          { names: "run install uninstall upgrade", network: "any", opaque: true },
        ],
      },
      { names: "self", style: "exact", commands: [{ names: "version", style: "exact", operands: "" }] },
      {
        names: "run sync add remove lock init venv build publish export tree python",
        network: "any",
        opaque: true,
      },
    ],
  },
  { names: "uvx", style: "exact", info: "--version -V --help", network: "any", opaque: true },
  {
    names: "poetry",
    style: "exact",
    info: "--version -V --help -h list about",
    options: { flag: "-n --no-interaction -q --quiet --no-ansi --ansi -v -vv -vvv", dir: "-C --directory" },
    commands: [
      {
        names: "show",
        style: "exact",
        options: {
          flag: "-t --tree --all -a --top-level -T --why --no-ansi -q",
          text: "--with --without --only",
        },
        operands: "text*",
      },
      { names: "version", style: "exact", options: { flag: "-s --short --no-ansi" }, operands: "run" },
      {
        names: "env",
        style: "exact",
        commands: [
          {
            names: "list info",
            style: "exact",
            options: { flag: "--full-path -p --path -e --executable" },
            operands: "",
          },
        ],
      },
      {
        names:
          "install add remove update lock run shell build publish init new config check self export cache",
        network: "any",
        opaque: true,
      },
    ],
  },
  {
    names: "pipx pipenv pdm hatch rye conda-build",
    style: "exact",
    info: "--version --help -h",
    network: "any",
    opaque: true,
  },
  {
    names: "conda mamba micromamba",
    style: "exact",
    info: "--version -V --help -h",
    options: {},
    commands: [
      {
        names: "list",
        style: "exact",
        options: {
          flag: "--json --export -e --explicit -f --full-name -c --canonical --no-pip --revisions -r",
          text: "-n --name",
          list: "-p --prefix",
        },
        operands: "text",
      },
      {
        names: "info",
        style: "exact",
        options: { flag: "--json -e --envs -a --all -s --system --base" },
        operands: "",
      },
      {
        names: "env",
        style: "exact",
        commands: [{ names: "list", style: "exact", options: { flag: "--json" }, operands: "" }],
      },
      {
        names: "install create remove update run activate deactivate init config clean search",
        network: "any",
        opaque: true,
      },
    ],
  },
];

const RUBY_PHP: readonly Program[] = [
  {
    names: "gem",
    style: "exact",
    info: "--version -v --help -h help",
    options: {},
    commands: [
      {
        names: "list",
        style: "exact",
        options: {
          flag: "-l --local -a --all -d --details -i --installed --versions --no-versions -q --quiet --prerelease -e --exact",
          text: "-v --version",
        },
        operands: "text*",
      },
      { names: "environment env", style: "exact", operands: "text" },
      {
        names: "which contents",
        style: "exact",
        options: { flag: "-a --all --no-prefix -l --lib-only" },
        operands: "text*",
      },
      {
        names:
          "install uninstall update push build fetch cleanup search info outdated owner yank exec pristine sources",
        network: "any",
        opaque: true,
      },
    ],
  },
  // A Gemfile and Composer's plug-ins are code.
  {
    names: "bundle bundler composer",
    style: "exact",
    info: "--version -v -V --help -h",
    network: "any",
    opaque: true,
  },
];

/** Package managers of languages. */
export const PACKAGES: readonly Program[] = [...JAVASCRIPT, ...PYTHON, ...RUBY_PHP];
