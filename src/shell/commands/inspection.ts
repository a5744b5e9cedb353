import type { Program } from "../program.ts";

/** Looking into files of any kind: no option or operand of these writes, runs or connects. */
const SAFE: readonly Program[] = [
  {
    names: "column",
    safe: true,
    options: {
      text: "-c --output-width -s --separator -o --output-separator -N --table-columns -l --table-columns-limit -O --table-order -H --table-hide -R --table-right -T --table-truncate -E --table-noextreme -W --table-wrap -n --table-name -r --tree -i --tree-id -p --tree-parent",
    },
    operands: "input*",
  },
  { names: "look", safe: true, options: { text: "-t --terminate" }, operands: "text input" },
  { names: "colrm ul col", safe: true, operands: "text*" },
  {
    names: "hexyl",
    safe: true,
    options: { text: "-n --length -s --skip -c --block-size --color --border -o --display-offset" },
    operands: "input*",
  },
  {
    names: "readelf",
    safe: true,
    options: { text: "-x --hex-dump -p --string-dump -R --relocated-dump -U --unicode -z" },
    operands: "read*",
  },
  { names: "size", safe: true, options: { text: "--format --radix --target" }, operands: "read*" },
  { names: "colordiff", safe: true, operands: "input*" },
  { names: "lsattr getfacl namei", safe: true, operands: "list*" },
  { names: "cal ncal locale lsb_release", safe: true },
];

/** The same, with an option or operand that writes or runs: every harmless option is listed. */
const MIXED: readonly Program[] = [
  {
    names: "bat batcat",
    style: "exact",
    options: {
      flag: "-p --plain -n --number -A --show-all -S --chop-long-lines -u --unbuffered -f --force-colorization",
      text: "-l --language --style --color --theme --wrap --tabs --terminal-width -H --highlight-line -r --line-range --file-name -m --map-syntax --decorations --italic-text",
    },
    operands: "input*",
  },
  {
    names: "tree",
    options: {
      flag: "-a -d -l -f -x -p -u -g -s -h -D -F -q -N -Q -n -C -A -S -J -X -i -r -t -c -U -v --noreport --dirsfirst --filesfirst --si --du --inodes --device --gitignore --matchdirs --ignore-case --metafirst --prune --nolinks --hintro --houtro --info --fromfile --fromtabfile --compress",
      text: "-L -P -I --filelimit --timefmt --charset --sort -T -H",
      maybe: "--gitfile --infofile",
    },
    operands: "list*",
    implied: ".",
    recursive: true,
  },
  {
    names: "file",
    options: {
      flag: "-b --brief -i --mime --mime-type --mime-encoding -k --keep-going -L --dereference -h --no-dereference -N --no-pad -n --no-buffer -p --preserve-date -r --raw -s --special-files -0 --print0 -v --apple --extension -E -c --checking-printout -d -l --list",
      text: "-F --separator -e --exclude -P --parameter --exclude-quiet",
      read: "-f --files-from",
    },
    operands: "input*",
  },
  {
    names: "xxd",
    style: "single",
    options: {
      flag: "-a -autoskip -b -bits -C -capitalize -e -E -EBCDIC -i -include -p -ps -postscript -plain -r -revert -u -d -v -version -h -help",
      text: "-c -cols -g -groupsize -l -len -n -name -s -seek -o -R",
    },
    operands: "input output",
  },
  {
    names: "strings",
    options: {
      flag: "-a --all -d --data -f --print-file-name -w --include-all-whitespace -o -#",
      text: "-n --bytes -t --radix -e --encoding -s --output-separator -U --unicode -T --target",
    },
    operands: "input*",
  },
  {
    names: "nm",
    options: {
      flag: "-a --debug-syms -A -o --print-file-name -B -C -D --dynamic -g --extern-only -l --line-numbers -n -v --numeric-sort -p --no-sort -P --portability -r --reverse-sort -S --print-size -s --print-armap -u --undefined-only -U --defined-only --special-syms --synthetic --size-sort --no-demangle --with-symbol-versions --without-symbol-versions -W --no-weak",
      maybe: "--demangle",
      text: "-f --format -t --radix --target -X",
    },
    operands: "read*",
  },
  {
    names: "objdump",
    options: {
      flag: "-a --archive-headers -f --file-headers -p --private-headers -h --headers --section-headers -x --all-headers -d -D --disassemble-all -S --source -s --full-contents -g --debugging -e --debugging-tags -G --stabs -t --syms -T --dynamic-syms -r --reloc -R --dynamic-reloc -v -i --info -C -l --line-numbers -w --wide -z --disassemble-zeroes --no-show-raw-insn --show-raw-insn --no-addresses",
      maybe: "--demangle --dwarf -W --disassemble --visualize-jumps",
      text: "-j --section -b --target -m --architecture -M --disassembler-options --start-address --stop-address --adjust-vma",
    },
    operands: "read*",
  },
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
  {
    names: "fd fdfind",
    style: "exact",
    options: {
      flag: "-H --hidden -I --no-ignore --no-ignore-vcs --no-ignore-parent --no-global-ignore-file -u --unrestricted -s --case-sensitive -i --ignore-case -g --glob --regex -F --fixed-strings -a --absolute-path --relative-path -L --follow -p --full-path -0 --print0 -q --quiet -1 --prune --one-file-system --show-errors -l --list-details --no-require-git --no-follow --no-hidden --strip-cwd-prefix",
      text: "-d --max-depth --min-depth --exact-depth -t --type -e --extension -E --exclude -S --size -o --owner --changed-within --newer --changed-before --older --max-results -c --color -j --threads --path-separator --and --max-buffer-time --format",
      read: "--ignore-file",
      dir: "-C --base-directory",
      list: "--search-path",
    },
    operands: "text list*",
    info: "--version -V --help -h",
  },
];

/** Looking into files of any kind. */
export const INSPECTION: readonly Program[] = [...SAFE, ...MIXED];
