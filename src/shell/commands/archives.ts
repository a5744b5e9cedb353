import type { Program } from "../program.ts";

// Left out: `-N`, which takes the name for what comes out from what is packed.
const COMPRESS_FLAGS =
  "-d --decompress --uncompress -k --keep -f --force -q --quiet --silent -v --verbose -n --no-name -# --fast --best -a --ascii --rsyncable --synchronous";

const COMPRESSORS: readonly Program[] = [
  // Without `-c` each operand is replaced.
  {
    names: "gzip gunzip pigz unpigz",
    style: "exact",
    info: "--version -V --help -h -L --license",
    options: {
      flag: `${COMPRESS_FLAGS} -c --stdout --to-stdout -l --list -t --test`,
      recursive: "-r --recursive",
      text: "-p --processes -b --blocksize",
      suffix: "-S --suffix",
    },
    operands: "write*",
    when: [{ options: "-c --stdout --to-stdout -l --list -t --test", operands: "input*" }],
  },
  {
    names: "bzip2 bunzip2 pbzip2",
    style: "exact",
    info: "--version -V --help -h -L --license",
    options: {
      flag: "-d --decompress -z --compress -k --keep -f --force -t --test -c --stdout -q --quiet -v --verbose -s --small -# --fast --best",
    },
    operands: "write*",
    when: [{ options: "-c --stdout -t --test", operands: "input*" }],
  },
  {
    names: "xz unxz lzma unlzma",
    style: "exact",
    info: "--version -V --help -h -H --long-help",
    options: {
      flag: "-z --compress -d --decompress --uncompress -t --test -l --list -k --keep -f --force -c --stdout --to-stdout --no-sparse -e --extreme -# -q --quiet -v --verbose -Q --no-warn --robot --single-stream --ignore-check",
      suffix: "-S --suffix",
      text: "-F --format -C --check -T --threads -M --memlimit --memlimit-compress --memlimit-decompress --block-size",
    },
    operands: "write*",
    when: [{ options: "-t --test -l --list -c --stdout --to-stdout", operands: "input*" }],
  },
  {
    names: "zstd unzstd zstdmt",
    style: "exact",
    info: "--version -V --help -h -H",
    options: {
      flag: "-d --decompress --uncompress -z --compress -k --keep -f --force -t --test -l --list -c --stdout -q --quiet -v --verbose -# --ultra --fast --long --progress --no-progress --check --no-check -C --sparse --no-sparse --single-thread",
      maybe: "-T --threads --adapt",
      read: "-D",
      write: "-o --output-dir-flat --output-dir-mirror",
    },
    operands: "write*",
    when: [{ options: "-t --test -l --list -c --stdout", operands: "input*" }],
  },
  {
    names: "lz4 unlz4 brotli unbrotli lzip lzop compress uncompress",
    style: "exact",
    info: "--version -V --help -h",
    options: { flag: "-c --stdout -t --test -l --list -k --keep -v --verbose -q --quiet" },
    system: "makes a compressed or plain copy of its operands",
    operands: "read write",
    when: [{ options: "-c --stdout -t --test -l --list", operands: "input*" }],
  },
  // Only decompress to the standard output.
  {
    names: "zcat gzcat bzcat xzcat lzcat zstdcat lz4cat",
    style: "exact",
    info: "--version -V --help -h",
    options: { flag: "-f --force -q --quiet -v --verbose -d -c -k" },
    operands: "input*",
  },
];

const CONTAINERS: readonly Program[] = [
  { names: "tar gtar bsdtar", reader: "tar" },
  {
    names: "unzip",
    style: "exact",
    info: "-h -hh --help -v",
    options: {
      flag: "-l -v -t -z -p -c -Z -1 -2 -s -m -h -q -qq -o -n -j -a -aa -b -C -L -V -X -K -W -x -B -U -UU -D -DD -M -i",
      fill: "-d",
      text: "-P -I -O",
    },
    fills: ".",
    operands: "read text*",
    when: [{ options: "-l -v -t -z -p -c -Z", operands: "read text*", instead: true }],
  },
  {
    names: "zipinfo",
    style: "exact",
    info: "-h --help",
    options: { flag: "-1 -2 -s -m -l -v -h -t -T -z -C -M -x" },
    operands: "read text*",
  },
  // Left out: `-T`, which runs a program with `-TT`, and `-m`, which removes what was packed.
  {
    names: "zip",
    style: "exact",
    followsUnless: "-y --symlinks",
    info: "-h -h2 --help -v --version -L",
    options: {
      flag: "-j --junk-paths -q --quiet -v -u --update -f --freshen -y --symlinks -X -D --no-dir-entries -# -o -9 -e --encrypt -S -A -g",
      recursive: "-r --recurse-paths",
      text: "-s -P -n -t -tt -Z",
    },
    operands: "output read*",
  },
  {
    names: "7z 7za 7zr 7zz",
    style: "exact",
    info: "--help -h i",
    commands: [
      {
        names: "l t",
        style: "exact",
        options: { flag: "-slt -ba -bd -r -y -sccUTF-8" },
        operands: "read text*",
      },
      { names: "a x e u d rn b", opaque: true },
    ],
  },
  {
    names: "unrar rar lsar",
    style: "exact",
    info: "--version --help",
    commands: [
      { names: "l lb lt lta v vb vt t", style: "exact", operands: "read text*" },
      { names: "x e a d u p", opaque: true },
    ],
  },
  {
    names: "cpio",
    style: "exact",
    info: "--version --help -?",
    options: { flag: "-i --extract -t --list -v --verbose --quiet -n --numeric-uid-gid -c -z" },
    fills: ".",
    operands: "text*",
    when: [{ options: "-t --list", operands: "text*", instead: true }],
  },
  {
    names: "ar",
    style: "exact",
    info: "--version -V --help",
    commands: [
      // `@file` stands for more words, options among them.
      { names: "t tv tO tvO p pv", style: "exact", operands: "plain-file*" },
      {
        names: "r rc rcs rs cr crs q d m x s",
        system: "changes an archive or takes files out of it",
        opaque: true,
      },
    ],
  },
];

/** Compression and archives. */
export const ARCHIVES: readonly Program[] = [...COMPRESSORS, ...CONTAINERS];
