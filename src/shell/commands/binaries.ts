import type { Program } from "../program.ts";

// Looking into files. GNU binutils take `@file` for more options, and load a library for `--plugin`.

/** `-c16`, `-l64`: xxd takes a number behind the letter. */
const XXD_NUMBERS = ["c", "g", "l", "s"]
  .flatMap((letter) => Array.from({ length: 513 }, (_, number) => `-${letter}${number}`))
  .join(" ");

/** Looking into binaries, and what kind a file is. */
export const BINARIES: readonly Program[] = [
  // Every option is a word of its own here: xxd doesn't bundle, and a second operand is its output.
  {
    // What follows the first operand is none of its options.
    names: "xxd",
    style: "single",
    posix: true,
    info: "-h -help -v -version",
    options: {
      flag: `-a -autoskip -b -bits -C -capitalize -E -EBCDIC -e -i -include -p -ps -plain -postscript -r -revert -u -d ${XXD_NUMBERS}`,
      text: "-c -cols -g -groupsize -l -len -n -name -o -s -skip -seek -R",
    },
    operands: "input output",
  },
  {
    names: "strings",
    style: "exact",
    info: "--version -v -V --help -h",
    options: {
      flag: "-a --all -d --data -f --print-file-name -w --include-all-whitespace -o -#",
      text: "-n --bytes -t --radix -T --target -e --encoding -s --output-separator -U --unicode",
    },
    operands: "plain-file*",
  },
  {
    names: "nm",
    style: "exact",
    info: "--version -V --help -h",
    options: {
      flag: "-a --debug-syms -A -o --print-file-name -B -C -D --dynamic -e --defined-only -U -g --extern-only -j -l --line-numbers -n --numeric-sort -p --no-sort -P --portability -r --reverse-sort -S --print-size -s --print-armap --size-sort --special-syms --synthetic -u --undefined-only --without-symbol-versions --with-symbol-versions --no-demangle --no-weak -W -m -x",
      maybe: "--demangle",
      text: "-f --format -t --radix --target --ifunc-chars",
    },
    operands: "plain-file*",
  },
  {
    names: "objdump",
    style: "exact",
    info: "--version -v -V --help -H -i --info",
    options: {
      flag: "-a --archive-headers -f --file-headers -p --private-headers -h --headers --section-headers -x --all-headers -d --disassemble -D --disassemble-all -s --full-contents -g --debugging -e --debugging-tags -G --stabs -t --syms -T --dynamic-syms -r --reloc -R --dynamic-reloc -C -F --file-offsets -l --line-numbers -w --wide -z --disassemble-zeroes --no-show-raw-insn --show-raw-insn --no-addresses --inlines --prefix-addresses -EB -EL --special-syms",
      maybe: "--disassemble --demangle --visualize-jumps --disassembler-color --source-comment",
      text: "-j --section -m --architecture -M --disassembler-options -b --target --start-address --stop-address --adjust-vma --insn-width --prefix --prefix-strip",
    },
    operands: "plain-file*",
  },
  {
    names: "readelf",
    style: "exact",
    info: "--version -v --help -H",
    options: {
      flag: "-a --all -h --file-header -l --program-headers --segments -S --section-headers --sections -g --section-groups -t --section-details -e --headers -s --syms --symbols --dyn-syms -n --notes -r --relocs -u --unwind -d --dynamic -V --version-info -A --arch-specific -c --archive-index -D --use-dynamic -I --histogram -W --wide -T --silent-truncation -C --lint -L",
      maybe: "--demangle",
      text: "-x --hex-dump -p --string-dump -R --relocated-dump",
    },
    operands: "plain-file*",
  },
  {
    names: "size",
    style: "exact",
    info: "--version -V --help -h",
    options: { flag: "-A -B -G -d -o -x -t --totals --common", text: "--format --radix --target" },
    operands: "plain-file*",
  },
  {
    names: "c++filt",
    style: "exact",
    options: { flag: "-_ --strip-underscore -n -p -t --types -i", text: "-s --format" },
    operands: "plain-file*",
  },
  {
    names: "addr2line",
    style: "exact",
    options: { flag: "-a -i -p -f -s -C", text: "-j", "plain-file": "-e --exe" },
    operands: "plain-file*",
  },
  {
    names: "otool lipo",
    style: "exact",
    options: { flag: "-L -l -h -a -f -D -t -v -V -info -archs" },
    operands: "plain-file*",
  },
  // The loader may run the operand.
  { names: "ldd", info: "--version --help", opaque: true },
  { names: "objcopy strip ranlib patchelf", info: "--version --help", style: "exact", operands: "write*" },
  // Left out: `-m` reads a whole folder, `-C` writes, `-z` and `-Z` start decompressors.
  {
    names: "file",
    style: "exact",
    info: "--version -v --help",
    options: {
      flag: "-b --brief -c --checking-printout -d --debug -E -h --no-dereference -i --mime --mime-type --mime-encoding -I --apple --extension -k --keep-going -l --list -L --dereference -n --no-buffer -N --no-pad -0 --print0 -p --preserve-date -r --raw -s --special-files",
      text: "-e --exclude --exclude-quiet -F --separator -P --parameter",
      read: "-f --files-from",
    },
    operands: "input*",
    // It sets the times of access back.
    when: [{ options: "-p --preserve-date", operands: "write*" }],
  },
  { names: "exiftool mediainfo pdfinfo", style: "exact", info: "--version -ver -v", operands: "read*" },
  {
    names: "pdftotext",
    style: "single",
    info: "-v -h --help",
    options: {
      flag: "-layout -raw -nopgbrk -q -simple -table -bbox -htmlmeta",
      text: "-f -l -r -x -y -W -H -enc -eol -upw -opw",
    },
    // Left out, the text goes beside the document.
    operands: "read output*",
    implied: ".",
  },
];
