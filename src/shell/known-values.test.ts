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

rows("what a substitution prints is known where its words say it", [
  ['o=build/x.txt; mkdir -p "$(dirname "$o")"', "write build"],
  ["o=build/x.txt; mkdir -p $(dirname $o)", "write build"],
  ["f=src/a.ts; cp $f out/$(basename $f .ts).js", "read src/a.ts; write out/a.js"],
  ["cat $(dirname a) $(dirname /a) $(basename /x/y/) $(basename /)", "read .; read /; read y"],
  ["cd src && cat $(pwd)/a", "read src/a"],
  ['mkdir "$(dirname $x)"', "immune"],
  ["d='a b/c'; mkdir $(dirname \"$d\")", "immune"],
  ["dirname() { echo -rf; }; rm $(dirname a/b)", "immune"],
  ["rm $(dirname -- -rf)", "immune"],
  ["rm $(dirname a/b; echo c)", "immune"],
  ['dpkg -S "$(which git)"; sort "$(pwd)"', "read ."],
  ['cd $x; sort "$(pwd)"', "read / somewhere"],
  ["dpkg -S $(which git)", "asks"],
  ["cd $x; sort $(pwd)", "asks"],
]);

rows("a name of which only numbers aren't known is a pattern", [
  ['for i in $(seq 1 3); do echo $i > "f$i.txt"; done', "write f*.txt"],
  ["for ((i = 0; i < 3; i++)); do cp a b$i; done", "read a; write b*"],
  ["for i in $(seq 1 3); do rm -rf d$i; done", "delete d* below"],
  ["for i in $(seq 1 3); do touch d$i/x; done", "write d*/x"],
  ["for i in $(cat x); do touch d$i; done", "asks"],
  ["for i in $(seq 1 3); do touch '[a]'$i; done", "asks"],
  ["cd $x; for i in $(seq 1 3); do touch f$i; done", "asks"],
]);

rows("where words are split", [
  ["IFS=$'\\n'; for f in $(find src -name x); do cat \"$f\"; done", "list src below; read . somewhere"],
  ["IFS=$'\\n'; x='a b'; cat $x", "read a b"],
  ["IFS=; x='a b'; cat $x", "read a b"],
  ["IFS=' '; x='a b'; cat $x", "read a; read b"],
  ["IFS=,; x=a,b; cat $x", "asks"],
  ["IFS=x eval 'y=.x-delete; find $y'", "asks"],
  ["f() { IFS=; }; f; x='a b'; cat $x", "read / somewhere"],
  ["for c in git node; do command -v $c && $c --version; done", "harmless"],
  ["IFS=$y; x=a,b; cat $x", "asks"],
  ["read IFS < y", "asks"],
  ["while read -r name path; do ls $path; done < x", "read x; list . somewhere"],
]);
