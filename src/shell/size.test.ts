import { describe, expect, it } from "vitest";
import { rows } from "./commands/rows.ts";
import { isTooMuch } from "./size.ts";

const SOURCE = "if (a[0] && b) { call('it''s', `x`); } // 1 << 2; $x | \"y\"\n".repeat(1_500);
const JSON_TEXT = '  {"name": "a b", "list": [1, 2, {"x": null}], "text": "it\'s; (so|so)"},\n'.repeat(1_200);
const PROSE = "It isn't (quite) so & so; see > 5 < 6 # {or} not :(\n".repeat(2_000);

const JUDGED: readonly (readonly [what: string, command: string])[] = [
  ["nothing", ""],
  ["a file of source code", `cat <<'EOF' > f.js\n${SOURCE}EOF\nls`],
  ["a file in a here-document with tabs", `cat <<-\\EOF > f\n${SOURCE}\tEOF\nls`],
  ["a file of JSON", `cat > f.json <<"EOF"\n${JSON_TEXT}EOF\n`],
  ["a file of JSON without quotes around its end", `cat > f.json <<EOF\n${JSON_TEXT}EOF\n`],
  ["prose with a substitution in it", `cat > f <<EOF\n$(date)\n${PROSE}EOF\n`],
  ["two files", `cat <<'A' > a; cat <<B > b\n${PROSE}A\n${PROSE}B\nls`],
  ["a file in the middle of a list", `cd a && cat > b <<'END' && ls\n${SOURCE}END\ncat b`],
  ["a script in quotes", `python3 -c '${PROSE.replaceAll("'", "")}'`],
  ["text in double quotes", `git commit -m "${PROSE}"`],
  ["text in ANSI quotes", `echo $'${PROSE.replaceAll("'", "\\'")}'`],
  ["a comment", `# ${PROSE.replaceAll("\n", " ")}\nls`],
  [
    "quotes around a substitution with quotes",
    `echo "$(cat "a b" | grep "c'd")" '${PROSE.replaceAll("'", "")}'`,
  ],
  ["a shift of bits", `echo $((1<<2))\n${"ls -la\n".repeat(100)}`],
  ["a list of files", `git add ${"src/a/b.ts ".repeat(2_000)}`],
  ["a script of 500 lines", 'if [ -f "$x" ]; then echo "a: $x"; fi\n'.repeat(500)],
];

const REFUSED: typeof JUDGED = [
  ["words", "a ".repeat(6_000)],
  ["separators", "ls;".repeat(2_100)],
  ["pipes", "ls|".repeat(2_100)],
  ["lines", "ls\n".repeat(2_100)],
  ["redirections", ">a ".repeat(600)],
  ["here-documents", "<<A ".repeat(200)],
  ["here-documents with bodies", "cat <<A\nx\nA\n".repeat(200)],
  ["parameters", "$a".repeat(6_000)],
  ["parameters in quotes", `"${"$a".repeat(6_000)}"`],
  ["parameters in a here-document", `cat <<A\n${"$a ".repeat(6_000)}\nA\n`],
  ["words of a substitution in quotes", `"$(echo ${"a ".repeat(6_000)})"`],
  ["words of a substitution in a here-document", `cat <<A\n$(echo ${"a ".repeat(6_000)})\nA\n`],
  ["words behind a here-document", `cat <<'A'\nx\nA\necho ${"a ".repeat(6_000)}`],
  ["braces", "{a,b}".repeat(1_200)],
  ["nested substitutions", "$(".repeat(101)],
  ["nested substitutions in quotes", '"$('.repeat(101)],
  ["nested parameters", `$${"{a:-$".repeat(101)}`],
  ["nested subshells", "(".repeat(101)],
];

// Else padding would hide what is always asked about.
rows("what is too much is always asked about", [
  [`rm -rf a;${"ls;".repeat(2_100)}`, "immune"],
  [`bash -c '${"ls;".repeat(2_100)}'`, "immune"],
  [`${"cat a | grep b; ".repeat(999)}`, "immune"],
  [`${"cat a | grep b; ".repeat(300)}`, "harmless"],
  [`ls ${"a".repeat(200_000)}`, "immune"],
]);

describe("how much a command's text holds", () => {
  it.each(JUDGED)("isn't too much: %s", (_what, command) => {
    expect(isTooMuch(command)).toBe(false);
  });

  it.each(REFUSED)("is too much: %s", (_what, command) => {
    expect(isTooMuch(command)).toBe(true);
  });
});
