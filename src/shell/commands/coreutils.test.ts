import { rows } from "./rows.ts";

rows("readers", [
  ["ls", "list ."],
  ["ls -laR src --color=never", "list src below"],
  ["cat a - b", "read a; read b"],
  ["head -n 5 a; tail -20 b; head -c3 c", "read a; read b; read c"],
  ["wc -l --files0-from=list", "read list"],
  ["cut -d, -f2 a | tr a-z A-Z | paste - -", "read a"],
  ["du -sh . --max-depth=1", "list . below"],
  ["od -c a; sha256sum b; base64 -w0 c", "read a; read b; read c"],
  ["date; date -u +%F; date -d yesterday -Iseconds; date -r f", "read f"],
  ["hostname -f; uname -a; id; pwd; printenv PATH; seq 3; sleep 1", "harmless"],
  ["stat -c %s a", "list a"],
  ["test -e .env; [ -d src ]", "list .env; list src"],
]);

rows("readers with an option or operand that writes, runs or changes the machine", [
  ["sort -u a b", "read a; read b"],
  ["sort -ro out in", "write out; read in"],
  ["sort --out=out in", "write out; read in"],
  ["sort in -o out", "write out; read in"],
  ["sort --compress-program=./x in", "asks"],
  ["uniq -c a", "read a"],
  ["uniq a b", "read a; write b"],
  ["uniq ?.txt", "asks"],
  ["shuf -n1 -oout a", "write out; read a"],
  ["date 010100002020; date +%s", "system"],
  ["date -s 2020-01-01", "asks"],
  ["hostname evil", "asks"],
  ["arch -x86_64 touch x", "asks"],
  ["kill -9 1", "system"],
]);

rows("programs that change files", [
  ["touch a; mkdir -p b/c", "write a; write b/c"],
  ["rm -rf build", "delete build below"],
  ["rm -r -f -- -x *", "delete -x below; delete * below"],
  ['rm -f "$x"', "immune"],
  ["rmdir a", "delete a"],
  ["cp -r a b c/", "read a below; read b below; write c below"],
  ["cp -t /etc a", "write /etc; read a"],
  ["cp --target-directory=/etc a", "write /etc; read a"],
  ["cp src/*.ts out/", "read src/*.ts; write out"],
  ["mv a b", "delete a; write b"],
  ["mv src/*.txt out/; mv -t out a", "delete src/*.txt; write out; delete a"],
  ['mv "$x" y', "asks"],
  ["mv *.txt out/", "asks"],
  ["ln -s a b", "read a; write b"],
  ["tee -a out < in", "read in; write out"],
  ["truncate -s 0 f", "write f"],
  ["install -m 755 a b", "read a; write b"],
  ["dd if=a of=b bs=1M", "read a; write b"],
  ["dd if=a of=/dev/sda", "immune"],
  ["mkfs.ext4 /dev/sdb", "immune"],
  ["mktemp -d", "write /tmp/tmp.XXXXXXXXXX"],
]);

rows("modes", [
  ["chmod +x a; chmod u+w,g-w b; chmod 644 c; chmod -x d", "write a; write b; write c; write d"],
  ["chmod -R 755 a", "write a below"],
  ["chmod 777 a", "immune"],
  ["chmod 0666 a", "immune"],
  ["chmod a+rwx a", "immune"],
  ["chmod o=w a", "immune"],
  ['chmod "$m" a', "immune"],
]);

rows("the shell's own", [
  ["type ls; command -v git; jobs; umask; ulimit -a; set -x", "harmless"],
  ["trap 'rm x' EXIT", "asks"],
  ["trap - EXIT; trap '' INT", "harmless"],
  ["hash -p ./x ls", "asks"],
  ["enable -f ./x.so y", "asks"],
  ["mapfile -t a < f", "read f"],
  ["mapfile -C ./x -c 1 a < f", "asks"],
  ["compgen -C ./x a", "asks"],
  ["exec -a ls touch x", "write x"],
  ["umask 000", "system"],
  ["bash -n script.sh", "read script.sh"],
  ["bash script.sh", "opaque; read script.sh"],
  ["bash --rcfile x -c ls", "asks"],
]);
