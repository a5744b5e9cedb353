import type { Room } from "./room.ts";
import type { FoundDirectory } from "./shared-mounts.ts";

const LOOK = `
for path; do
  cd -P -- "$path" 2>/dev/null || continue
  printf '%s\\n%s\\0' "$(stat -c %d:%i .)" "$PWD"
done`;

/** Those of the directories that exist in a container, each once, in order of their real paths. */
export async function findDirectories(
  room: Room,
  paths: readonly string[],
): Promise<readonly FoundDirectory[]> {
  if (paths.length === 0) return [];
  const said = await output(room, ["sh", "-c", LOOK, "sh", ...paths]);
  const found = new Map(
    said
      .split("\0")
      .slice(0, -1)
      .map((text) => [text.slice(text.indexOf("\n") + 1), text.slice(0, text.indexOf("\n"))]),
  );
  return [...found]
    .map(([path, identity]) => ({ path, identity }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Where something is mounted in a container, by the kernel's list. */
export async function mountPoints(room: Room): Promise<readonly string[]> {
  const said = await output(room, ["cat", "/proc/self/mountinfo"]);
  return said.split("\n").flatMap((line) => {
    const path = line.split(" ")[4];
    return path === undefined ? [] : [unescaped(path)];
  });
}

/** The kernel writes blanks and backslashes as three octal digits. */
function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}

async function output({ transport }: Room, argv: readonly string[]): Promise<string> {
  const pieces: Buffer[] = [];
  await transport.run(argv, {
    onOutput(bytes, stream) {
      if (stream === "stdout") pieces.push(Buffer.from(bytes));
    },
  });
  return Buffer.concat(pieces).toString();
}
