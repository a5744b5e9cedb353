/**
 * Names that are protected, as data. All lower case; compared without regard to case. `protected`: changing it asks, whatever rules
 * say, since it decides what runs or who may come in later. `secret`: reading it asks as well, since its content is a key.
 */
export type Sensitivity = "protected" | "secret";

/** One kind of name and what it is, in words for the person who is asked. */
export interface NameRow {
  readonly is: Sensitivity;
  readonly what: string;
  readonly names: readonly string[];
}

/** File names, wherever they lie. `*` stands for any characters. */
export const FILE_NAMES: readonly NameRow[] = [
  {
    is: "protected",
    what: "a shell start-up file",
    names: [
      ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zprofile",
      ".zshenv", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", "config.fish", ".inputrc", ".xprofile",
      ".xinitrc", ".xsession", ".xsessionrc", ".pam_environment", ".tmux.conf", ".screenrc", ".vimrc", ".exrc", ".nvimrc",
    ],
  },
  { is: "protected", what: "git configuration", names: [".gitconfig", ".gitmodules", ".git"] },
  {
    is: "protected",
    what: "package manager configuration",
    names: [".yarnrc", ".yarnrc.yml", "pip.conf", ".condarc", ".bunfig.toml", ".pnpmfile.cjs", ".curlrc", ".wgetrc"],
  },
  { is: "protected", what: "an SSH access list", names: ["authorized_keys", "authorized_keys2", "known_hosts"] },
  { is: "protected", what: "a scheduled task", names: ["crontab"] },
  {
    is: "protected",
    what: "continuous integration configuration",
    names: [
      ".gitlab-ci.yml", ".gitlab-ci.yaml", "jenkinsfile", ".travis.yml", "azure-pipelines.yml", "azure-pipelines.yaml",
      "bitbucket-pipelines.yml", ".drone.yml", ".woodpecker.yml", ".cirrus.yml", "appveyor.yml", ".appveyor.yml",
    ],
  },
  {
    is: "protected",
    what: "git hook configuration",
    names: [".pre-commit-config.yaml", "lefthook.yml", ".lefthook.yml", ".huskyrc", ".lintstagedrc"],
  },
  {
    is: "protected",
    what: "an agent's settings",
    names: [".mcp.json", "mcp.json", ".claude.json", ".cursorrules", ".windsurfrules", ".clinerules", ".aider.conf.yml"],
  },
  { is: "protected", what: "a directory's environment loader", names: [".envrc"] },
  { is: "secret", what: "environment secrets", names: [".env", ".env.*", ".env-*", ".env_*"] },
  {
    is: "secret",
    what: "stored credentials",
    names: [
      ".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials", ".pgpass", ".my.cnf", ".mylogin.cnf", ".s3cfg", ".boto",
      ".dockercfg", ".vault-token", ".terraformrc", "terraform.rc", "credentials.tfrc.json", ".credentials.json",
      "application_default_credentials.json", "service-account*.json", "serviceaccount*.json", ".htpasswd", ".rclone.conf",
      "rclone.conf", ".smbcredentials",
    ],
  },
  {
    is: "secret",
    what: "a private key",
    names: [
      "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", "*_rsa", "*_ed25519", "*.ppk", "*.p12",
      "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.key", "*key.pem", "*.key.pem", "ssh_host_*_key", "secring.gpg",
    ],
  },
  {
    is: "secret",
    what: "a keychain",
    names: ["*.keychain", "*.keychain-db", "logins.json", "key3.db", "key4.db", "login data", "*.keyring", "wallet.dat"],
  },
  {
    is: "secret",
    what: "a command history",
    names: [
      ".bash_history", ".zsh_history", ".sh_history", ".python_history", ".psql_history", ".mysql_history",
      ".sqlite_history", ".node_repl_history", ".rediscli_history", "fish_history",
    ],
  },
];

/** Names that look like one of the above and are made to be shared. */
export const PUBLIC_FILE_NAMES: readonly string[] = [
  ".env.example", ".env.*.example", ".env.sample", ".env.*.sample", ".env.template", ".env.*.template", ".env.dist",
  ".env.defaults", ".env.schema", ".env.tpl", ".env-example", ".env_example", "*.pub", "*public*key.pem", "*pubkey.pem",
];

/** One directory, as the components it ends in, and what everything below it is. */
export interface DirectoryRow {
  readonly is: Sensitivity;
  readonly what: string;
  readonly paths: readonly string[];
  /** Paths that begin here, with `*`, and are not protected. */
  readonly except?: readonly string[];
  /** Secret directories: files in it that are protected from changes only. */
  readonly readable?: readonly string[];
}

/** Directories, wherever they lie below the project, the home or the root. */
export const DIRECTORY_NAMES: readonly DirectoryRow[] = [
  { is: "protected", what: "git's own files", paths: [".git"] },
  {
    is: "secret",
    what: "SSH keys",
    paths: [".ssh"],
    readable: ["config", "config.d/*", "known_hosts", "known_hosts.old", "authorized_keys", "authorized_keys2", "*.pub"],
  },
  { is: "secret", what: "GnuPG keys", paths: [".gnupg"], readable: ["gpg.conf", "gpg-agent.conf", "dirmngr.conf"] },
  { is: "secret", what: "AWS credentials", paths: [".aws"], readable: ["config"] },
  { is: "secret", what: "Azure credentials", paths: [".azure"], readable: ["config"] },
  {
    is: "secret",
    what: "Google Cloud credentials",
    paths: [".config/gcloud"],
    readable: ["configurations/*", "active_config"],
  },
  { is: "secret", what: "Kubernetes credentials", paths: [".kube"], readable: ["cache/*"] },
  { is: "secret", what: "Docker credentials", paths: [".docker/config.json"] },
  { is: "secret", what: "GitHub credentials", paths: [".config/gh/hosts.yml", ".config/hub"] },
  {
    is: "secret",
    what: "stored credentials",
    paths: [
      ".config/git/credentials", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".m2/settings.xml",
      ".m2/settings-security.xml", ".composer/auth.json", ".config/composer/auth.json", ".config/op", ".codex/auth.json",
      ".terraform.d/credentials.tfrc.json", ".config/rclone", ".config/doctl", ".config/heroku", ".fly/config.yml",
      ".local/share/keyrings", ".password-store", "library/keychains", ".config/google-chrome", ".config/chromium",
      ".mozilla/firefox", "library/application support/google/chrome", "library/application support/firefox",
    ],
  },
  { is: "protected", what: "an editor's settings, which can run programs", paths: [".vscode", ".idea", ".fleet", ".zed"] },
  {
    is: "protected",
    what: "an agent's settings",
    paths: [".claude", ".cursor", ".windsurf", ".codex", ".gemini", ".qwen", ".continue", ".roo", ".cline", ".opencode"],
    except: [".claude/worktrees/*"],
  },
  { is: "protected", what: "toolgate's own settings and records", paths: [".toolgate", "data/audit_logs"] },
  { is: "protected", what: "git hooks", paths: [".husky", ".githooks", ".git-hooks"] },
  {
    is: "protected",
    what: "continuous integration configuration",
    paths: [".github/workflows", ".github/actions", ".circleci", ".buildkite", ".gitea/workflows", ".forgejo/workflows"],
  },
  { is: "protected", what: "a development container's settings, which can run programs", paths: [".devcontainer"] },
  {
    is: "protected",
    what: "something that starts by itself",
    paths: [
      ".config/autostart", ".config/systemd", ".local/share/systemd", "library/launchagents", "library/launchdaemons",
      ".config/fish", ".config/environment.d", ".config/git", ".config/pip", ".config/nvim", ".bashrc.d", ".zshrc.d",
      ".oh-my-zsh", ".local/share/applications", "start menu/programs/startup",
    ],
  },
];

/** Places of the system, from the root. */
export const SYSTEM_PATHS: readonly DirectoryRow[] = [
  {
    is: "secret",
    what: "password hashes",
    paths: ["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/master.passwd", "/etc/security/opasswd"],
  },
  { is: "secret", what: "sudo's rules", paths: ["/etc/sudoers", "/etc/sudoers.d"] },
  {
    is: "secret",
    what: "private keys of the system",
    paths: [
      "/etc/ssl/private", "/etc/pki/tls/private", "/etc/letsencrypt/live", "/etc/letsencrypt/archive", "/etc/wireguard",
      "/etc/kubernetes", "/var/lib/kubelet", "/run/secrets", "/var/run/secrets",
    ],
  },
  {
    is: "secret",
    what: "the memory of the machine",
    paths: ["/dev/mem", "/dev/kmem", "/dev/port", "/proc/kcore", "/proc/kmem"],
  },
  {
    is: "protected",
    what: "scheduled tasks",
    paths: ["/var/spool/cron", "/var/spool/at", "/var/at", "/usr/lib/cron"],
  },
  {
    is: "protected",
    what: "a directory of the system",
    paths: [
      "/etc", "/private/etc", "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/boot", "/sys", "/proc", "/system",
      "/library", "/var/lib/dpkg", "/var/lib/rpm", "/var/lib/systemd", "/run/systemd", "c:/windows", "c:/program files",
      "c:/program files (x86)", "c:/programdata",
    ],
  },
];

/** Files under `/proc/<pid>/` that hold another process' secrets. */
export const PROCESS_SECRETS: readonly string[] = ["environ", "mem"];
