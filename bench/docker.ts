import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { dockerBackend } from "../src/backends/docker.ts";
import { randomHex } from "../src/lib/random-hex.ts";
import { testImage } from "../test/docker.ts";
import { AT_A_TIME, command, comparing, FILES, grep, MEGABYTES, many, oneByOne } from "./in-place.ts";
import type { Row } from "./table.ts";

const run = promisify(execFile);
const compare = comparing("docker exec");

/** `FILES` small files in 200 folders, some of them with the needle, and a large one. */
const PLANT = `
line='const value = compute(1, 2, 3); // some ordinary line'
body=$(for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do echo "$line"; done)
file=0
while [ $file -lt ${FILES} ]; do
  part=part$((file % 200))
  [ $file -ge 200 ] || mkdir $part
  echo "$body" > $part/file$file.ts
  [ $((file % 500)) -ne 0 ] || echo the_needle_in_the_hay >> $part/file$file.ts
  file=$((file + 1))
done
yes 'some line of text' | head -c ${MEGABYTES}000000 > large
`;

/** Work in a container, against the engine's own client. */
export async function rows(): Promise<Row[]> {
  const name = `toolgate-bench-${randomHex(4)}`;
  const backend = await dockerBackend({ image: testImage(), name, keep: false });
  const client = (...argv: readonly string[]) =>
    run("docker", ["exec", name, ...argv], { encoding: "buffer", maxBuffer: 100e6 });
  try {
    await backend.exec(["sh", "-c", PLANT], { cwd: backend.cwd });
    return [
      await compare(
        "a command in a Docker container",
        { times: 10 },
        oneByOne("ours", () => command(backend)),
        oneByOne("docker exec", () => client("true")),
      ),
      await compare(
        `${AT_A_TIME} commands at a time in a Docker container`,
        {},
        oneByOne("ours", () => many(() => command(backend))),
        oneByOne("docker exec", () => many(() => client("true"))),
      ),
      await compare(
        `Read of ${MEGABYTES} MB in a Docker container`,
        { times: 3 },
        oneByOne("ours", () => backend.readFile(`${backend.cwd}/large`)),
        oneByOne("docker exec", () => client("cat", `${backend.cwd}/large`)),
      ),
      await compare(
        `Grep on ${FILES} files in a Docker container`,
        {},
        oneByOne("ours", () => grep(backend)),
        oneByOne("docker exec", () => client("rg", "-l", "the_needle_in_the_hay", backend.cwd)),
      ),
    ];
  } finally {
    await backend[Symbol.asyncDispose]();
  }
}
