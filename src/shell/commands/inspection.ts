import type { Program } from "../program.ts";

/** Looking into text and files; what reads binaries and shows files in colour is among the viewers and binaries. */
export const INSPECTION: readonly Program[] = [
  {
    names: "column",
    safe: true,
    options: {
      text: "-c --output-width -s --separator -o --output-separator -N --table-columns -l --table-columns-limit -O --table-order -H --table-hide -R --table-right -T --table-truncate -E --table-noextreme -W --table-wrap -n --table-name -r --tree -i --tree-id -p --tree-parent",
    },
    operands: "input*",
  },
  { names: "look", safe: true, options: { text: "-t --terminate" }, operands: "text input" },
  { names: "colrm col", safe: true, operands: "text*" },
  { names: "ul", safe: true, options: { text: "-t -T --terminal" }, operands: "input*" },
  {
    names: "hexyl",
    safe: true,
    options: { text: "-n --length -s --skip -c --block-size --color --border -o --display-offset" },
    operands: "input*",
  },
  { names: "lsattr getfacl namei", safe: true, operands: "list*" },
  { names: "cal ncal locale lsb_release", safe: true },
  {
    names: "bc",
    options: { flag: "-h -i --interactive -l --mathlib -q --quiet -s --standard -w --warn -v" },
    operands: "input*",
  },
  {
    names: "diff3",
    options: {
      flag: "-e --ed -E --show-overlap -A --show-all -x --overlap-only -X -3 --easy-only -m --merge -a --text --strip-trailing-cr -T --initial-tab -i",
      text: "-L --label",
    },
    operands: "input*",
  },
  {
    names: "sdiff",
    options: {
      flag: "-i --ignore-case -E -Z -b --ignore-space-change -W --ignore-all-space -B --ignore-blank-lines -a --text --strip-trailing-cr -l --left-column -s --suppress-common-lines -t --expand-tabs -d --minimal -H",
      text: "-w --width -I --ignore-matching-lines --tabsize",
    },
    operands: "input*",
  },
  {
    names: "iconv",
    options: {
      flag: "-l --list -c -s --silent --verbose",
      text: "-f --from-code -t --to-code",
      write: "-o --output",
    },
    operands: "input*",
  },
];
