/** A program that another one starts as part of its own work. */
interface Helper {
  /** Names of the programs that start it. */
  readonly of: RegExp;
  readonly starts: RegExp;
  readonly why: string;
}

/** Reviewed by hand; a row is added only with the reason why what is started can do no more than the command says. */
export const HELPERS: readonly Helper[] = [
  {
    of: /^(?:z(?:cat|cmp|diff|egrep|fgrep|grep|less|more)|gunzip|gzexe|uncompress)$/,
    starts: /^(?:gzip|zgrep|grep|egrep|fgrep|sed|cat|cmp|diff|zcat|less|more|expr|rm|mktemp|sleep)$/,
    why: "They are shell scripts of gzip that unpack to a pipe; names they start are fixed in the script.",
  },
  {
    of: /^(?:xz(?:cat|cmp|diff|egrep|fgrep|grep|less|more)|lz(?:cmp|diff|egrep|fgrep|grep|less|more))$/,
    starts: /^(?:xz|gzip|bzip2|lzop|zstd|lz4|grep|egrep|fgrep|sed|cat|cmp|diff|less|more|expr)$/,
    why: "The same of xz-utils.",
  },
  {
    of: /^bz(?:cmp|diff|egrep|fgrep|grep|less|more)$/,
    starts: /^(?:bzip2|grep|egrep|fgrep|sed|cat|cmp|diff|less|more|expr|mktemp|tempfile|rm|stty|dd)$/,
    why: "The same of bzip2.",
  },
  { of: /^[ef]grep$/, starts: /^grep$/, why: "They are scripts of one line." },
  {
    of: /^tar$/,
    starts: /^(?:gzip|bzip2|xz|lzma|zstd|lzip|lzop|compress|sh)$/,
    why: "An archive that is listed is unpacked to a pipe by the fixed name that its suffix or option means.",
  },
  { of: /^git(?:-[a-z-]+)?$/, starts: /^git$/, why: "Git starts itself for several of its verbs." },
  {
    of: /^git$/,
    starts: /^git-(?:submodule|bisect|sh-i18n.*)$/,
    why: "A verb that is a script of git's own; which one is fixed by the verb.",
  },
  {
    of: /^git-(?:submodule|bisect)$/,
    starts: /^(?:basename|sed|gettext|envsubst|uname|cat|git.*)$/,
    why: "What those scripts start to find their own name and to print.",
  },
  { of: /^(?:npm|npx|corepack)$/, starts: /^node$/, why: "They are scripts for node." },
  {
    of: /^dpkg$/,
    starts: /^dpkg-(?:query|deb|split)$/,
    why: "Verbs of dpkg's that are programs of their own.",
  },
  { of: /^apt(?:-[a-z]+)?$/, starts: /^dpkg$/, why: "It asks for the machine's architectures." },
  {
    of: /^(?:[mgn]?awk|original-awk|busybox)$/,
    starts: /^sh$/,
    why: "awk hands literal commands to a shell; the effects name what they start, and what a shell writes itself shows.",
  },
  { of: /^git$/, starts: /^man$/, why: "`git help` shows a page of the manual." },
  { of: /^sdiff$/, starts: /^diff$/, why: "What it shows side by side comes from diff." },
  {
    of: /^(?:sh|zstd[a-z]*grep)$/,
    starts: /^(?:xz|gzip|bzip2|lzop|zstd|zstdcat|lz4|grep)$/,
    why: "Unpackers that xzless, zless and zstdgrep ask for; they write to a pipe, and to files only where a trace would show it.",
  },
  { of: /^yq$/, starts: /^jq$/, why: "One of the programs of this name is a front end to jq." },
  {
    of: /^lsb_release$/,
    starts: /^(?:getopt|cut|tr|sed|cat|awk|dpkg-query|apt-cache|basename)$/,
    why: "A script that reads its options and a fixed file.",
  },
  { of: /^diff$/, starts: /^pr$/, why: "`-l` pages the output through it." },
  {
    of: /^diff3$/,
    starts: /^diff$/,
    why: "What it merges comes from diff; another program is an option of its own.",
  },
  { of: /^(?:locate|locale)$/, starts: /^gzip$/, why: "Its database is unpacked to a pipe." },
  {
    of: /^man$/,
    starts: /^(?:preconv|tbl|eqn|nroff|groff|troff|grotty|locale|col|less|cat|man)$/,
    why: "The fixed chain that formats a page.",
  },
  {
    of: /^(?:nroff|groff|sh)$/,
    starts: /^(?:groff|troff|grotty|preconv|tbl|locale|less|cat)$/,
    why: "The same.",
  },
  { of: /^ag$/, starts: /^sh$/, why: "It asks git which files are ignored, by a fixed text." },
  { of: /^sh$/, starts: /^git$/, why: "That text; what git does shows." },
  {
    of: /^service$/,
    starts: /^(?:basename|systemctl)$/,
    why: "A script; it finds its own name and asks systemd.",
  },
  {
    of: /^less$/,
    starts: /^sh$/,
    why: "The unpacking that xzless and its like set; what the shell starts shows.",
  },
  { of: /^bash$/, starts: /^id$/, why: "The system's own profile of a login shell." },
];

/** Something that a program keeps for itself. */
interface Bookkeeping {
  readonly of: RegExp;
  readonly what: RegExp;
  /** What the command holds. */
  readonly command?: RegExp;
  /** What the trace shows of it. */
  readonly line?: RegExp;
  readonly why: string;
}

/** Writes and connections that a program makes whatever it is told; confinement forbids them and it goes on without. Reviewed by hand. */
export const BOOKKEEPING: readonly Bookkeeping[] = [
  { of: /^node$/, what: /^\/home\/dev\/\.npm(?:$|\/_)/, why: "npm's own folder for its cache and logs." },
  {
    of: /^(?:java|jar)/,
    what: /^\/tmp\/hsperfdata_|^\/proc\/self\/coredump_filter$/,
    why: "Counters that tools of the Java machine read.",
  },
  {
    of: /^terraform$/,
    what: /^\/home\/dev\/\.terraform\.d(?:\/|$)|^inet6?:.*:53$/,
    why: "It notes when it last asked for a newer version, and asks.",
  },
  {
    of: /^tmux/,
    what: /^(?:unix:)?\/tmp\/tmux-\d+(?:\/default)?$/,
    why: "Where it looks for its own server.",
  },
  {
    of: /^sqlite3$/,
    what: /^\/home\/dev\//,
    line: /O_RDWR\|O_CREAT\|O_NOFOLLOW/,
    why: "It opens a database for writing whatever is asked of it, and makes an empty one when there is none.",
  },
  {
    of: /^pidof$/,
    what: /^unix:\/dev\/log$|^\/dev\/console$/,
    why: "It tells the system's log of wrong options.",
  },
  {
    of: /^shasum$/,
    what: /./,
    line: /O_RDWR\|O_CLOEXEC\) = -1 EISDIR/,
    why: "It finds out so whether it was given a folder.",
  },
  { of: /^(?:man|groff|rsync)$/, what: /^kill$/, why: "It ends the processes that it started itself." },
  {
    of: /^(?:df|lsattr|tree)$/,
    what: /^\/home\/dev\//,
    line: /O_RDONLY/,
    why: "It opens what it is told of, and reads no content.",
  },
  {
    of: /^git$/,
    what: /\/\.git\/index(?:\.lock)?$/,
    command: /describe/,
    why: "`describe --dirty` refreshes the index where it may, whatever the environment says.",
  },
  {
    of: /^mkdir$/,
    what: /^\/dev(?:\/fd(?:\/\d+)?)?$/,
    why: "The name of a process substitution, which is there.",
  },
  { of: /^lslogins$/, what: /^\/etc\/\.pwd\.lock$/, why: "It locks the users' file while it reads." },
  { of: /^top$/, what: /^\/home\/dev\/\.config(?:\/procps)?$/, why: "The folder of its settings." },
  {
    of: /^(?:man|mandb)$/,
    what: /^\/var\/cache\/man\//,
    why: "Pages made ready are kept, where the user may.",
  },
  { of: /^sync$/, what: /./, why: "It opens what it is told to flush, and changes nothing." },
  {
    of: /^(?:(?:network|hostname|timedate|locale|login|system|resolve|user|machine)ctl|busctl|loginctl)$/,
    what: /^unix:\/(?:var\/)?run\/(?:dbus\/system_bus_socket|systemd\/private)$/,
    why: "They ask the system's services for their state.",
  },
  {
    of: /^kubectl$/,
    what: /^inet6?:127\.0\.0\.1:8080$|^inet6?:::1:8080$/,
    why: "Where a cluster is looked for when none is set.",
  },
];

/** Sockets that the system's own library asks for names; nothing of the command's reaches them. */
export const HIDDEN_SOCKETS: ReadonlySet<string> = new Set([
  "unix:/var/run/nscd/socket",
  "unix:/run/systemd/userdb/io.systemd.DynamicUser",
]);

/**
 * What a repository's own settings can start through verbs that only read. The command line doesn't show it, so the judgement
 * can't either: confinement keeps it from writing and from the network. Everything not in this list is a violation.
 */
export const contained: ReadonlySet<string> = new Set("external-diff textconv clean smudge gpg".split(" "));
