import type { Program } from "../program.ts";

const RECURSES = "-r -R --recursive --dereference-recursive -d --directories";

const GREP: Program = {
  names: "grep egrep fgrep",
  safe: true,
  recursedBy: "-d --directories",
  followsBy: "-R --dereference-recursive",
  options: {
    recursive: "-r -R --recursive --dereference-recursive",
    text: "-e --regexp -A --after-context -B --before-context -C --context -m --max-count -d --directories -D --devices --label --include --exclude --exclude-dir --binary-files --group-separator",
    maybe: "--color --colour",
    read: "-f --file --exclude-from",
    flag: "-# -U --binary",
  },
  operands: "text input*",
  when: [
    { options: RECURSES, and: "-e --regexp -f --file", operands: "input*", implied: "." },
    { options: RECURSES, implied: "." },
    { options: "-e --regexp -f --file", operands: "input*" },
  ],
};

/** Scripts that sort out words in ways of their own: each word may be a file. */
const PACKED_GREP: Program = {
  names: "zgrep zegrep zfgrep bzgrep bzegrep bzfgrep xzgrep xzegrep xzfgrep zstdgrep lzgrep",
  safe: true,
  followsBy: "-R --dereference-recursive",
  options: {
    recursive: "-r -R --recursive --dereference-recursive",
    input:
      "-e --regexp -A --after-context -B --before-context -C --context -m --max-count -d --directories -D --devices --label --include --exclude --exclude-dir --binary-files --group-separator -f --file --exclude-from",
  },
  operands: "input*",
};

/** Finding text and files. */
export const FINDUTILS: readonly Program[] = [
  GREP,
  PACKED_GREP,
  { names: "find gfind", reader: "find" },
  {
    names: "cmp",
    safe: true,
    options: { text: "-i --ignore-initial -n --bytes" },
    operands: "read read text text",
  },
  {
    names: "diff",
    safe: true,
    followsUnless: "--no-dereference",
    options: {
      recursive: "-r --recursive",
      flag: "--no-dereference",
      text: "-C -U -F --show-function-line --label -W --width --tabsize -I --ignore-matching-lines -x --exclude --line-format --horizon-lines -S --starting-file -D --ifdef",
      maybe: "--color --palette --context --unified",
      read: "-X --exclude-from --from-file --to-file",
    },
    operands: "input*",
  },
  { names: "locate", safe: true, operands: "text*" },
];
