import type { Program } from "../program.ts";

// Left out: `--pre`, `--hostname-bin` and `-z` of rg (start programs), `--pager` of ag and ack, `-x`, `-X`, `-l` of fd.

const RG: Program = {
  names: "rg ripgrep",
  style: "exact",
  info: "--version -V --help -h --type-list --pcre2-version",
  options: {
    flag: "-b --byte-offset --no-byte-offset -s --case-sensitive -c --count --count-matches --crlf --no-crlf --debug -l --files-with-matches --files-without-match --files -F --fixed-strings --no-fixed-strings -L --follow --no-follow --glob-case-insensitive --no-glob-case-insensitive --heading --no-heading -. --hidden --no-hidden -i --ignore-case --ignore-file-case-insensitive --no-ignore-file-case-insensitive --include-zero --no-include-zero -v --invert-match --no-invert-match --json --no-json --line-buffered --no-line-buffered -n --line-number -N --no-line-number -x --line-regexp --max-columns-preview --no-max-columns-preview --mmap --no-mmap -U --multiline --no-multiline --multiline-dotall --no-multiline-dotall --no-config --no-ignore --ignore --no-ignore-dot --ignore-dot --no-ignore-exclude --no-ignore-files --ignore-files --no-ignore-global --no-ignore-messages --ignore-messages --no-ignore-parent --no-ignore-vcs --ignore-vcs --no-messages --messages --no-require-git --require-git --no-unicode --unicode --no-pcre2-unicode --pcre2-unicode -0 --null --null-data --one-file-system --no-one-file-system -o --only-matching --passthru --passthrough -P --pcre2 --no-pcre2 --auto-hybrid-regex --no-auto-hybrid-regex -p --pretty -q --quiet -S --smart-case --sort-files --stats --no-stats --stop-on-nonmatch -a --text --no-text --binary --no-binary --trace --trim --no-trim --type-list -u --unrestricted --vimgrep -H --with-filename -I --no-filename -w --word-regexp --block-buffered --no-block-buffered --column --no-column --no-context-separator --no-search-zip --no-pre --no-encoding --no-column",
    text: "-A --after-context -B --before-context -C --context --color --colors --context-separator --dfa-size-limit -E --encoding --engine --field-context-separator --field-match-separator -g --glob --iglob --hyperlink-format -M --max-columns -m --max-count -d --max-depth --maxdepth --max-filesize --path-separator --regex-size-limit -e --regexp -r --replace --sort --sortr -j --threads -t --type -T --type-not --type-add --type-clear --generate",
    read: "-f --file --ignore-file",
  },
  recursive: true,
  // A glob or a type that is chosen brings back hidden names that match it.
  hidesUnless: "-. --hidden -u --unrestricted -g --glob --iglob -t --type --no-ignore-dot",
  followsBy: "-L --follow",
  operands: "text input*",
  implied: ".",
  prefersInput: true,
  when: [
    { options: "--files", operands: "list*" },
    { options: "-e --regexp -f --file", operands: "input*" },
  ],
};

const FD: Program = {
  names: "fd fdfind",
  style: "exact",
  info: "--version -V --help -h",
  options: {
    flag: "-H --hidden --no-hidden -I --no-ignore --ignore --no-ignore-vcs --ignore-vcs --no-ignore-parent --no-require-git -u --unrestricted -s --case-sensitive -i --ignore-case -g --glob --regex -F --fixed-strings --literal -a --absolute-path --relative-path -L --follow --no-follow -p --full-path -0 --print0 --prune -1 -q --quiet --show-errors --strip-cwd-prefix --one-file-system --mount --xdev --no-global-ignore-file",
    text: "--and -d --max-depth --maxdepth --min-depth --exact-depth -E --exclude -t --type -e --extension -S --size --changed-within --change-newer-than --newer --changed-after --changed-before --change-older-than --older -o --owner -c --color -j --threads --max-results --path-separator --format --hyperlink",
    read: "--ignore-file",
    list: "--search-path",
    dir: "--base-directory -C",
  },
  recursive: true,
  hidesUnless: "-H --hidden -u --unrestricted",
  followsBy: "-L --follow",
  operands: "text list*",
};

const AG: Program = {
  names: "ag",
  style: "exact",
  info: "--version -V --help -h --list-file-types",
  options: {
    flag: "--ackmate -c --count --column -H --heading --no-heading --nobreak --break --filename --nofilename -l --files-with-matches -L --files-without-matches --print-all-files --numbers --nonumbers -o --only-matching --print-long-lines --passthrough --silent --stats --stats-only --vimgrep -0 --null --print0 -a --all-types -f --follow -F --fixed-strings --literal --hidden -i --ignore-case -n --norecurse -Q -r --recurse -s --case-sensitive -S --smart-case --search-binary -t --all-text -u --unrestricted -U --skip-vcs-ignores -v --invert-match -w --word-regexp --color --nocolor --group --nogroup --multiline --nomultiline --one-device --affinity --noaffinity --parallel --js --ts --python --go --java --ruby --cpp --cc --html --css --json --md --yaml --rust --shell --php --xml",
    maybe: "--after --before --context",
    text: "-A -B -C --color-line-number --color-match --color-path -g --filename-pattern -G --file-search-regex --depth --ignore --ignore-dir -m --max-count -W --width --workers",
    read: "-p --path-to-ignore",
  },
  recursive: true,
  hidesUnless: "--hidden -u --unrestricted",
  followsBy: "-f --follow",
  operands: "text input*",
  implied: ".",
  prefersInput: true,
  when: [{ options: "-g --filename-pattern", operands: "input*" }],
};

const ACK: Program = {
  names: "ack ack-grep",
  style: "exact",
  info: "--version --help --help-types --dump",
  options: {
    flag: "-i --ignore-case -I --no-ignore-case -S --smart-case --no-smart-case -v --invert-match -w --word-regexp -Q --literal -l --files-with-matches -L --files-without-matches -o --passthru -H --with-filename -h --no-filename -c --count --column --no-column -f -g --sort-files -s -1 --heading --no-heading --break --no-break --group --nogroup --color --colour --nocolor --nocolour --print0 --flush -r -R --recurse -n --no-recurse --follow --no-follow -k --known-types --noenv --js --ts --python --go --java --ruby --cpp --cc --html --css --json --md --yaml --rust --shell --php --xml --perl",
    maybe: "-A --after-context -B --before-context -C --context",
    text: "-m --max-count -t --type -T --ignore-dir --noignore-dir --ignore-file --match --range-start --range-end",
  },
  recursive: true,
  followsBy: "--follow",
  operands: "text input*",
  implied: ".",
  prefersInput: true,
  when: [{ options: "-f --match", operands: "input*" }],
};

/** Searching trees. */
export const SEARCH: readonly Program[] = [RG, FD, AG, ACK];
