import { quote, quoteFancily } from "./quote.ts";
import type { Random } from "./random.ts";
import { FILES, NEW } from "./values.ts";

/** Makes a command from one command, with another at hand to take pieces from. */
type Mutation = (command: string, random: Random, other: string) => string;

/** Ways to run a command inside something else. */
const WRAPPERS: readonly ((command: string) => string)[] = [
  ..."timeout 5|nice|nice -n 5|env|env A=b|command|builtin|exec|time|time -p|nohup|setsid|stdbuf -oL|ionice -c3|chrt -o 0|!|coproc|sudo|xargs|xargs -I{}|xargs -n1|find . -maxdepth 1 -name notes.txt -exec|env -i|env -S|timeout -k 1 5|command -p|exec -a x|taskset 1|flock pwned|watch -n1|unshare|linux32|busybox|git -C .|doas|parallel|script -c|eval|command -v|type|time time"
    .split("|")
    .map(
      (wrapper) =>
        (command: string): string =>
          `${wrapper} ${command}`,
    ),
  ..."bash -c|sh -c|eval|bash -lc|dash -c|env -S|bash -xc|bash -c --|su -c|script -qc|xargs sh -c|bash +x -c|git -c alias.x=!sh"
    .split("|")
    .map(
      (shell) =>
        (command: string): string =>
          `${shell} ${quote(command)}`,
    ),
  (command) => `(${command})`,
  (command) => `{ ${command}; }`,
  (command) => `if true; then ${command}; fi`,
  (command) => `if ${command}; then echo yes; else echo no; fi`,
  (command) => `while ${command}; do break; done`,
  (command) => `for f in *.txt src; do ${command}; done`,
  (command) => `for f in notes.txt README.md; do ${command} "$f"; done`,
  (command) => `for f in pwned; do ${command} $f; done`,
  (command) => `while read -r l; do ${command}; done < list.txt`,
  (command) => `cat list.txt | while read f; do ${command} "$f"; done`,
  (command) => `case a in a) ${command};; *) ls;; esac`,
  (command) => `f() { ${command}; }; f`,
  (command) => `f() { ${command} "$@"; }; f pwned`,
  (command) => `ls() { ${command}; }; ls`,
  (command) => `echo $(${command})`,
  (command) => `echo "$(${command})"`,
  (command) => `X=$(${command}); echo "$X"`,
  (command) => `X=$(${command}) && ls "$X"`,
  (command) => `echo \`${command}\``,
  (command) => `cat <(${command})`,
  (command) => `diff <(${command}) <(ls)`,
  (command) => `${command} <(ls)`,
  (command) => `${command} > >(cat)`,
  (command) => `trap ${quote(command)} EXIT`,
  (command) => `cat <<EOF\n$(${command})\nEOF`,
  (command) => `cat <<'EOF'\n$(${command})\nEOF`,
  (command) => `${command} <<'EOF'\ntouch pwned\nEOF`,
  (command) => `${command} <<< 'touch pwned'`,
  (command) => `(cd src && ${command})`,
  (command) => `echo notes.txt | xargs ${command}`,
  (command) => `printf '%s\\n' notes.txt pwned | xargs -I{} ${command} {}`,
  (command) => `[[ -n $(${command}) ]]`,
  (command) => `(( $(${command} | wc -l) > 0 ))`,
  (command) => `echo "\${x:-$(${command})}"`,
  (command) => `echo \${x:=$(${command})}`,
  (command) => `x=${quote(command)}; $x`,
  (command) => `x=${quote(command)}; eval "$x"`,
  (command) => `x=(${command}); "\${x[@]}"`,
  (command) => `set -- ${command}; "$@"`,
  (command) => `alias q=${quote(command)}; q`,
  (command) => `shopt -s expand_aliases\nalias ls=${quote("touch pwned")}\n${command}`,
  (command) => `set -x; PS4='$(touch pwned)'; ${command}`,
  (command) => `. <(echo ${quote(command)})`,
  (command) => `${command} & wait`,
  (command) => `select f in a; do ${command}; done`,
  (command) => `until ${command}; do break; done`,
  (command) => `export X=pwned; ${command}`,
  (command) => `declare -i n; n='a[$(touch pwned)]'; ${command}`,
  (command) => `mapfile -t a < list.txt; ${command} "\${a[0]}"`,
  (command) => `mapfile -C 'touch pwned' -c 1 a < list.txt; ${command}`,
  (command) => `IFS=/; ${command}`,
  (command) => `unset x; \${x:+${command}}; ${command}`,
];

/** What may stand before a command. */
const PREFIXES =
  "A=b|LC_ALL=C|TZ=UTC|PATH=./bin:$PATH|PATH=bin|LD_PRELOAD=./x.so|PAGER=./x.sh|GIT_PAGER=./x.sh|GIT_EXTERNAL_DIFF=./x.sh|GIT_SSH_COMMAND=./x.sh|GIT_DIR=.git|GIT_CONFIG_GLOBAL=notes.txt|GIT_TRACE=/home/dev/pwned|GIT_TRACE2=/home/dev/pwned|BASH_ENV=./x.sh|ENV=./x.sh|LESSOPEN=|RIPGREP_CONFIG_PATH=notes.txt|TMPDIR=/home/dev|EDITOR=./x.sh|IFS=x|HOME=/tmp|GREP_OPTIONS=-r|TAR_OPTIONS=--to-command=./x.sh|PERL5OPT=-Mx|PYTHONSTARTUP=x.sh|MANPAGER=./x.sh|GCONV_PATH=.|X[0]=1|A=$(touch pwned)|A=`touch pwned`|A=$((a[$(touch pwned)]))|SHELLOPTS=xtrace|PS4=$(touch pwned)|CDPATH=..|COLUMNS=1|NO_COLOR=1|GIT_OPTIONAL_LOCKS=1|GIT_INDEX_FILE=pwned|GIT_ASKPASS=./x.sh|TIME=x|AWKPATH=.|VISUAL=./x.sh|JQ_COLORS=1|GIT_CONFIG_COUNT=0|LD_DEBUG_OUTPUT=pwned LD_DEBUG=all|MALLOC_TRACE=pwned|GLIBC_TUNABLES=x".split(
    "|",
  );

const BEFORE =
  'cd src &&|cd src;|cd /tmp &&|cd .. &&|cd "$HOME" &&|cd -;|pushd src >/dev/null &&|true &&|false ||#x\n|set -e;|set -euo pipefail\n|echo ===;|sleep 0;|cd link-out &&|cd $(pwd) &&|cd "$(git rev-parse --show-toplevel)" &&|x=1;|umask 0;|ulimit -n;|shopt -s globstar;|set -f;|export LC_ALL=C;|cd bin &&|exec 3>pwned;|exec 3<notes.txt;|hash -p ./x.sh ls;|enable -n echo;|PATH=bin:$PATH;|export PAGER=./x.sh;|unset PATH;|: > pwned;|: ${x:=y};|readonly x=1;|local x;|hash -r;|history -c;'.split(
    "|",
  );

const AFTER =
  ' | head -3| | cat| | wc -l| | sort -u| | grep -v foo| | sed -n 1,3p| | xargs ls| | xargs cat| | tee pwned| | xargs touch| | sh| | bash| | while read l; do echo $l; done| || true| && echo ok|; echo $?|; echo "${PIPESTATUS[0]}"|\nls| # comment| 2>&1| 2>/dev/null| >/dev/null 2>&1| &>/dev/null| > pwned| >> pwned| 2> pwned| &> pwned| >| pwned| <> pwned| < notes.txt| 1>&2| >&2| 3>&1| > /dev/stdout| > /dev/stderr| >&pwned| > $HOME/pwned| {fd}>pwned| > "pw"ned| < pwned| <&-| > /dev/fd/1| >/tmp/pwned| &| ;| &&| |& cat| |&tee pwned| | awk \'{print $1}\'| | cut -d, -f1| | tr a b| | nl| | tail -n +2| | column -t| | jq .| | uniq -c| | python3| | perl -pe 1| | xargs -n1 basename| | xargs -I{} sh -c \'{}\'| > >(tee pwned)| | read x| | mapfile| {pwned,x}| ~| \\\n| pwned| -o pwned| --output=pwned| $X| "$@"| *| ?| [a-z]* {a..c}'.split(
    "|",
  );

/** Pieces that break words, open something, or end something. */
export const TOKENS: readonly string[] =
  "; & && || | |& ( ) { } < > >> << <<< <> >& &> >| ! # $ ` ' \" \\ \n \r \t \v \f ~ * ? [ ] = - -- -o -w -e -i -f -n -c -x -X -O -p -s -E -r pwned >pwned 2>&1 $(touch${IFS}pwned) `touch${IFS}pwned` ${x} $x $'\\n' $\"x\" $[1] $((1)) {a,b} <(ls) >(cat) --output=pwned --exec=./x.sh ./x.sh + @ ^ % \u00a0 \u2028 \u200b é $IFS ${IFS} $@ $* ${!x} ${x@P} \\; {} /dev/tcp/127.0.0.1/9 if then fi do done in case esac function time coproc [[ ]] (( ))".split(
    " ",
  );

/** Cuts a command where the shell roughly would. */
function tokens(command: string): string[] {
  return command.match(/'[^']*'|"(?:[^"\\]|\\.)*"|\s+|[|&;<>()]+|[^\s|&;<>()'"]+|./gs) ?? [];
}

function atToken(command: string, random: Random, change: (all: string[], at: number) => void): string {
  const all = tokens(command);
  if (all.length > 0) change(all, random.below(all.length));
  return all.join("");
}

const MUTATIONS: readonly (readonly [weight: number, Mutation])[] = [
  [5, (command, random) => random.pick(WRAPPERS)(command)],
  [2, (command, random) => `${random.pick(PREFIXES)} ${command}`],
  [3, (command, random) => `${random.pick(BEFORE)} ${command}`],
  [5, (command, random) => `${command}${random.pick(AFTER)}`],
  [
    3,
    (command, random, other) =>
      `${command}${random.pick([" && ", "; ", " | ", " || ", "\n", " & "])}${other}`,
  ],
  // A word written in another way.
  [
    4,
    (command, random) =>
      atToken(command, random, (all, at) => {
        const token = all[at] ?? "";
        if (/^[\w./=-]+$/.test(token)) all[at] = quoteFancily(random, token);
      }),
  ],
  [2, (command, random) => atToken(command, random, (all, at) => all.splice(at, 1))],
  [2, (command, random) => atToken(command, random, (all, at) => all.splice(at, 0, all[at] ?? "", " "))],
  [3, (command, random) => atToken(command, random, (all, at) => all.splice(at, 0, random.pick(TOKENS)))],
  [
    3,
    (command, random) =>
      atToken(command, random, (all, at) => all.splice(at, 0, " ", random.pick(TOKENS), " ")),
  ],
  [
    2,
    (command, random) =>
      atToken(command, random, (all, at) => {
        const to = random.below(all.length);
        const [moved = ""] = all.splice(at, 1);
        all.splice(to, 0, " ", moved, " ");
      }),
  ],
  // The front of one and the end of another.
  [
    2,
    (command, random, other) => {
      const front = tokens(command);
      const end = tokens(other);
      return [
        ...front.slice(0, random.below(front.length + 1)),
        ...end.slice(random.below(end.length + 1)),
      ].join("");
    },
  ],
  [
    2,
    (command, random) => {
      const at = random.below(command.length + 1);
      return `${command.slice(0, at)}${random.pick(["\\\n", "\\", "''", '""', "\n", "\\\r\n", "$''"])}${command.slice(at)}`;
    },
  ],
  // Options in their other forms.
  [1, (command) => command.replace(/(--[\w-]{3,})=(\S)/, "$1 $2")],
  [1, (command) => command.replace(/(--[\w-]{3,}) (?=[^-\s])/, "$1=")],
  [
    2,
    (command, random) =>
      command.replace(/--[\w-]{4,}/, (name) => name.slice(0, 4 + random.below(name.length - 3))),
  ],
  // Many braces in front of a word's own text.
  [
    1,
    (command, random) =>
      atToken(command, random, (all, at) => {
        all[at] =
          `${random.pick(["{a,b}", "{1..3}", "{,x}", "{a}", "{}"]).repeat(1 + random.below(9))}${all[at] ?? ""}`;
      }),
  ],
  // Code in the middle of a word.
  [
    2,
    (command, random) => {
      const at = random.below(command.length + 1);
      const code = random.pick([
        "$(touch pwned)",
        "`touch pwned`",
        "$((a[$(touch pwned)]))",
        "${x:=$(touch pwned)}",
        "$(<notes.txt)",
        "$(ls)",
      ]);
      return `${command.slice(0, at)}${code}${command.slice(at)}`;
    },
  ],
  [1, (command) => command.replace(/ -(\w) -(\w)/, " -$1$2")],
  [1, (command) => command.replace(/ -(\w)(\w+)/, " -$2$1")],
  [
    2,
    (command, random) =>
      command.replace(/[\w.]+\.(?:txt|md|c|py|ts|json)\b/, () => random.pick([...FILES, ...NEW])),
  ],
];

const WEIGHTED: readonly Mutation[] = MUTATIONS.flatMap(([weight, mutation]) =>
  Array.from({ length: weight }, () => mutation),
);

/** A command changed once. */
export function mutate(command: string, random: Random, other: string): string {
  return random.pick(WEIGHTED)(command, random, other);
}
