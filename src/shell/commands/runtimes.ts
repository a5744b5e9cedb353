import type { Program } from "../program.ts";

// Interpreters, compilers, linters and test runners run code that the command line doesn't show.
// Only their version is harmless, and the few forms that parse or print a file.

/**
 * Programs that are opaque except for printing their version. Only what surely prints and stops is listed. Many go on
 * to run code: `ava -v`, `swift -v`, `tsx version`; others load the project's code even for `--version` or `--help`
 * (pytest, tox, pylint, flake8, mocha, latexmk; `flask --help`, `scons -h`), or hand over to a copy of themselves in the project
 * (jest, webpack, lerna, nx, turbo, grunt).
 */
const VERSION_ONLY: readonly Program[] = [
  { names: "perl julia lua luajit deno nim groovy", info: "--version -v", opaque: true },
  {
    names:
      "R Rscript ghc runghc stack cabal elixir mix swift swiftc dart ocaml opam racket guile sbcl tsx ts-node esbuild swc babel",
    info: "--version",
    opaque: true,
  },
  { names: "zig crystal", info: "version --version", opaque: true },
  { names: "ghci iex clj clojure scala tclsh wish expect irb psysh emcc", opaque: true },
  {
    names: "java javac jshell kotlin kotlinc scalac",
    info: "-version --version -fullversion -help --help",
    opaque: true,
  },
  {
    names: "gcc g++ cc c++ clang clang++ gfortran mpicc",
    info: "--version -v --help -dumpversion -dumpmachine",
    opaque: true,
  },
  { names: "ld ld.lld lld gold nasm yasm nvcc", info: "--version -v -V --help", opaque: true },
  { names: "as cpp tcc clang-tidy clangd fpc ldc2 dmd", info: "--version --help", opaque: true },
  { names: "tsc eslint prettier vite rollup", info: "--version -v --help -h", opaque: true },
  {
    names:
      "stylelint vitest cypress playwright parcel gulp biome oxlint standard xo next nuxt astro svelte-check vue-tsc tsup nodemon http-server concurrently lint-staged commitlint semantic-release",
    info: "--version",
    opaque: true,
  },
  {
    names: "mocha ava husky rimraf changeset typedoc serve pm2 jest webpack lerna nx turbo grunt karma",
    opaque: true,
  },
  { names: "ruff mypy black isort pyright basedpyright", info: "--version --help", opaque: true },
  {
    names:
      "autopep8 yapf pyupgrade coverage nox jupyter celery gunicorn uvicorn flask django-admin alembic sphinx-build mkdocs twine pre-commit ansible ansible-playbook cookiecutter streamlit locust",
    info: "--version",
    opaque: true,
  },
  {
    names:
      "pytest py.test tox pylint flake8 bandit ipython scrapy rspec rake rails phpunit scons waf latexmk",
    opaque: true,
  },
  { names: "golangci-lint buf dlv ginkgo sqlc", info: "version --version --help -h", opaque: true },
  { names: "staticcheck mockgen protoc swag gosec", info: "--version -version --help -h", opaque: true },
  { names: "gotestsum delve air wire govulncheck", opaque: true },
  {
    names:
      "rustfmt clippy-driver shfmt actionlint markdownlint rubocop ktlint checkstyle swiftlint swiftformat sqlfluff sqlfmt buildifier",
    info: "--version --help",
    opaque: true,
  },
  {
    names:
      "ffmpeg ffprobe convert magick identify pandoc latex pdflatex xelatex inkscape soffice libreoffice wkhtmltopdf asciidoctor gnuplot",
    info: "--version -version",
    opaque: true,
  },
  { names: "dot neato graphviz", info: "-V", opaque: true },
  { names: "gdb lldb strace ltrace perf valgrind dc m4 bpftrace rr", info: "--version", opaque: true },
];

/** Programs with a form that only reads. */
const MIXED: readonly Program[] = [
  { names: "python python3 python2 pypy pypy3", reader: "python" },
  {
    names: "python3.8 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14",
    reader: "python",
  },
  // `--check` parses and stops; anything that could load code besides isn't listed.
  {
    names: "node nodejs",
    style: "exact",
    info: "--version -v --help -h --v8-options",
    options: { flag: "--check -c" },
    opaque: true,
    when: [{ options: "--check -c", operands: "read", instead: true }],
  },
  {
    names: "gofmt",
    style: "single",
    options: { flag: "-l -d -e -s -w", text: "-r", write: "-cpuprofile" },
    recursive: true,
    operands: "read*",
    when: [{ options: "-w", operands: "write*" }],
  },
  // Go's own list of packages may be asked for, in the module's code.
  {
    names: "goimports gofumpt",
    style: "single",
    options: { flag: "-l -d -e -w -extra", text: "-local -srcdir -lang -modpath" },
    recursive: true,
    operands: "read*",
    when: [{ options: "-w", operands: "write*" }],
  },
  {
    names: "clang-format",
    style: "exact",
    info: "--version --help",
    options: { flag: "-n --dry-run --Werror -i", text: "--style --fallback-style --lines --offset --length" },
    // `@file` stands for more options.
    operands: "plain-file*",
    when: [{ options: "-i", operands: "write*" }],
  },
  {
    names: "ruby",
    style: "exact",
    info: "--version -v",
    options: { flag: "-c -w" },
    opaque: true,
    when: [{ options: "-c", operands: "input", instead: true }],
  },
  {
    names: "php",
    style: "exact",
    info: "--version -v -m -i --ini",
    options: { flag: "-l --syntax-check -n --no-php-ini" },
    opaque: true,
    when: [{ options: "-l --syntax-check", operands: "read", instead: true }],
  },
  {
    names: "rustc",
    style: "exact",
    info: "--version -V -vV --help -h",
    options: { flag: "--version -V -v --verbose" },
    opaque: true,
    when: [{ options: "--version -V", operands: "", instead: true }],
  },
  {
    names: "jar",
    style: "exact",
    info: "--version --help",
    commands: [
      { names: "tf tvf ft", style: "exact", operands: "plain-file*" },
      { names: "cf cvf xf xvf uf uvf cfm cfe", system: "makes or unpacks an archive", opaque: true },
    ],
  },
  // `-J…` gives options to the virtual machine, which may load code.
  {
    names: "javap",
    style: "single",
    info: "-version --version -help --help",
    options: {
      flag: "-c -p -private -public -protected -package -v -verbose -l -s -constants -sysinfo",
      read: "-cp -classpath -class-path",
    },
    operands: "plain-file*",
  },
  {
    names: "luac",
    style: "exact",
    info: "-v",
    options: { flag: "-p" },
    opaque: true,
    when: [{ options: "-p", operands: "input*", instead: true }],
  },
];

/** Linters without plug-ins or configuration code. */
const CHECKERS: readonly Program[] = [
  {
    names: "shellcheck",
    style: "exact",
    info: "--version -V --help",
    options: {
      flag: "-a --check-sourced -x --external-sources --list-optional --norc",
      maybe: "-C --color",
      text: "-f --format -i --include -e --exclude -o --enable -s --shell -S --severity -W --wiki-link-count",
      list: "-P --source-path",
      read: "--rcfile",
    },
    operands: "input*",
  },
  {
    names: "hadolint",
    style: "exact",
    info: "--version -v --help -h",
    options: {
      flag: "--no-fail --no-color --verbose -V",
      text: "-f --format --ignore -t --failure-threshold --error --warning --info --style",
      read: "-c --config",
    },
    operands: "input*",
  },
  {
    names: "yamllint",
    style: "exact",
    info: "--version -v --help -h",
    options: {
      flag: "--strict -s --no-warnings --list-files",
      text: "-f --format -d --config-data",
      read: "-c --config-file",
    },
    recursive: true,
    operands: "input*",
  },
];

/** Interpreters, compilers, linters, test runners and their like. */
export const RUNTIMES: readonly Program[] = [...VERSION_ONLY, ...MIXED, ...CHECKERS];
