import type { ExecuteEffect } from "../effect.ts";
import { baseOf } from "./canonical.ts";
import { TRANSPARENT_WRAPPERS } from "./wrappers.ts";

type Words = readonly (string | null)[];

/** How many words name what a program is to do: `git commit`, `npm run build`, `gcloud scheduler jobs list`. */
const VERB_DEPTH: ReadonlyMap<string, number> = new Map([
  ...[
    "git",
    "docker",
    "podman",
    "kubectl",
    "helm",
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "cargo",
    "go",
    "pip",
    "pip3",
    "uv",
    "poetry",
    "make",
    "just",
    "task",
    "mvn",
    "gradle",
    "gradlew",
    "apt",
    "apt-get",
    "brew",
    "dnf",
    "yum",
    "pacman",
    "apk",
    "systemctl",
    "journalctl",
    "terraform",
    "dotnet",
    "rails",
    "rake",
    "bundle",
    "mix",
    "deno",
    "flutter",
    "swift",
  ].map((name) => [name, 1] as const),
  ["gh", 2],
  ["aws", 2],
  ["az", 3],
  ["gcloud", 3],
]);

/** Verbs that take the next word into what they name. */
const DEEPER: ReadonlySet<string> = new Set([
  "npm run",
  "pnpm run",
  "yarn run",
  "bun run",
  "npm exec",
  "docker compose",
  "docker container",
  "docker image",
  "git stash",
  "git remote",
  "git worktree",
  "git submodule",
  "uv run",
  "uv pip",
  "poetry run",
  "bundle exec",
  "cargo run",
  "kubectl rollout",
  "helm repo",
  "deno task",
  "go tool",
  "npm pkg",
  "npm config",
]);

/**
 * Programs whose arguments decide everything: interpreters, wrappers, removers, fetchers, shell state and the machine itself. Only the exact
 * command, or a named script, is suggested for them.
 */
const NEVER_BROAD: ReadonlySet<string> = new Set(
  [
    "bash sh zsh dash ksh fish pwsh powershell busybox toybox eval source . exec trap",
    "python python2 python3 node nodejs deno bun ruby perl php lua osascript tclsh Rscript java m4 bc dc expect",
    "ts-node tsx npx bunx pnpx uvx pipx awk gawk mawk nawk sed ed ex vi vim nvim nano emacs less more man",
    "sudo doas su runuser pkexec run0 env xargs parallel find fd fdfind watch nohup timeout time nice ionice chrt taskset stdbuf setsid",
    "setpriv flock strace ltrace gdb lldb catchsegv linux32 linux64 setarch faketime unbuffer proxychains capsh firejail bwrap",
    "chroot unshare nsenter systemd-run start-stop-daemon dbus-run-session screen tmux script at batch crontab",
    "ssh scp sftp rsync curl wget nc ncat socat telnet ftp mail mysql psql sqlite3 mongo mongosh redis-cli ansible vagrant",
    "rm rmdir shred dd mkfs mv cp ln tee install truncate chmod chown chgrp mkfifo mknod kill pkill killall",
    "reboot shutdown poweroff halt mount umount swapoff iptables nft ufw useradd usermod passwd sysctl rmmod insmod modprobe service snap",
    "declare typeset local readonly export alias unalias unset set shopt bind complete compgen enable hash printf echo test [ true read mapfile readarray",
  ].flatMap((row) => row.split(" ")),
);

/** Verbs that run whatever they are given: the exact command only. */
const NEVER_BROAD_VERBS: ReadonlySet<string> = new Set([
  "docker run",
  "docker exec",
  "podman run",
  "podman exec",
  "docker compose run",
  "docker compose exec",
  "kubectl exec",
  "kubectl run",
  "kubectl debug",
  "npm exec",
  "npm explore",
  "npm x",
  "pnpm dlx",
  "pnpm exec",
  "yarn dlx",
  "yarn exec",
  "bun x",
  "go run",
  "git bisect",
  "git filter-branch",
  "git difftool",
  "git mergetool",
  "git for-each-repo",
  "git config",
  "git rebase",
  "gh api",
  "deno run",
  "deno eval",
  "gh alias set",
  "gh extension exec",
  "gh codespace ssh",
  "systemctl edit",
  "cargo run",
]);

/** Words that will be different next time: temporary paths, hashes, ids, dates, process and job numbers. */
const VOLATILE =
  /^\/(?:tmp|var\/tmp|private\/(?:tmp|var)|var\/folders|dev\/shm)\/|[0-9a-f]{8}-[0-9a-f]{4}-|(?:^|[^0-9a-z])(?=[a-f]*\d)[0-9a-f]{7,64}$|\d{6,}|\d{4}-\d{2}-\d{2}|^\d{3,}$/i;

const PLAIN_WORD = /^[\w@%+=:,./^-]+$/;

/** Rule contents that might settle this command, narrowest first: the very command, then its verb with anything after. */
export function commandContents(effect: ExecuteEffect): readonly string[] {
  const words = [...namedWrappers(effect), ...effect.argv];
  const program = words[0];
  if (program === null || program === undefined || program === "") return [];
  const firstLoose = words.findIndex((word) => word === null || VOLATILE.test(word) || word.includes("\n"));
  const contents: string[] = [];
  if (firstLoose < 0) {
    if (!words.some((word) => word !== null && word.length > 200)) contents.push(show(words));
  } else if (firstLoose > 1 && mayEndThere(words, firstLoose)) {
    contents.push(`${show(words.slice(0, firstLoose))}:*`);
  }
  const verb = verbOf(words);
  if (verb > 0 && (firstLoose < 0 || firstLoose >= verb)) contents.push(`${show(words.slice(0, verb))}:*`);
  return [...new Set(contents)];
}

/** A word as rule text needs it written: quoted like in a shell, with literal stars escaped. */
export function ruleWord(word: string): string {
  if (word === "") return "''";
  if (PLAIN_WORD.test(word)) return word;
  return word
    .split("*")
    .map((piece) => (piece === "" || PLAIN_WORD.test(piece) ? piece : `'${piece.replaceAll("'", "'\\''")}'`))
    .join("\\*");
}

function show(words: Words): string {
  return words.map((word) => ruleWord(word ?? "")).join(" ");
}

function namedWrappers(effect: ExecuteEffect): readonly string[] {
  return (effect.wrappers ?? []).filter((name) => !TRANSPARENT_WRAPPERS.has(baseOf(name)));
}

/** How many words make a prefix that still says what is done; 0 when none does. */
function verbOf(words: Words): number {
  const [first] = words;
  if (first === null || first === undefined) return 0;
  const program = baseOf(first);
  const depth = VERB_DEPTH.get(program);
  if (depth !== undefined) return verbWords(words, program, depth);
  if (isNeverBroad(program)) return scriptWords(words, program);
  return 1;
}

function verbWords(words: Words, program: string, depth: number): number {
  let end = 1;
  while (end <= depth && isPlain(words[end])) end += 1;
  if (end <= depth) return 0;
  if (DEEPER.has(`${program} ${words[1]}`)) end = isPlain(words[end]) ? end + 1 : 0;
  const named = [program, ...words.slice(1, end)];
  return named.some((_, index) => NEVER_BROAD_VERBS.has(named.slice(0, index + 1).join(" "))) ? 0 : end;
}

/** `python3 scripts/x.py` names a script: its arguments may vary, the script may not. */
function scriptWords(words: Words, program: string): number {
  const script = words[1];
  const runsScripts = /^(?:python[\d.]*|node|nodejs|ruby|perl|php|bash|sh|zsh|tsx|ts-node)$/.test(program);
  return runsScripts && isPlain(script) && /^[^*?[]*[./][^*?[]*$/.test(script ?? "") ? 2 : 0;
}

function isNeverBroad(program: string): boolean {
  return NEVER_BROAD.has(program) || /^(?:python|ruby|perl|node|php|lua)[\d.]+$/.test(program);
}

/** A prefix cut before the first loose word must not end in what runs anything: `python3 -c:*`, `curl -s:*`. */
function mayEndThere(words: Words, end: number): boolean {
  const program = baseOf(words[0] ?? "");
  if (!VERB_DEPTH.has(program)) return !isNeverBroad(program);
  const verb = verbOf(words);
  return verb > 0 && end > verb;
}

function isPlain(word: string | null | undefined): boolean {
  return typeof word === "string" && word !== "" && !word.startsWith("-") && !VOLATILE.test(word);
}
