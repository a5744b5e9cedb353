import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { forAnyShell, isPosixShell, remoteCommand } from "./command.ts";

/** Login shells, some of them with a mind of their own; those that this machine has are tried. */
const SHELLS = [["sh"], ["bash"], ["dash"], ["zsh"], ["ksh"], ["busybox", "sh"], ["tcsh"], ["fish"]].filter(
  isHere,
);
const WORDS = [
  "it's",
  '"$HOME" `id`',
  "a\nb\n",
  "!x !! !$",
  "\\ \\\\ \\n",
  "%s %d %%",
  "ünï 漢字",
  "",
  "*?[x] {a,b} ~",
  "\t\r",
  "$(id);&|<>#",
];
const EXPECTED = WORDS.map((word) => `[${word}]`).join("");

describe("a command for a login shell", () => {
  it.each(SHELLS)("reaches a program word by word through %s %s", (...shell) => {
    const path = shell.filter((word) => typeof word === "string");
    const posix = isPosixShell(path[0] ?? "");
    for (const quotes of posix ? [true, false] : [false]) {
      const { line } = remoteCommand(["printf", "[%s]", ...WORDS], { posix: quotes, mark: undefined });
      expect(run([...path, "-c", line]), line).toBe(EXPECTED);
    }
    expect(run([...path, "-c", forAnyShell("echo plain")])).toBe("plain\n");
  });

  it("comes on standard input when it is too long", () => {
    const words = Array.from({ length: 2000 }, (_, index) => `${WORDS.join(" ")} ${index}`);
    const { line, first } = remoteCommand(["sh", "-c", 'printf "[%s]" "$@"; cat', "sh", ...words], {
      posix: true,
      mark: undefined,
    });
    expect(line.length).toBeLessThan(100);
    const input = Buffer.concat([first, Buffer.from("the program's own")]);
    const output = execFileSync("sh", ["-c", line], { input, encoding: "utf8", maxBuffer: 1e9 });
    expect(output).toBe(`${words.map((word) => `[${word}]`).join("")}the program's own`);
  });

  it("says a word of its own first, where the shell says something before", () => {
    const { line } = remoteCommand(["echo", "out"], { posix: true, mark: "here" });
    expect(run(["sh", "-c", line])).toBe("here\nout\n");
  });
});

function isHere([program = ""]: readonly string[]): boolean {
  try {
    execFileSync(program, program === "busybox" ? ["true"] : ["-c", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function run([program = "", ...args]: readonly string[]): string {
  return execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}
