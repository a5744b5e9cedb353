import type { Program } from "../program.ts";

// Pagers print and stop when no terminal is there. Left out: log files, key files, `+commands` and other pagers.

/** Pagers, manuals and listings. */
export const VIEWERS: readonly Program[] = [
  {
    names: "less",
    style: "exact",
    info: "--version -V --help -?",
    options: {
      flag: "-a -A -B -c -d -e -E -f -F -g -G -i -I -J -K -L -m -M -n -N -q -Q -r -R -s -S -u -U -w -W -X -~ -# --quit-if-one-screen --RAW-CONTROL-CHARS --raw-control-chars --no-init --chop-long-lines --LINE-NUMBERS --line-numbers --ignore-case --IGNORE-CASE --squeeze-blank-lines --no-lessopen --quit-at-eof --QUIT-AT-EOF --quiet --silent --mouse --use-color --follow-name",
      text: "-j -x -y -z -p -h -b --pattern --tabs --window --jump-target --shift --buffers",
    },
    operands: "plain-file*",
  },
  {
    names: "more most pg",
    style: "exact",
    info: "--version -V --help -h",
    options: {
      flag: "-d --silent -f --logical -l --no-pause -c --print-over -p --clean-print -u --plain -s --squeeze -e --exit-on-eof -#",
      text: "-n --lines",
    },
    operands: "plain-file*",
  },
  {
    names: "zless zmore bzless xzless",
    style: "exact",
    options: { flag: "-N -S -R -F -X" },
    operands: "plain-file*",
  },
  {
    names: "man",
    style: "exact",
    info: "--version -V --help",
    options: {
      flag: "-f --whatis -k --apropos -K --global-apropos -w --where --path --location -W --where-cat -a --all -i --ignore-case -I --match-case --regex --wildcard --names-only --no-subpages --no-hyphenation --nh --no-justification --nj -7 --ascii",
      text: "-s -S --sections -L --locale -e --extension -R --recode -E --encoding",
      pager: "-P --pager",
    },
    operands: "man-page*",
  },
  {
    names: "whatis apropos",
    style: "exact",
    info: "--version -V --help",
    options: {
      flag: "-d --debug -v --verbose -r --regex -w --wildcard -l --long -e --exact -a --and",
      text: "-s --sections --section -m --systems -L --locale",
    },
    operands: "text*",
  },
  {
    names: "info",
    style: "exact",
    info: "--version --help -h",
    options: {
      flag: "-a --all -w --where --location --subnodes --show-options -O --usage -k",
      text: "-n --node --apropos --index-search",
    },
    operands: "man-page*",
  },
  {
    names: "tokei",
    style: "exact",
    info: "--version -V --help -h",
    options: {
      flag: "-f --files -l --languages --hidden --no-ignore -C --compact",
      text: "-e --exclude -t --type -s --sort -o --output -c --columns",
    },
    recursive: true,
    operands: "read*",
    implied: ".",
  },
  { names: "hyperfine delta", info: "--version -V --help -h", opaque: true },
  {
    names: "tree",
    style: "exact",
    info: "--version --help",
    options: {
      flag: "-a -d -l -f -x --gitignore --ignore-case --matchdirs --metafirst --prune --info --noreport -q -N -Q -p -u -g -s -h --si --du -D -F --inodes --device -v -t -c -U -r --dirsfirst --filesfirst -i -A -S -n -C -X -J --nolinks --opt-toggle",
      text: "-L -P -I --charset --filelimit --timefmt --sort --filesfrom -T -H",
      read: "--gitfile --infofile --hintro --houtro",
    },
    recursive: true,
    followsBy: "-l",
    operands: "list*",
    implied: ".",
  },
  // Left out: `--pager`, `--config-file`, and `cache --build`.
  {
    names: "bat batcat",
    style: "exact",
    info: "--version -V --help -h --list-languages -L --list-themes --diagnostic",
    options: {
      flag: "-p -pp --plain -n --number -A --show-all -u --unbuffered -d --diff -f --force-colorization -P --no-config --no-custom-assets --no-lessopen --chop-long-lines -S",
      text: "-l --language -r --line-range -H --highlight-line --color --paging --style --theme --wrap --tabs --decorations --terminal-width --file-name --italic-text --nonprintable-notation --squeeze-limit --strip-ansi -m --map-syntax",
    },
    operands: "input*",
  },
  {
    names: "eza exa lsd",
    style: "exact",
    info: "--version -v --help -?",
    options: {
      flag: "-1 --oneline -l --long -G --grid -x --across -R --recurse -T --tree -F --classify -a --all -A --almost-all -d --list-dirs -r --reverse -D --only-dirs -f --only-files -b --binary -B --bytes -g --group -h --header -H --links -i --inode -m --modified -S --blocksize -u --accessed -U --created --git --git-ignore --no-permissions --no-user --no-time --no-filesize --icons --group-directories-first -@ --extended",
      maybe: "--color --icons",
      text: "-L --level -s --sort -I --ignore-glob -t --time --time-style --width",
    },
    recursive: true,
    operands: "list*",
    implied: ".",
  },
];
