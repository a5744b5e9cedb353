import type { Program } from "../program.ts";

// Interpreters, compilers, linters and test runners run code that the command line doesn't show.
// Only their version is harmless, and the few forms that parse or print a file.

/**
 * Programs that are opaque except for printing their version. Only what surely prints and stops is listed: `ava -v`,
 * `grunt -v` and `swift -v` go on to run code, and pytest, tox, pylint or flake8 load the project's code for `--version` too.
 */
const VERSION_ONLY: readonly Program[] = [
  {
    names: "ruby perl php julia lua luajit deno nim crystal groovy",
    info: "--version -v -V",
    opaque: true,
  },
  {
    names:
      "R Rscript ghc runghc stack cabal elixir mix swift swiftc dart zig ocaml opam racket guile sbcl tsx ts-node esbuild swc babel",
    info: "--version version",
    opaque: true,
  },
  { names: "ghci iex clj clojure scala tclsh wish expect irb psysh", opaque: true },
  {
    names: "java javac jar jshell kotlin kotlinc scalac",
    info: "-version --version -fullversion -help --help",
    opaque: true,
  },
  {
    names: "gcc g++ cc c++ clang clang++ gfortran emcc mpicc",
    info: "--version -v --help -dumpversion -dumpmachine",
    opaque: true,
  },
  { names: "rustc ld ld.lld lld gold nasm yasm nvcc", info: "--version -v -V -vV --help", opaque: true },
  { names: "as cpp tcc clang-tidy clangd fpc ldc2 dmd", info: "--version --help", opaque: true },
  { names: "tsc eslint prettier jest vite webpack rollup", info: "--version -v --help -h", opaque: true },
  {
    names:
      "stylelint vitest mocha ava karma cypress playwright parcel turbo nx lerna gulp grunt biome oxlint standard xo next nuxt astro svelte-check vue-tsc tsup nodemon pm2 http-server concurrently lint-staged commitlint semantic-release",
    info: "--version --help",
    opaque: true,
  },
  { names: "husky rimraf changeset typedoc serve", opaque: true },
  {
    names:
      "ruff mypy black isort pyright basedpyright autopep8 yapf pyupgrade coverage nox jupyter celery gunicorn uvicorn flask django-admin alembic sphinx-build mkdocs twine pre-commit ansible ansible-playbook cookiecutter streamlit locust",
    info: "--version --help",
    opaque: true,
  },
  { names: "pytest py.test tox pylint flake8 bandit ipython scrapy rspec rake rails phpunit", opaque: true },
  {
    names:
      "golangci-lint staticcheck gotestsum mockgen protoc buf delve dlv air swag sqlc wire ginkgo gosec govulncheck",
    info: "--version version -version --help -h",
    opaque: true,
  },
  {
    names:
      "rustfmt clippy-driver shfmt actionlint markdownlint rubocop ktlint checkstyle swiftlint swiftformat sqlfluff sqlfmt buildifier",
    info: "--version --help",
    opaque: true,
  },
  {
    names:
      "ffmpeg ffprobe convert magick identify pandoc latex pdflatex xelatex latexmk inkscape soffice libreoffice wkhtmltopdf asciidoctor gnuplot",
    info: "--version -version",
    opaque: true,
  },
  { names: "dot neato graphviz", info: "-V", opaque: true },
  {
    names: "gdb lldb strace ltrace perf valgrind dc m4 bpftrace rr",
    info: "--version",
    opaque: true,
  },
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
    operands: "read*",
    when: [{ options: "-i", operands: "write*" }],
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
