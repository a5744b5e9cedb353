import type { Program } from "../program.ts";
import { PYTHON_PACKAGES } from "./packages-python.ts";

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
        posix: true,
        listsAlone: true,
        opaque: true,
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
        posix: true,
        listsAlone: true,
        opaque: true,
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
export const PACKAGES: readonly Program[] = [...JAVASCRIPT, ...PYTHON_PACKAGES, ...RUBY_PHP];
