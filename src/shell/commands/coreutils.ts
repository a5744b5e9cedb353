import type { Program } from "../program.ts";

/** Readers: no option or operand of theirs writes, runs or connects. */
const READERS: readonly Program[] = [
  // A letter that takes a value here and none there is listed where it does: else a file's name would pass for the value.
  { names: "cat rev", safe: true, operands: "input*" },
  { names: "tac", safe: true, options: { text: "-s --separator" }, operands: "input*" },
  {
    names: "nl",
    safe: true,
    options: {
      text: "-b --body-numbering -d --section-delimiter -f --footer-numbering -h --header-numbering -i --line-increment -l --join-blank-lines -n --number-format -s --number-separator -v --starting-line-number -w --number-width",
    },
    operands: "input*",
  },
  { names: "fold", safe: true, options: { text: "-w --width" }, operands: "input*" },
  { names: "fmt", safe: true, options: { text: "-w --width -p --prefix -g --goal" }, operands: "input*" },
  { names: "expand unexpand", safe: true, options: { text: "-t --tabs" }, operands: "input*" },
  {
    names: "head tail",
    safe: true,
    options: { text: "-n --lines -c --bytes --pid -s --sleep-interval --max-unchanged-stats", flag: "-#" },
    operands: "input*",
  },
  { names: "wc", safe: true, options: { read: "--files0-from", text: "--total" }, operands: "input*" },
  {
    names: "cut",
    safe: true,
    options: { text: "-b --bytes -c --characters -d --delimiter -f --fields --output-delimiter" },
    operands: "input*",
  },
  {
    names: "paste comm",
    safe: true,
    options: { text: "-d --delimiters --output-delimiter" },
    operands: "input*",
  },
  { names: "join", safe: true, options: { text: "-a -e -j -o -t -v -1 -2" }, operands: "input input" },
  { names: "tr", safe: true, operands: "text*" },
  {
    names: "od",
    safe: true,
    options: { text: "-A --address-radix -j --skip-bytes -N --read-bytes -S -t --format", maybe: "-w" },
    operands: "input*",
  },
  {
    names: "hexdump hd",
    safe: true,
    options: { text: "-e --format -n --length -s --skip", maybe: "-L --color", read: "-f --format-file" },
    operands: "input*",
  },
  {
    names: "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum sum cksum md5 shasum",
    safe: true,
    options: { text: "-a --algorithm -l --length" },
    operands: "input*",
  },
  { names: "base32 basenc", safe: true, options: { text: "-w --wrap" }, operands: "input" },
  {
    names: "ls dir vdir",
    safe: true,
    followsBy: "-L --dereference",
    options: {
      recursive: "-R --recursive",
      flag: "-L --dereference",
      text: "-I --ignore -w --width -T --tabsize --hide --block-size",
    },
    operands: "list*",
    implied: ".",
  },
  { names: "stat", safe: true, options: { text: "-c --format --printf -f" }, operands: "list*" },
  {
    names: "df",
    safe: true,
    options: { text: "-B --block-size -t --type -x --exclude-type" },
    operands: "list*",
  },
  {
    names: "du",
    safe: true,
    recursive: true,
    followsBy: "-L --dereference",
    options: {
      flag: "-L --dereference",
      text: "-d --max-depth -B --block-size -t --threshold --exclude --time-style",
      read: "-X --exclude-from --files0-from",
    },
    operands: "list*",
    implied: ".",
  },
  {
    names: "realpath readlink",
    safe: true,
    options: { text: "--relative-to --relative-base" },
    operands: "list*",
  },
  {
    names:
      "basename dirname echo seq factor numfmt expr tty nproc uname whoami id groups logname uptime true false : pathchk printenv sleep yes pwd hostid uuidgen jot",
    safe: true,
  },
  { names: "tsort dircolors", safe: true, operands: "input" },
  { names: "who users", safe: true, operands: "read*" },
  { names: "sync", safe: true },
];

/** Programs with an option or operand that writes or runs: every harmless option is listed. */
const MIXED: readonly Program[] = [
  {
    names: "sort",
    options: {
      flag: "-b --ignore-leading-blanks -d --dictionary-order -f --ignore-case -g --general-numeric-sort -i --ignore-nonprinting -M --month-sort -h --human-numeric-sort -n --numeric-sort -R --random-sort -r --reverse -V --version-sort -c -C -m --merge -s --stable -u --unique -z --zero-terminated --debug",
      maybe: "--check",
      text: "-k --key -t --field-separator -S --buffer-size --sort --batch-size --parallel",
      read: "--files0-from --random-source",
      write: "-o --output -T --temporary-directory",
      run: "--compress-program",
    },
    operands: "input*",
  },
  {
    names: "uniq",
    options: {
      flag: "-c --count -d --repeated -D -i --ignore-case -u --unique -z --zero-terminated -#",
      maybe: "--all-repeated --group",
      text: "-f --skip-fields -s --skip-chars -w --check-chars",
    },
    operands: "input output",
  },
  {
    names: "shuf",
    options: {
      flag: "-e --echo -r --repeat -z --zero-terminated",
      text: "-i --input-range -n --head-count",
      read: "--random-source",
      write: "-o --output",
    },
    operands: "input",
    when: [{ options: "-e --echo", operands: "text*" }],
  },
  {
    // On other systems `-o` names an output.
    names: "base64",
    options: {
      flag: "-d -D --decode -i --ignore-garbage",
      text: "-w --wrap -b --break",
      read: "--input",
      output: "-o --output",
    },
    operands: "input",
  },
  {
    names: "pr",
    options: {
      flag: "-a --across -c --show-control-chars -d --double-space -f -F --form-feed -J --join-lines -m --merge -r --no-file-warnings -t --omit-header -T --omit-pagination -v --show-nonprinting -#",
      maybe: "-e --expand-tabs -i --output-tabs -n --number-lines -s --separator -S --sep-string",
      text: "-D --date-format -h --header -l --length -o --indent -w --width -W --page-width --columns --pages -N --first-line-number",
    },
    operands: "input*",
  },
  {
    names: "ptx",
    options: { flag: "-A -O -r -R -t -f -T", text: "-F -M -S -W -g -w", read: "-i -o -b" },
    operands: "input*",
  },
  {
    names: "date",
    options: {
      flag: "-u --utc --universal -R --rfc-email --debug --resolution -j",
      maybe: "-I --iso-8601",
      text: "-d --date --rfc-3339 -v",
      read: "-f --file -r --reference",
    },
    operands: "date-format",
    // Where there is `-j`, it keeps the clock as it is.
    when: [{ options: "-j", operands: "text*" }],
  },
  {
    names: "hostname",
    options: {
      flag: "-a --alias -A --all-fqdns -d --domain -f --fqdn --long -i --ip-address -I --all-ip-addresses -s --short -y --yp --nis -V -h",
    },
    operands: "",
  },
  // Elsewhere it starts the program it is given.
  { names: "arch", operands: "" },
  { names: "stdbuf", options: { text: "-i --input -o --output -e --error" }, operands: "argv" },
  { names: "nohup", operands: "argv" },
  { names: "nice", options: { text: "-n --adjustment", flag: "-#" }, operands: "argv" },
  {
    names: "timeout",
    options: { flag: "--preserve-status --foreground -v --verbose", text: "-k --kill-after -s --signal" },
    operands: "text argv",
  },
  { names: "env", reader: "env" },
  {
    names: "chroot",
    options: { text: "--groups --userspec", flag: "--skip-chdir" },
    operands: "text argv",
    system: "changes the root directory",
  },
  { names: "test [", reader: "test" },
  {
    names: "stty",
    info: "size speed",
    options: { flag: "-a --all -g --save", read: "-F --file" },
    operands: "",
  },
  { names: "kill", safe: true, info: "-l -L --list --table", system: "signals processes" },
];

const OWNER_OPTIONS = {
  flag: "-c --changes -f --silent --quiet -v --verbose --dereference -h --no-dereference -H -L -P --preserve-root --no-preserve-root",
  recursive: "-R --recursive",
  text: "--from",
  list: "--reference",
} as const;

/** Programs that change files by their operands. */
const WRITERS: readonly Program[] = [
  {
    // A dash is a file's name.
    names: "tee",
    options: { flag: "-a --append -i --ignore-interrupts -p", maybe: "--output-error" },
    operands: "write*",
  },
  {
    names: "touch",
    looseGlobs: true,
    options: {
      flag: "-a -c --no-create -f -h --no-dereference -m",
      text: "-d --date -t --time",
      list: "-r --reference",
    },
    operands: "write*",
  },
  {
    names: "mkdir",
    options: { flag: "-p --parents -v --verbose -Z", maybe: "--context", mode: "-m --mode" },
    operands: "write*",
  },
  {
    names: "rmdir",
    loose: true,
    options: { flag: "-p --parents -v --verbose --ignore-fail-on-non-empty" },
    operands: "delete*",
  },
  {
    names: "rm",
    loose: true,
    options: {
      flag: "-i -I -d --dir -v --verbose --one-file-system --no-preserve-root",
      maybe: "--interactive --preserve-root",
      recursive: "-r -R --recursive",
      force: "-f --force",
    },
    operands: "delete*",
  },
  { names: "unlink", operands: "delete" },
  {
    names: "cp",
    looseGlobs: true,
    followsBy: "-L --dereference",
    options: {
      flag: "-b -d -f --force -i --interactive -H -l --link -L --dereference -n --no-clobber -P --no-dereference -p --attributes-only --copy-contents --remove-destination --strip-trailing-slashes -s --symbolic-link -T --no-target-directory -u -v --verbose -x --one-file-system -Z --debug --parents",
      maybe: "--backup --preserve --reflink --context --update",
      recursive: "-r -R --recursive -a --archive",
      text: "--no-preserve --sparse",
      suffix: "-S --suffix",
      over: "-t --target-directory",
    },
    operands: "read* into",
    when: [
      { options: "-t --target-directory", and: "-l --link", operands: "alias*" },
      { options: "-l --link", operands: "alias* into" },
      { options: "-t --target-directory", operands: "read*" },
      { options: "-T --no-target-directory", operands: "read over" },
    ],
  },
  {
    names: "mv",
    looseGlobs: true,
    options: {
      flag: "-b -f --force -i --interactive -n --no-clobber --strip-trailing-slashes -T --no-target-directory -u -v --verbose -Z --debug --exchange --no-copy",
      maybe: "--backup --context --update",
      suffix: "-S --suffix",
      write: "-t --target-directory",
    },
    // What is moved is taken away from where it was.
    operands: "delete* write",
    when: [{ options: "-t --target-directory", operands: "delete*" }],
  },
  {
    names: "ln",
    options: {
      flag: "-b -d -F --directory -f --force -i --interactive -L --logical -n --no-dereference -P --physical -r --relative -s --symbolic -T --no-target-directory -v --verbose",
      maybe: "--backup",
      suffix: "-S --suffix",
      write: "-t --target-directory",
    },
    // A link gives what it leads to another name: that counts as reading it, and as changing it where the name is as good as the first.
    operands: "alias* write",
    when: [
      { options: "-t --target-directory", and: "-s --symbolic", operands: "read*" },
      { options: "-s --symbolic", operands: "read* write" },
      { options: "-t --target-directory", operands: "alias*" },
    ],
  },
  { names: "link", operands: "alias write" },
  {
    names: "install",
    options: {
      flag: "-b -C --compare -c -d --directory -D -p --preserve-timestamps -s --strip -T --no-target-directory -v --verbose",
      maybe: "--backup",
      text: "-g --group -o --owner",
      mode: "-m --mode",
      suffix: "-S --suffix",
      run: "--strip-program",
      write: "-t --target-directory",
    },
    operands: "read* write",
    when: [{ options: "-d --directory", operands: "write*" }],
  },
  {
    names: "truncate",
    options: { flag: "-c --no-create -o --io-blocks", text: "-s --size", list: "-r --reference" },
    operands: "write*",
  },
  { names: "chmod", reader: "chmod" },
  {
    names: "chown chgrp",
    followsBy: "-L",
    options: OWNER_OPTIONS,
    operands: "text write*",
    when: [{ options: "--reference", operands: "write*" }],
  },
  { names: "mkfifo", options: { mode: "-m --mode", flag: "-Z", maybe: "--context" }, operands: "write*" },
  {
    names: "mknod",
    options: { mode: "-m --mode" },
    operands: "write text*",
    system: "makes a device node",
  },
  {
    names: "split",
    options: {
      flag: "-d -x -e --elide-empty-files -u --unbuffered --verbose -#",
      maybe: "--numeric-suffixes --hex-suffixes",
      text: "-a --suffix-length -b --bytes -C --line-bytes -l --lines -n --number -t --separator",
      suffix: "--additional-suffix",
      run: "--filter",
    },
    operands: "input prefix",
    touches: "x*",
  },
  {
    names: "csplit",
    options: {
      flag: "-k --keep-files --suppress-matched -s --quiet --silent -z --elide-empty-files",
      text: "-n --digits",
      suffix: "-b --suffix-format",
      prefix: "-f --prefix",
    },
    operands: "input text*",
    touches: "xx*",
  },
  {
    names: "shred",
    options: {
      flag: "-f --force -v --verbose -x --exact -z --zero",
      text: "-n --iterations -s --size",
      maybe: "-u --remove",
      read: "--random-source",
    },
    operands: "delete*",
  },
  {
    names: "mktemp",
    options: {
      flag: "-d --directory -u --dry-run -q --quiet -t",
      maybe: "--tmpdir",
      suffix: "--suffix",
      dir: "-p",
    },
    operands: "write",
    implied: "/tmp/tmp.XXXXXXXXXX",
    when: [
      { options: "-u --dry-run", operands: "text" },
      { options: "-p", operands: "write", implied: "tmp.XXXXXXXXXX" },
    ],
  },
  { names: "dd", reader: "dd" },
];

/** The GNU core utilities and their BSD relatives. */
export const COREUTILS: readonly Program[] = [...READERS, ...MIXED, ...WRITERS];
