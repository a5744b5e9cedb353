/** Programs that run what stands behind them, words or a text, which no table takes apart. */
export const STARTERS: ReadonlySet<string> = new Set([
  "strace",
  "ltrace",
  "perf",
  "valgrind",
  "rr",
  "unbuffer",
  "watch",
  "npx",
  "bunx",
  "pnpx",
  "uvx",
  "script",
  "su",
  "ssh",
  "tmux",
  "screen",
]);

/**
 * Programs that run another and change nothing about what it does: an allow rule for the inner command covers it behind these. All
 * others (`sudo`, `ssh`, `docker`, …) change who runs it or where, and must be named by the rule.
 */
export const TRANSPARENT_WRAPPERS: ReadonlySet<string> = new Set([
  "time",
  "timeout",
  "nice",
  "ionice",
  "chrt",
  "taskset",
  "nohup",
  "stdbuf",
  "setsid",
  "env",
  "command",
  "builtin",
  "exec",
  "xargs",
  "parallel",
  "find",
  "fd",
  "watch",
  "bash",
  "sh",
  "dash",
  "zsh",
  "ksh",
  "busybox",
  "eval",
]);
