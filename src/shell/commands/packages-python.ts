import type { Program } from "../program.ts";

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

/** Package managers of Python. */
export const PYTHON_PACKAGES: readonly Program[] = [
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
