import type { Program } from "../program.ts";

/** What the shell does itself. */
export const BUILTINS: readonly Program[] = [
  {
    names:
      "cd pushd popd read mapfile readarray getopts printf unset set shopt eval source . trap exec exit return break continue let wait ulimit umask hash command builtin history",
    reader: "builtin",
  },
  { names: "type which whereis dirs times help caller", safe: true },
  // `-x` starts a command.
  { names: "jobs", style: "exact", options: { flag: "-l -n -p -r -s" }, operands: "text*" },
  { names: "shift", operands: "text" },
  {
    names: "compgen",
    options: { flag: "-a -b -c -d -e -f -g -j -k -s -u -v", text: "-A -X -P -S" },
    operands: "text",
  },
  // `alias` alone lists; with a definition it changes what names mean.
  { names: "alias unalias enable bind complete compopt fc", operands: "" },
  { names: "fg bg disown suspend logout", system: "changes what runs in the background" },
];

/** Shells: code that is given is judged, a script file isn't looked into. */
export const SHELLS: readonly Program[] = [
  { names: "bash sh dash zsh ksh ash", reader: "shell", info: "--version --help" },
  { names: "fish csh tcsh", opaque: true, info: "--version --help -v" },
];

/** Programs that start the command they are given. */
export const WRAPPERS: readonly Program[] = [
  {
    names: "sudo",
    options: {
      flag: "-A --askpass -b --background -E --preserve-env -H --set-home -k --reset-timestamp -n --non-interactive -P --preserve-groups -S --stdin -N --no-update",
      text: "-u --user -g --group -p --prompt -C --close-from -T --command-timeout -r --role -t --type -h --host",
    },
    operands: "argv",
    system: "acts with the rights of another user",
  },
  {
    names: "doas",
    options: { flag: "-n", text: "-u" },
    operands: "argv",
    system: "acts with the rights of another user",
  },
  {
    names: "time",
    options: { flag: "-p -v --verbose -a --append", text: "-f --format", write: "-o --output" },
    operands: "argv",
  },
  { names: "ionice", options: { text: "-c --class -n --classdata", flag: "-t --ignore" }, operands: "argv" },
  { names: "setsid", options: { flag: "-c --ctty -f --fork -w --wait" }, operands: "argv" },
  { names: "chronic", operands: "argv" },
  {
    names: "watch",
    info: "--version -v --help -h",
    options: {
      flag: "-b --beep -c --color -C --no-color -e --errexit -g --chgexit -p --precise -t --no-title -w --no-wrap",
      maybe: "-d --differences",
      text: "-n --interval -q --equexit",
    },
    operands: "run*",
    opaque: true,
  },
  { names: "xargs", reader: "xargs" },
  { names: "busybox toybox", operands: "argv", info: "--list --help" },
];
