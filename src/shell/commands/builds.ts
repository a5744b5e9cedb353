import type { Program } from "../program.ts";

// Build files are code, so that builds are opaque. What only prints is listed.

const GO_LIST: Program = {
  names: "list",
  style: "single",
  info: "-h -help --help",
  // Left out: `-u`, `-versions` (network), `-export`, `-compiled` (run cgo), `-mod`, `-modfile`, `-toolexec`.
  options: {
    flag: "-m -deps -test -e -find -retracted -v -race",
    maybe: "-json",
    text: "-f -tags",
    dir: "-C",
  },
  operands: "text*",
};

const GO: Program = {
  names: "go",
  style: "single",
  info: "version help env",
  options: {},
  commands: [
    { names: "version", style: "single", options: { flag: "-m -v -json" }, operands: "read*", info: "-h" },
    // `-w` and `-u` change the settings.
    {
      names: "env",
      style: "single",
      options: { flag: "-json -changed", dir: "-C" },
      operands: "text*",
      info: "-h",
    },
    GO_LIST,
    {
      names: "doc",
      style: "single",
      info: "-h -help --help",
      options: { flag: "-all -c -cmd -short -src -u", dir: "-C" },
      operands: "text*",
    },
    { names: "help", style: "single", operands: "text*" },
    {
      names: "mod",
      style: "single",
      info: "-h help",
      commands: [
        { names: "edit", style: "single", options: { flag: "-json -print" }, operands: "read", info: "-h" },
        {
          names: "tidy download vendor init graph verify why",
          network: "any",
          opaque: true,
          info: "-h -help --help",
        },
      ],
    },
    {
      names: "build test run install get generate fmt fix vet clean tool work bug telemetry",
      opaque: true,
      info: "-h -help --help",
    },
  ],
};

const RUST: readonly Program[] = [
  {
    names: "cargo",
    style: "exact",
    info: "--version -V -vV --list --help -h help",
    options: { flag: "-q --quiet -v --verbose --offline --locked --frozen", text: "--color" },
    commands: [
      { names: "version", style: "exact", options: { flag: "-v --verbose" }, operands: "" },
      {
        names: "locate-project read-manifest verify-project",
        style: "exact",
        info: "--help -h",
        options: { flag: "--workspace", text: "--message-format", read: "--manifest-path" },
        operands: "",
      },
      { names: "help", style: "exact", operands: "text" },
      {
        names:
          "build b check c test t run r bench doc d clean clippy fmt fix install uninstall update add remove rm new init publish package vendor fetch generate-lockfile search info login logout owner yank metadata tree rustc rustdoc nextest expand audit outdated make watch llvm-cov miri",
        opaque: true,
        network: "any",
        info: "--help -h",
      },
    ],
  },
  {
    names: "rustup",
    style: "exact",
    info: "--version -V --help -h",
    options: { flag: "-q --quiet -v --verbose" },
    commands: [
      {
        names: "toolchain target component",
        style: "exact",
        commands: [
          {
            names: "list",
            style: "exact",
            options: { flag: "-v --verbose -q --quiet --installed", text: "--toolchain" },
            operands: "",
          },
          { names: "install add remove uninstall link", network: "any", opaque: true },
        ],
      },
      { names: "which", style: "exact", options: { text: "--toolchain" }, operands: "text" },
      { names: "show update install default override run doc self check set", network: "any", opaque: true },
    ],
  },
];

const OTHERS: readonly Program[] = [
  { names: "gradle", style: "exact", info: "--version -v --help -h -?", network: "any", opaque: true },
  { names: "ant buck2", style: "exact", info: "-version --version", opaque: true },
  // These fetch their own version, evaluate the project, or take options for their virtual machine from it (`.mvn/jvm.config`,
  // `.jvmopts`), before they print anything.
  {
    names: "mvn mvnd sbt lein mill bazel bazelisk pants please bmake flutter fastlane gradlew mvnw",
    network: "any",
    opaque: true,
  },
  // Even `make -n` runs `$(shell …)`.
  { names: "make gmake", style: "exact", info: "--version -v --help -h", opaque: true },
  { names: "just task", style: "exact", info: "--version -V --help -h", opaque: true },
  {
    names: "cmake ctest cpack",
    style: "exact",
    info: "--version -version --help -h -help --help-command-list --help-module-list --help-variable-list --help-policy-list",
    opaque: true,
  },
  {
    names: "ninja meson autoreconf autoconf automake libtool conan vcpkg",
    style: "exact",
    info: "--version -V --help -h",
    opaque: true,
  },
  {
    names: "dotnet",
    style: "exact",
    info: "--version --info --list-sdks --list-runtimes --help -h",
    network: "any",
    opaque: true,
  },
  {
    names: "msbuild nuget xcodebuild xcrun pod",
    style: "exact",
    info: "--version -version --help",
    network: "any",
    opaque: true,
  },
  {
    names: "pkg-config pkgconf",
    style: "exact",
    info: "--version --help",
    options: {
      flag: "--cflags --libs --exists --modversion --list-all --list-package-names --print-errors --short-errors --silence-errors --static --cflags-only-I --cflags-only-other --libs-only-l --libs-only-L --libs-only-other --print-requires --print-provides --print-variables",
      text: "--variable --atleast-version --exact-version --max-version",
    },
    operands: "text*",
  },
];

/** Build tools. */
export const BUILDS: readonly Program[] = [GO, ...RUST, ...OTHERS];
