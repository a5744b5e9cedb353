import type { Program } from "../program.ts";

/** Stream editors. */
export const STREAM_EDITORS: readonly Program[] = [
  {
    names: "sed gsed",
    options: {
      flag: "-n --quiet --silent -E -r --regexp-extended -u --unbuffered -z --null-data -s --separate --posix --debug --sandbox --follow-symlinks",
      maybe: "-i --in-place",
      text: "-l --line-length",
      sed: "-e --expression",
      run: "-f --file",
    },
    operands: "sed input*",
    when: [
      { options: "-i --in-place", and: "-e --expression -f --file", operands: "write*" },
      { options: "-i --in-place", operands: "sed write*" },
      { options: "-e --expression -f --file", operands: "input*" },
    ],
  },
  {
    names: "awk gawk mawk nawk original-awk",
    posix: true,
    options: {
      flag: "-S --sandbox -P --posix -c --traditional -b --characters-as-bytes -r --re-interval -n --non-decimal-data -N --use-lc-numeric -t --lint-old -O --optimize -s --no-optimize -k --csv -M --bignum",
      text: "-F --field-separator -v --assign",
      awk: "-e --source",
      run: "-f --file -i --include -l --load -E --exec",
    },
    operands: "awk input*",
    when: [{ options: "-e --source -f --file", operands: "input*" }],
  },
];
