import { beforeAll, describe, expect, it } from "vitest";
import { analyse, loadParser } from "./analyse.ts";

/** What a command reads, writes and can't say, in letters. */
function paths(command: string): string {
  const { effects } = analyse(command, { cwd: "/work", home: "/home/ann" });
  const said = effects.map((effect) => {
    if (effect.kind === "read") return effect.dynamic === true ? "r?" : `r ${effect.path}`;
    if (effect.kind === "write") return `w ${effect.path}`;
    return effect.kind === "unknown" ? "?" : "";
  });
  return said.filter((word) => word !== "").join(", ");
}

describe("a file by its address", () => {
  beforeAll(loadParser);

  const rows: readonly (readonly [command: string, paths: string])[] = [
    ["curl file:///etc/passwd", "r /etc/passwd"],
    ["curl FILE:///etc/passwd", "r /etc/passwd"],
    ["curl file://localhost/etc/passwd", "r /etc/passwd"],
    ["curl -s --url file:///home/ann/.ssh/id_rsa", "r /home/ann/.ssh/id_rsa"],
    ["curl file:///etc/p%61sswd", "r /etc/p%61sswd, r /etc/passwd"],
    ["curl 'file:///etc/{passwd,shadow}'", "?, r?"],
    ["curl file:etc", "?, r?"],
    ["curl -T a.txt file:///work/b.txt", "r /work/a.txt, r /work/b.txt, w /work/b.txt"],
    ["curl https://example.com/file:///etc/passwd", ""],
  ];

  it.each(rows)("%s: %s", (command, expected) => {
    expect(paths(command)).toBe(expected);
  });
});
