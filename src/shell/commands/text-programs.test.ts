import { rows } from "./rows.ts";

rows("grep and diff", [
  ["grep -rn 'a; b | c' src --include=*.ts", "read src below"],
  ["grep -f words a", "read words; read a"],
  ["grep -e x -- a b", "read a; read b"],
  ['grep "$x" *.md', "read *.md"],
  ["diff -ru a b; cmp a b", "read a below; read b below; read a; read b"],
]);

rows("find", [
  ["find . -name '*.ts' -not -path './x/*' -newermt '2 days ago' -print0", "list . below"],
  ["find -L a b -type f", "list a below; list b below"],
  ["find . -name *.ts", "list . below"],
  ["find . -delete", "list . below; delete . below"],
  ["find . -name '*.tmp' -\\delete", "list . below; delete ** below"],
  ["find . -fprintf out '%p' -fls o2", "write out; write o2; list . below"],
  ["find . -exec grep -l x {} +", "read **; list . below"],
  ["find src -exec sed -n 1p {} \\;", "read src/**; list src below"],
  ["find . -exec sh -c './x' \\;", "asks"],
  ["find . -execdir python3 {} \\;", "asks"],
  ["find * -name x", "asks"],
  ['find "$d" -name x', "asks"],
  ["find . -nosuchtest x", "asks"],
  ["printf 'a' | find -files0-from - -exec touch x \\;", "asks"],
]);

rows("sed scripts", [
  ["sed -n '10,20p;$=' f", "read f"],
  ["sed -e 's/[^/]*$//' -e 's|a|b|2gI;y/a/b/' f", "read f"],
  ["sed ':a;N;$!ba;s/\\n/ /g' f", "read f"],
  ["sed '/a/,/b/{/c/!d}' f; sed 5q f; sed '0~3d' f", "read f"],
  ["sed 's/a/woutput/' f", "read f"],
  ["sed '1r other' f", "read other; read f"],
  ["sed -n '/a/w out' f", "write out; read f"],
  ["sed 's/a/b/gw out' f", "write out; read f"],
  ["sed 's/[/]/x/w out' f", "write out; read f"],
  ["sed 's/al\\/*/x/w out' f", "write out; read f"],
  ['sed "\\\\,a,w out" f', "write out; read f"],
  ["sed 's/a/b/\nw out' f", "write out; read f"],
  ["sed 's/a/b/w /dev/stdout' f", "read f"],
  ["sed '1e id' f", "asks"],
  ["sed 's/a/b/Ie' f", "asks"],
  ["sed '1{e id\n}' f", "asks"],
  ["sed -f script f", "asks"],
  ["sed -i s/a/b/ f", "write f"],
  ["sed -ni.bak -e 1p f", "write f"],
  ["sed -n 1p f --in-place", "write f"],
  ['sed "$script" f', "asks"],
  ["sed s/a/*/ f", "asks"],
]);

rows("awk programs", [
  ["awk -F: -v n=1 '{print $1, n > \"/dev/stderr\"}' f", "read f"],
  ["awk '$3 > 5 && /a\\/b/ {s += $1 / 2} END {printf \"%d\\n\", s}' f", "read f"],
  ["awk 'NR==FNR{a[$1];next} $1 in a {print ($1 > 5)}' a b", "read a; read b"],
  ["awk '{print | \"sort -n\"}' f", "read f"],
  ["awk '{print > \"out\"}' f", "write out; read f"],
  ["awk '{print > $1}' f", "asks"],
  ['awk \'{printf("x") > "a" ".b"}\' f', "asks"],
  ["awk 'BEGIN {system(\"rm x\")}'", "delete x"],
  ["awk '{system($0)}' f", "asks"],
  ["awk 'BEGIN {\"date\" | getline}'", "asks"],
  ["awk 'BEGIN {while ((getline l < \"f\") > 0) print l}'", "read f"],
  ['awk \'BEGIN {if (1) / "/; system("id") # "/ }\'', "asks"],
  ["awk '{print ($1 + $2) / 2}' f", "read f"],
  ['gawk \'BEGIN {s = "/inet/tcp/0/x/9"; print "x" |& s}\'', "asks"],
  ['gawk \'BEGIN {f = "system"; @f("id")}\'', "asks"],
  ["awk -f x.awk f; gawk -i inplace 1 f", "asks"],
  ['awk "$p" f', "asks"],
]);

rows("looking into files", [
  ["file a; xxd -l 32 b; strings -n 8 c | head", "read a; read b; read c"],
  ["xxd a out", "read a; write out"],
  ["file -C -m x", "asks"],
  ["tree -L 2 -a", "list . below"],
  ["tree -o out", "asks"],
  ["fd -e ts x src", "list src below"],
  ["fd -x rm", "asks"],
  ["iconv -f utf8 -o out a", "write out; read a"],
]);
