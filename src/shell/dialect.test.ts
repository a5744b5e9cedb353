import { describe, expect, it } from "vitest";
import { type Dialect, readsOtherwise } from "./dialect.ts";

/** Text, the dialect, and whether it may be read otherwise than bash reads it. */
const ROWS: readonly (readonly [string, Dialect, boolean])[] = [
  ["exec -a x echo y", "bash", false],
  ["exec -a x echo y", "sh", true],
  ["exec echo y", "sh", false],
  ["ls -la | head -5 && echo 'a b'", "sh", false],
  ["npm test 2>&1 | tail -20 > out.txt", "sh", false],
  ['cd src && for f in *.ts; do wc -l "$f"; done', "sh", false],
  ["rm $'a'", "sh", true],
  ['rm $"a"', "sh", true],
  ["ls &> out", "sh", true],
  ["ls >&out", "sh", true],
  ["ls >&2", "sh", false],
  ["ls |& tee x", "sh", true],
  ["cat <(ls)", "sh", true],
  ["cat <<< x", "sh", true],
  ["[[ -f x ]] && cat x", "sh", true],
  ["[ -f x ] && cat x", "sh", false],
  ["echo $((1 + 2))", "sh", false],
  ["((x)); ls", "sh", true],
  ["cat {a,b}", "sh", true],
  ["cat {1..3}", "sh", true],
  ["echo '{a,b}'", "sh", false],
  ["{ ls; pwd; }", "sh", false],
  ["echo ${x:-y} ${x%.ts}", "sh", false],
  ["echo ${x:0:3}", "sh", true],
  ["echo ${x//a/b}", "sh", true],
  ["echo ${!x}", "sh", true],
  ["x=(a b)", "sh", true],
  ["x+=a; ls $x", "sh", true],
  ["cat a 10>x", "sh", true],
  ["cat a 1>x", "sh", false],
  ["cd ~+", "sh", true],
  ["pushd /tmp; rm x", "sh", true],
  ["alias ls=touch\nls x", "sh", true],
  ["time ls", "sh", true],
  ["sleep 1; echo time", "sh", true],
  ["HOME=/root/.ssh export A; cat ~/id_rsa", "sh", true],
  ["HOME='/root/.ssh' : ; cat ~/id_rsa", "sh", true],
  ["HOME=$(pwd) eval ls", "sh", true],
  ["A=b make exit", "sh", false],
  ["rm x$UID", "sh", true],
  ["cat $(echo 'a\\bc')", "sh", true],
  ["cat $(ls)", "sh", false],
  ["ls ?(x)", "sh", true],
  ["ls -la && cat a/b 2>/dev/null", "other", false],
  ["ls *(e:'touch x':)", "other", true],
  ["ls =touch", "other", true],
  ["ls $x", "other", true],
];

describe("code for another shell than bash", () => {
  it.each(ROWS)("%s for %s: %s", (text, dialect, expected) => {
    expect(readsOtherwise(text, dialect)).toBe(expected);
  });

  it.each(["{,", "a=;", "$(", "${x", '"', "((", "read ", "a=b ", "echo ", "'", "`"])(
    "is told in time that grows with the length of %s",
    (piece) => {
      const text = piece.repeat(Math.ceil(120_000 / piece.length));
      const begun = performance.now();
      readsOtherwise(text, "sh");
      readsOtherwise(text, "other");
      // Two thousand times what it takes; a square of the length takes more.
      expect(performance.now() - begun).toBeLessThan(2_000);
    },
  );
});
