/**
 * What a command may know of the host's environment. A list of names rather than a list of secrets: a provider's key, a
 * token or a cloud credential is left out because nobody put it in.
 */
const PASSED: ReadonlySet<string> = new Set(
  [
    "PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR HOSTNAME TOOLGATE_RUN_ID",
    // Where tool chains are installed.
    "NVM_DIR NVM_BIN VOLTA_HOME FNM_DIR PNPM_HOME BUN_INSTALL DENO_DIR NODE_PATH COREPACK_HOME",
    "JAVA_HOME MAVEN_HOME M2_HOME GRADLE_HOME GRADLE_USER_HOME ANDROID_HOME ANDROID_SDK_ROOT SDKMAN_DIR",
    "GOPATH GOROOT GOBIN GOCACHE GOMODCACHE GOPROXY CARGO_HOME RUSTUP_HOME DOTNET_ROOT",
    "PYENV_ROOT VIRTUAL_ENV CONDA_PREFIX CONDA_EXE RBENV_ROOT GEM_HOME GEM_PATH ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR",
    "HOMEBREW_PREFIX HOMEBREW_CELLAR NIX_PATH NIX_PROFILES LD_LIBRARY_PATH PKG_CONFIG_PATH",
    // How the network is reached.
    "HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY FTP_PROXY http_proxy https_proxy no_proxy all_proxy ftp_proxy",
    "SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO PIP_CERT",
    "NODE_USE_SYSTEM_CA CARGO_HTTP_CAINFO AWS_CA_BUNDLE",
    // Without these nothing starts on Windows.
    "SystemRoot SYSTEMROOT windir COMSPEC ComSpec PATHEXT TEMP TMP USERPROFILE USERNAME APPDATA LOCALAPPDATA",
    "ProgramData ProgramFiles ProgramFiles(x86) Path",
  ].flatMap((line) => line.split(" ")),
);

const PASSED_PREFIXES = ["LC_", "XDG_"] as const;

/** Output that doesn't depend on a terminal, and no question that nobody can answer. */
const STABLE: Readonly<Record<string, string>> = {
  TERM: "dumb",
  PAGER: "cat",
  MANPAGER: "cat",
  GIT_PAGER: "cat",
  GH_PAGER: "cat",
  SYSTEMD_PAGER: "cat",
  AWS_PAGER: "",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_EDITOR: "true",
  GIT_MERGE_AUTOEDIT: "no",
  GCM_INTERACTIVE: "never",
  GH_PROMPT_DISABLED: "1",
  NO_UPDATE_NOTIFIER: "1",
  DEBIAN_FRONTEND: "noninteractive",
};

/** What programs are told besides when a run may not write: to leave alone what they would write or start on their own account. */
export const READ_ONLY_ENVIRONMENT: Readonly<Record<string, string>> = {
  GIT_CONFIG_COUNT: "2",
  // A program that a repository's own settings name.
  GIT_CONFIG_KEY_0: "core.fsmonitor",
  GIT_CONFIG_VALUE_0: "false",
  // A difference that turns out to be none rewrites the index, optional locks or not.
  GIT_CONFIG_KEY_1: "diff.autoRefreshIndex",
  GIT_CONFIG_VALUE_1: "false",
  // A log of every run, and the question whether there is a newer npm.
  npm_config_logs_max: "0",
  npm_config_update_notifier: "false",
};

/** What the local backend's environment is made from. */
export interface EnvironmentSource {
  readonly host: Readonly<Record<string, string | undefined>>;
  /** More names to pass on from the host. */
  readonly inherit: readonly string[];
  /** Set whatever the host says. */
  readonly set: Readonly<Record<string, string>>;
}

/** The environment that every command starts from. */
export function baseEnvironment(source: EnvironmentSource): Readonly<Record<string, string>> {
  const wanted = new Set(source.inherit);
  const passes = (name: string): boolean =>
    PASSED.has(name) || wanted.has(name) || PASSED_PREFIXES.some((prefix) => name.startsWith(prefix));
  const passed = Object.entries(source.host).flatMap(([name, value]) =>
    value !== undefined && passes(name) ? [[name, value] as const] : [],
  );
  return { ...Object.fromEntries(passed), ...STABLE, ...source.set };
}
