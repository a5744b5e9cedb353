/** Editors by their usual names, found where programs are; what opens one is asked about as such. */
const PLAIN_EDITOR = /^(?:true|:|cat|vi|vim|nvim|nano|emacs|code --wait)$/;

/** Variables that only change how a program's answer looks; with any value. */
const HARMLESS =
  /^(?:LC_[A-Z]+|LANG|LANGUAGE|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|CI|COLUMNS|LINES|TERM|COLORTERM|GIT_TERMINAL_PROMPT|DEBIAN_FRONTEND|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PYTHONIOENCODING|PYTHONHASHSEED|PYTHONUTF8|NODE_ENV|NODE_NO_WARNINGS|RUST_LOG|RUST_BACKTRACE|CARGO_TERM_COLOR|DEBUG|VERBOSE|LOG_LEVEL|DOCKER_BUILDKIT|COMPOSE_DOCKER_CLI_BUILD|BUILDKIT_PROGRESS|GOOS|GOARCH|CGO_ENABLED|GO111MODULE|npm_config_yes|HUSKY|AWS_REGION|AWS_DEFAULT_REGION|GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE))$/;

/** Variables that are harmless with some values: what they name otherwise is started or loaded. */
const HARMLESS_VALUES: ReadonlyMap<string, RegExp> = new Map([
  [
    "NODE_OPTIONS",
    /^(?:\s*--(?:max-(?:old|semi)-space-size=\d+|no-warnings|no-deprecation|trace-warnings|enable-source-maps|experimental-vm-modules))*\s*$/,
  ],
  ["PYTHONWARNINGS", /^(?:ignore|default|error|always|once|module)$/],
  ["EDITOR", PLAIN_EDITOR],
  ["VISUAL", PLAIN_EDITOR],
  ["GIT_EDITOR", PLAIN_EDITOR],
  ["GIT_SEQUENCE_EDITOR", PLAIN_EDITOR],
  ["OPTIND", /^\d+$/],
  // Splitting at fewer of the usual places.
  ["IFS", /^[ \t\n]*$/],
  // With another value git may rewrite its index for what only looks.
  ["GIT_OPTIONAL_LOCKS", /^0$/],
]);

/**
 * Variables of bash's own that hold numbers: it evaluates what they are given as arithmetic, in which a subscript may run a command,
 * and what they hold afterwards is a number of its own.
 */
const COUNTER =
  /^(?:S?RANDOM|SECONDS|LINENO|HISTCMD|BASHPID|BASH_SUBSHELL|EPOCHSECONDS|EPOCHREALTIME|MAILCHECK)$/;

/** True for a variable in which bash keeps a number of its own, whatever it is given. */
export function isCounter(name: string): boolean {
  return COUNTER.test(name);
}

/** True for a variable that the shell sets again as it goes on, or doesn't let anyone set. */
export function isKept(name: string): boolean {
  return /^(?:PWD|OLDPWD|E?UID|PPID|GROUPS|FUNCNAME|DIRSTACK|PIPESTATUS|BASH\w*|_)$/.test(name);
}

/** Pagers, which are harmless when they are `cat` or nothing. */
const PAGER = /^(?:GIT_PAGER|PAGER|MANPAGER|GH_PAGER|AWS_PAGER|SYSTEMD_PAGER|BAT_PAGER|DELTA_PAGER)$/;

/** Variables by which a program is made to load, start or write something else. */
const HOOK =
  /^(?:PATH|HOME|SHELL|TMPDIR|LD_\w+|DYLD_\w+|GCONV_PATH|LOCPATH|NLSPATH|MALLOC_\w+|GIT_\w+|SSH_\w+|GPG_\w+|PERL\w*|PYTHON\w*|RUBY\w*|NODE_\w+|JAVA_\w+|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|CLASSPATH|LUA_\w+|GOFLAGS|GO[A-Z]+|RUSTC\w*|CARGO_\w+|LESS\w*|MORE|PAGER|\w+_?PAGER|\w*EDITOR|VISUAL|BROWSER|XDG_\w+|RIPGREP_CONFIG_PATH|AWKPATH|AWKLIBPATH|TAR_OPTIONS|GZIP|BZIP2?|XZ_\w+|UNZIP\w*|ZIP\w*|RSYNC_\w+|CVS_RSH|\w*ASKPASS|DOCKER_\w+|KUBE\w+|AWS_(?!(?:DEFAULT_)?PROFILE$)\w+|GCC_\w+|COMPILER_PATH|CC|CXX|CFLAGS|MAKEFLAGS|MAKEFILES|MFLAGS|npm_config_\w+|NPM_CONFIG_\w+|OPENSSL_\w+|TEXINPUTS|GREP_OPTIONS|\w+_proxy|\w+_PROXY|DBUS_\w+|DISPLAY)$/;

/** Variables by which the shell itself is changed. */
const SHELL =
  /^(?:IFS|PS[0-4]|PROMPT_COMMAND|BASH\w*|ENV|SHELLOPTS|GLOBIGNORE|EXECIGNORE|HIST\w+|POSIXLY_CORRECT|FUNCNEST|COMP\w*|READLINE_\w+|FCEDIT|CHILD_MAX|TMOUT|MAIL\w*|INPUTRC|OPT(?:IND|ERR)|DIRSTACK|CDPATH|FPATH|ZDOTDIR|_)$/;

/** Variables that replace any program or what any program loads. */
const LOADER = /^(?:PATH|LD_\w+|DYLD_\w+|GCONV_PATH)$/;

/** What setting a variable can do. */
export type NameRisk = "none" | "environment" | "hook" | "loader" | "shell";

/** What it means that a variable is set in the environment of programs. */
export function exportRisk(name: string, value: string | null): NameRisk {
  if (HARMLESS.test(name) || (value !== null && isHarmlessValue(name, value))) return "none";
  if (COUNTER.test(name) || SHELL.test(name)) return "shell";
  if (LOADER.test(name)) return "loader";
  return HOOK.test(name) ? "hook" : "environment";
}

function isHarmlessValue(name: string, value: string): boolean {
  if (PAGER.test(name)) return value === "cat" || value === "";
  if (COUNTER.test(name)) return /^\d+$/.test(value);
  return HARMLESS_VALUES.get(name)?.test(value) === true;
}

/** What it means that a variable is set in the shell only; one that was exported before goes on to programs. */
export function assignRisk(name: string, value: string | null): NameRisk {
  const risk = exportRisk(name, value);
  return risk === "environment" ? "none" : risk;
}

/** A plain variable name, with nothing in it that the shell would evaluate. */
export function isPlainName(text: string): boolean {
  return /^[A-Za-z_]\w*$/.test(text);
}
