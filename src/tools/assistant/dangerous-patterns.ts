/** A command that a CountBot-like assistant is never to run by itself. */
export interface DangerousPattern {
  /**
   * A regular expression without regard to case. It sees one simple command at a time, after quoting, assignments and wrappers are
   * taken off: the program without its directories, then its words, with one blank between; or `> path` for a redirection.
   */
  readonly pattern: string;
  /** What such a command does, in words that go on from "it". */
  readonly what: string;
  /** Only where nothing is known of what the command does: some inline code can be judged. */
  readonly onlyOpaque?: true;
}

/**
 * Commands that `exec` asks about each time, whatever rules say. They only add to what the engine finds by a command's effects: nothing
 * is allowed because none of these fits.
 */
export const DANGEROUS_PATTERNS: readonly DangerousPattern[] = [
  {
    pattern: "^rm(?: (?!-- )[^ ]+)* (?:-[a-z]*[rf][a-z]*|--recursive|--force)(?: |$)",
    what: "removes by force, or with everything below",
  },
  { pattern: "^shred(?: |$)", what: "makes a file's content unrecoverable" },
  { pattern: "^(?:del|erase)(?: [^ ]+)* /[fqs](?: |$)", what: "removes by force, or with everything below" },
  { pattern: "^(?:rd|rmdir)(?: [^ ]+)* /[sq](?: |$)", what: "removes a directory with everything below" },
  { pattern: "^remove-item(?: |$)", what: "removes files" },
  { pattern: "^(?:format|diskpart)(?:\\.com|\\.exe)?(?: |$)", what: "formats a disk" },
  { pattern: "^(?:mkfs|mke2fs|mkswap|wipefs)(?:[._]\\w+)?(?: |$)", what: "formats a disk" },
  {
    pattern: "^dd (?:.* )?of=/dev/(?!null|zero|full|stdout|stderr|tty|fd/)",
    what: "writes over a device",
  },
  { pattern: "^> /dev/(?:[shv]d|xvd|nvme|mmcblk|disk|mapper|loop)", what: "writes over a device" },
  { pattern: "^(?:shutdown|reboot|poweroff|halt)(?: |$)", what: "stops the machine" },
  {
    pattern: "^(?:systemctl|loginctl)(?: -[^ ]*)* (?:poweroff|reboot|halt|kexec|rescue|emergency)(?: |$)",
    what: "stops the machine",
  },
  { pattern: "^(?:init|telinit) [06](?: |$)", what: "stops the machine" },
  { pattern: "^kill (?:-[^ ]+ )+-1(?: |$)", what: "ends every process of the user" },
  { pattern: "^crontab (?:-[^ ]+ )*-[a-z]*r", what: "removes all scheduled jobs" },
  {
    pattern:
      "^(?:python[\\d.]*|pypy[\\d.]*|node|nodejs|deno|bun|perl|ruby|php|lua|osascript|pwsh|powershell)(?:\\.exe)?" +
      "(?: -[^ ]+)* (?:-[a-z]*[cer]|-p|--eval|--print|-command|-encodedcommand|eval)(?:[ =]|$)",
    what: "runs code that stands in the command",
    onlyOpaque: true,
  },
];
