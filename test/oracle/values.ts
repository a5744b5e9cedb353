import type { Random } from "./random.ts";

/**
 * Words for the generator, as data. They are hostile on purpose: whatever writes does so to `pwned` or beside it, and they only
 * ever run in the sandbox.
 */
export const FILES: readonly string[] =
  "README.md notes.txt app.log data.csv data.json conf.yaml list.txt src/main.c src/util.py src/app.ts empty link.txt patch.diff archive.tar archive.tar.gz data.csv.gz tool Makefile ./notes.txt ../project/README.md /etc/passwd /home/dev/outside/file.txt link-src/main.c src/up/notes.txt - prog.awk prog.sed prog.jq package.json".split(
    " ",
  );

/** Directories. */
export const FOLDERS: readonly string[] =
  ". src src/deep tests config .. / /etc link-src link-out /home/dev .git".split(" ");

/** Paths that hold something that nobody may read or write unasked. */
export const TOUCHY: readonly string[] =
  ".env link-env config/.env.production ~/.ssh/id_rsa .git/config .git/hooks/pre-commit".split(" ");

/** Files that don't exist before. */
export const NEW: readonly string[] = "pwned src/pwned /tmp/pwned /home/dev/pwned ./pwned ../pwned".split(
  " ",
);

/** Programs and code that must not start. */
export const PROGRAMS: readonly string[] = [
  "./x.sh",
  "touch pwned",
  "sh x.sh",
  "./bin/ls",
  "sh -c 'touch pwned'",
  "/home/dev/project/x.sh",
  "tee pwned",
  "gzip",
] as const;

/** Values that mean something to one program or another. */
export const TEXTS: readonly string[] = [
  ..."1 2 5 10 0 -1 1,3p foo TODO error alpha id name main HEAD HEAD~1 v1.0 topic main..topic stash@{0} never always auto utf-8 yes no".split(
    " ",
  ),
  ..."%s %h %H %an %(refname) %(trailers) +%Y-%m-%d .items .name * *.c **/*.ts ? [a-z] {} ; + , : = @ % ! ^ $ ~".split(
    " ",
  ),
  ..."r2 w r a x n k1 2,2 1K 4096 bytes all none size time oneline short full medium json text raw pager less cat".split(
    " ",
  ),
  ..."@notes.txt @pwned +pwned |pwned >pwned !pwned -pwned --output=pwned -opwned file:pwned a=b k=v".split(
    " ",
  ),
  "a b",
  "s/a/b/",
  "w pwned",
  "1e touch pwned",
  "|touch pwned",
  "!touch pwned",
  "| touch pwned",
  "exec:touch pwned",
  "ext::touch pwned",
  "",
] as const;

const SED: readonly string[] = [
  ..."p d q = l D N G H h x g n P F z 1p $p 1,3p 2q /foo/p /foo/d $!d 1~2p 0,/foo/d /a/,+2p /a/I,/b/p 5,$d $= y/abc/xyz/ s/a/b/ s/a/b/g s/a/b/gp s|a|b|I s,a,b,2 s/a/&&/ s/\\(a\\)/\\1/ {p} {p;d} :a ta ba b Q q5 L R".split(
    " ",
  ),
  "w pwned",
  "W pwned",
  "1w pwned",
  "s/a/b/w pwned",
  "s/o/e/gw pwned",
  "s/one/touch pwned/e",
  "s,one,touch pwned,Ie",
  "e touch pwned",
  "1e touch pwned",
  "e",
  "r notes.txt",
  "R notes.txt",
  "r /dev/stdin",
  "w /dev/stdout",
  "a text",
  "i\\\ntext",
  "c\\\ntext w pwned",
  "a\\",
  "y/w/e/",
  "s/w/w/",
  "s/\\//w pwned/",
  "s/[/]/w pwned/",
  "s\nx\ny\nw pwned",
  "/x/w pwned",
  "\\,x,w pwned",
  "\\xaxw pwned",
  "{w pwned\n}",
  "}",
  "# w pwned",
  "#n",
  "v",
] as const;

const AWK = [
  "{print}",
  "{print $1}",
  "NR==1",
  "NR>=2 && NR<=4",
  "/foo/",
  "/foo/{print $2}",
  "!seen[$0]++",
  "END{print NR}",
  'BEGIN{FS=","}',
  "{s+=$3} END{print s}",
  '{print > "pwned"}',
  '{print >> "pwned"}',
  '{printf "%s", $1 > "pwned"}',
  "{print $1, $2 > $3}",
  '{print | "tee pwned"}',
  'BEGIN{system("touch pwned")}',
  'BEGIN{system ("touch pwned")}',
  'BEGIN{"touch pwned" | getline}',
  'BEGIN{while((getline l < "notes.txt")>0) print l}',
  "{print ($1 > 2)}",
  '$1>"pwned"',
  "{print $1>2}",
  '{print(1)>("pw" "ned")}',
  '{a=1/2>"pwned";print a}',
  '{print 1/2>"pwned"/1}',
  "{print a[1>2]}",
  "{print /a>b/}",
  '{print "a>b"}',
  '{print "\\">\\""}',
  '{print $1 # > "pwned"\n}',
  "function f(x){return x>1} {print f($1)}",
  'function f(x){print x > "pwned"} {f($1)}',
  '{print length()>"pwned"}',
  '{print;\nprint > "pwned"}',
  '@include "prog.awk"',
  '@load "filefuncs"',
  "{print toupper($0)}",
  '{gsub(/a/,"b")}1',
  '{print > "/dev/stdout"}',
  '{print > "/dev/stderr"}',
  '{print | "cat"}',
  '{print | "sort"}',
  '{print |& "tee pwned"}',
  '{f="system"; @f("touch pwned")}',
  '{print $0 ? "x" : "y" > "pwned"}',
  '{close("pwned")}',
  "1",
] as const;

const JQ =
  '. .name .items[] .items[0].id keys length .[] input inputs env $ENV.HOME input_filename debug stderr halt_error @sh @base64 .name|ascii_downcase [.[]|tostring] del(.name) to_entries ..|.id? input_line_number $__prog_args now|todate getpath(["name"]) ltrimstr("a") include"prog";. import"prog"as$p;.'.split(
    " ",
  );

const FIND = [
  ..."-type f -type d -maxdepth 2 -mindepth 1 -print -print0 -ls -quit -prune -empty -o -a -not ! ( ) , -depth -follow -xdev -daystart -true".split(
    " ",
  ),
  ..."-L -H -P -O3 -Dtree -D exec -delete -size +1k -mtime -1 -newer notes.txt -perm -u+x -user root -links 2 -regextype sed".split(
    " ",
  ),
  "-name *.c",
  "-iname 'README*'",
  "-path './src/*'",
  "-regex '.*\\.c'",
  "-printf '%p\\n'",
  "-printf '%f %s'",
  "-fprint pwned",
  "-fprint0 pwned",
  "-fls pwned",
  "-fprintf pwned '%p'",
  "-fprint /dev/stdout",
  "-exec cat {} \\;",
  "-exec grep -l foo {} +",
  "-exec touch pwned \\;",
  "-exec ./x.sh {} \\;",
  "-exec {} \\;",
  "-execdir ls {} \\;",
  "-execdir cat {} +",
  "-exec sh -c 'cat \"$1\"' _ {} \\;",
  "-exec sh -c 'touch pwned' \\;",
  "-exec sed -n 1p {} \\;",
  "-exec sed -i s/a/b/ {} \\;",
  "-ok rm {} \\;",
  "-okdir rm {} \\;",
  "-files0-from list.txt",
] as const;

const TAR =
  "tf -tf tvf -tvf tzf -tzvf xf -xf -xOf xOf cf -cf -czf c x t -x -t -C src --list --to-stdout -O --extract --create -f archive.tar archive.tar.gz -z -I gzip -I./x.sh --use-compress-program=./x.sh --to-command=./x.sh --checkpoint=1 --checkpoint-action=exec=./x.sh --index-file=pwned --rsh-command=./x.sh --info-script=./x.sh -F ./x.sh -g pwned --listed-incremental=pwned notes.txt --wildcards *.txt -v --totals --delete -A -r -u -d --diff --test-label --exclude=*.c -T list.txt --files-from=list.txt -L 1 -M --volno-file=pwned --show-defaults --warning=none".split(
    " ",
  );

const TEST =
  "-f -d -e -r -s -L -x -n -z -v -o -a ! ( ) = != == -eq -lt -nt -ef notes.txt src a 1 a[$(touch${IFS}pwned)] x".split(
    " ",
  );

const XARGS =
  "-n1 -n 1 -0 -r -I{} -I {} -i -L1 -P2 -t -p -a list.txt -d , -E x --arg-file=list.txt --process-slot-var=X -x cat head -1 grep -l foo ls wc -l echo {} sh -c sed -n 1p touch pwned rm ./x.sh basename file stat".split(
    " ",
  );

const ENV =
  "-i -u HOME A=b PATH=. -S -C src --chdir=src -v -0 - -- ls cat notes.txt LD_PRELOAD=./x.so printenv".split(
    " ",
  );

const LANGUAGES: Readonly<Record<string, readonly string[]>> = {
  sed: SED,
  awk: AWK,
  jq: JQ,
  find: FIND,
  tar: TAR,
  test: TEST,
  xargs: XARGS,
  env: ENV,
};

/** Pieces of a small language that a program's words are written in. */
export function pieces(language: string): readonly string[] | undefined {
  return Object.hasOwn(LANGUAGES, language) ? LANGUAGES[language] : undefined;
}

/** A text in one of the small languages. */
export function script(random: Random, language: "sed" | "awk" | "jq"): string {
  const parts = random.some(pieces(language) ?? [], 1, random.chance(0.6) ? 1 : 4);
  const separators = {
    sed: [";", "\n", " ; ", "", "}", "{"],
    awk: [" ", ";", "\n", ""],
    jq: ["|", ",", " | "],
  };
  return parts.reduce((text, part) => `${text}${random.pick(separators[language])}${part}`);
}
