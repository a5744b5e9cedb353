import { rows } from "./commands/rows.ts";

rows("values that are known are followed", [
  ['f=src/a.ts; cp a "${f%.ts}.js"', "read a; write src/a.js"],
  ['f=src/a.ts; cp a "${f#src/}"', "read a; write a.ts"],
  [
    'for f in a.txt b.txt; do mv "$f" "${f%.txt}.md"; done',
    "delete a.txt; write a.md; delete b.txt; write b.md",
  ],
  ['f=src/a.ts; cp a "${f%$x}.js"', "asks"],
  ["f=src/a.ts; cat ${f%src/a.ts} b", "read . somewhere; read b"],
  ['cp a "${f%.ts}.js"', "asks"],
  ["f='a b'; touch ${f%.ts}", "asks"],
  ["mv *.log logs/", "delete *.log; write logs"],
  ["mv * logs/", "asks"],
  ["cp -- *.txt d", "read *.txt; write d"],
  ["tar cf x.tar *.txt", "asks"],
  ["mktemp -u", "harmless"],
  ["mktemp -p src", "write src/tmp.XXXXXXXXXX"],
  ["n=$(grep -c . a); echo $((n + 1))", "harmless"],
  ["n=$(grep -c . a b); echo $((n + 1))", "asks"],
  ["n=$(grep -rc . a); echo $((n + 1))", "asks"],
  ["while read -r a _; do echo $a; done < x", "read x"],
  ["yq -i '.a = 1' a.yaml", "write a.yaml"],
  ["yq '.a' a.yaml", "read a.yaml"],
  ["for c in $(git rev-list -3 HEAD); do git show -s $c; done", "harmless"],
  ["for c in $(git log -3 --format=%h -- a); do git show -s $c; done", "asks"],
  ["git show --stat $(git log -n 2 --format='%H' --reverse)", "harmless"],
  ["git show --stat $(git log -n 2 --format='%s')", "asks"],
]);

rows("variables in which the shell keeps something of its own", [
  ["SECONDS=0; RANDOM=42; OPTIND=1; ls; echo $SECONDS", "list ."],
  ["SECONDS='x[$(touch y)]'", "asks"],
  ["RANDOM='x[$(touch y)]'", "asks"],
  ["RANDOM=$(cat x)", "asks"],
  ["export RANDOM=x", "asks"],
  ["RANDOM+=x", "asks"],
  ["HISTCMD=x; SRANDOM=x", "asks"],
  ["OPTIND='x[$(touch y)]'; getopts a b", "asks"],
  ["for RANDOM in x; do ls; done", "asks"],
  ["read RANDOM < x", "asks"],
  ["mapfile -t SECONDS < x", "asks"],
  [": ${RANDOM:=x}", "asks"],
  // What they hold is a number, whatever was put there.
  ["RANDOM=5; ls > f$RANDOM", "asks"],
  ["cd src && cat $PWD/a", "read src/a"],
  ["PWD=/work/repo; cd /etc && ls > $PWD/x", "asks"],
  ["OLDPWD=/work/repo; cd /etc && cd /tmp && ls > $OLDPWD/x", "asks"],
  ["for PWD in /work/repo; do cd /etc && ls > $PWD/x; done", "asks"],
]);

rows("names that hold on to what they have, or change what they are given", [
  ["readonly X=-delete\nX=.\nfind $X", "asks"],
  ["X=-delete; readonly X\nX=.\nfind $X", "asks"],
  ["f() { readonly X=-delete; }; f\nX=.\nfind $X", "asks"],
  ["declare -rx X=-delete\nX=.\nfind $X", "asks"],
  ["declare -l X; X=/WORK; cat $X", "asks"],
  ["declare -u X; X=a; cat $X", "asks"],
  ["readonly; readonly -p; declare -p X; declare -ar", "harmless"],
  ["declare -a X; X=(a b); export Y=1", "harmless"],
]);
