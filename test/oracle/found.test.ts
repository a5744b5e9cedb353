import { beforeAll, describe, expect, it } from "vitest";
import { loadParser } from "../../src/shell/analyse.ts";
import { judge } from "./judge.ts";

/**
 * What the oracle and the laws have found: commands that were judged to read, or to edit less, than they really did, and the
 * harmless neighbours of each.
 */
describe("commands that were once judged too mildly", () => {
  beforeAll(loadParser);

  it.each([
    // A variable with the integer attribute evaluates whatever it is given, and with it any substitution in a subscript.
    ["declare -i n; n='a[$(touch pwned)]'; ls", "asks"],
    ["typeset -i n; n='a[$(touch pwned)]'", "asks"],
    ["declare +x -i n; n='a[$(touch pwned)]'", "asks"],
    ["o=-i; declare $o n; n='a[$(touch pwned)]'", "asks"],
    ["eval 'declare -i n'; n='a[$(touch pwned)]'", "asks"],
    ["declare -i n; for n in 'a[$(touch pwned)]'; do ls; done", "asks"],
    ["declare n=1; ls", "reads"],
    // So does a key of an ordinary array.
    ["x='a[$(touch pwned)]'; a=([x]=1)", "asks"],
    ["a=([0]=x [1]=y); echo ${a[1]}", "reads"],
    // After an assignment, a lone dash or a double one, env takes no more options: the next word is the program.
    ["env PATH=. -C src", "asks"],
    ["env A=b -u HOME", "asks"],
    ["env - -v", "asks"],
    ["env -- -C src", "asks"],
    ["env -- --", "asks"],
    // Nothing is split after `--split-string=`: the next word is the program, blanks and all.
    ["env --split-string= 'ls x'", "asks"],
    ["env --split-string='ls x'", "reads"],
    // An ending makes the name of what is written.
    ["gzip -S t/hooks/pre-commit .gi", "asks"],
    ["gzip -S v .en", "asks"],
    ["gzip -c -S .gz a.txt", "reads"],
    // Folders that aren't the repository's are compared whole.
    ["git diff src ~", "asks"],
    ["git diff --no-index src ~", "asks"],
    ["git diff --stat src", "reads"],
    // Only the blanks of ASCII part words for env.
    ["env -S '\u00a0dirname x'", "asks"],
    ["env -i LC_ALL=C ls", "reads"],
    ["env -u HOME LC_ALL=C ls -l", "reads"],
    ["env -- ls", "reads"],
    ["env - LC_ALL=C ls", "reads"],
    ["env -C src ls", "reads"],
    // tee takes a dash for a name.
    ["ls | tee -", "edits"],
    ["ls | tee /dev/stderr", "reads"],
    // Without a choice it is `-delete` in other words.
    ["find . -type f -exec rm -f {} +", "asks"],
    ["find . -exec rm {} \\;", "asks"],
    ["find src -name '*.o' -exec rm {} +", "edits"],
    // It puts the times of the files back.
    ["file -p notes.txt", "asks"],
    ["file --preserve-date notes.txt", "asks"],
    ["file -b notes.txt", "reads"],
    // Its operand is a terminal that it draws on.
    ["tload ./bin/ls", "asks"],
    ["tload", "reads"],
    // A word of the filter is looked up as a host.
    ["ss -t dst secret.example.com", "asks"],
    ["ss -tr", "asks"],
    ["ss --resolve", "asks"],
    ["ss -tlnp", "reads"],
    ["ss -t state established", "reads"],
    // Behind more braces than are spelled out there may still be something that runs.
    [`echo ${"{a,b}".repeat(8)}$(touch pwned)`, "asks"],
    [`echo ${"{a,b}".repeat(8)}\${x:=$(touch pwned)}`, "asks"],
    [`echo ${"{a,b}".repeat(8)}`, "reads"],
    [`cat ${"{a,b}".repeat(2)}.txt`, "reads"],
    // A number behind `<` that stands before another redirection is no file's name.
    ["ls<2>&1", "asks"],
    ["ls <<< 2>&1", "asks"],
    ["{ ls; }<2>&1", "asks"],
    ["cat < 2 >&1", "reads"],
    ["cat <<< 2 2>&1", "reads"],
    ["ls 2>&1 1>/dev/null", "reads"],
    // The environment keeps git from starting what a repository's settings name, and from refreshing its index.
    ["GIT_OPTIONAL_LOCKS=1 git status", "asks"],
    ["GIT_OPTIONAL_LOCKS=0 git status", "reads"],
    ["export -n GIT_OPTIONAL_LOCKS; git status", "asks"],
    ["declare +x GIT_OPTIONAL_LOCKS; git status", "asks"],
    ["env -u GIT_CONFIG_COUNT git status", "asks"],
    ["env -i git blame notes.txt", "asks"],
    ["env -i bash -c 'git status'", "asks"],
    ["exec -c git status", "asks"],
    ["env -i ls", "reads"],
    // What an option takes differs between programs that look alike: here the next word is a file.
    ["od -s link-env", "asks"],
    ["od -e .env", "asks"],
    ["hexdump -s 4 notes.txt", "reads"],
    ["hexdump -n 4 .env", "asks"],
    ...[
      "cat -v",
      "cat -b",
      "cat -t",
      "cat -s",
      "tac -b",
      "nl -p",
      "fold -s",
      "fmt -s",
      "expand -i",
      "ul -i",
    ].map((start) => [`${start} .env`, "asks"]),
    ["git grep --no-index -e x -n .env", "asks"],
    ["nl -w 3 notes.txt", "reads"],
    ["grep --binary 1 .env", "asks"],
    ["zgrep --context 1 .env", "asks"],
    ["column --table .env", "asks"],
    ["ptx -o .env", "asks"],
    ["diff --context .env notes.txt", "asks"],
    ["users .env", "asks"],
    ["pgrep -F .env", "asks"],
    ["findmnt -F.env", "asks"],
    ["git rev-parse --resolve-git-dir .env", "asks"],
    ["pmap -N pwned 1", "asks"],
    ["pmap -x 1", "reads"],
    ["zgrep -n foo data.csv.gz", "reads"],
    // A folder of these is read whole.
    ["file -m . package.json", "asks"],
    // Behind the first operand nothing is an option.
    ["xxd package.json -s168", "asks"],
    ["xxd -s 16 package.json", "reads"],
    // Bash expands the target of `>&` twice, whatever its quotes.
    ["ls >&'$(touch pwned)'", "asks"],
    ["ls >& '`touch pwned`'", "asks"],
    ["x='$(touch pwned)'; ls >& \"$x\"", "asks"],
    ["ls >&'~/pwned'", "asks"],
    ["ls >&'/dev/null'", "reads"],
    ["ls >& src/out.txt", "edits"],
    ["ls &> 'a b.txt'", "edits"],
    // It removes what it packs, and a file named "-" when it is told nothing.
    ["zip -m", "asks"],
    ["zip -m new.zip notes.txt", "asks"],
    // Not every program prints its version when it is asked to.
    ["ssh-copy-id --version", "asks"],
    ["ssh -V", "reads"],
    // Text that the parser drops and bash stumbles over.
    ["ls (", "asks"],
    ["ls( -x", "asks"],
    ["echo $(ls ( -x)", "asks"],
    ["mkdir>(cat) src/x", "asks"],
    ["grep 'def foo (' src/util.py", "reads"],
    ['echo "a (b" (', "asks"],
    ["cat <(ls) notes.txt", "reads"],
  ])("%j: %s", async (command, expected) => {
    expect((await judge(command)).verdict).toBe(expected);
  });

  it.each([
    "grep S$(echo ET .env)",
    "head -n$(echo 1 .env)",
    "tail -n $(echo 1 .env)",
    "cut -d$(echo = .env) -f1",
  ])("says that %j may read any file", async (command) => {
    const { effects } = await judge(command);
    expect(effects).toContainEqual(expect.objectContaining({ kind: "read", dynamic: true }));
  });

  it.each([
    "grep -R TODO -n",
    "grep -rn TODO",
    "grep -r -e TODO",
    "rg TODO",
    "rg -e TODO",
    "ag TODO",
    "grep -d recurse TODO",
  ])("says that %j reads everything below", async (command) => {
    const { effects } = await judge(command);
    expect(effects).toContainEqual(
      expect.objectContaining({ kind: "read", path: "/home/dev/project", recursive: true }),
    );
  });
});
