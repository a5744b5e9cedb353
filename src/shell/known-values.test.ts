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
]);
