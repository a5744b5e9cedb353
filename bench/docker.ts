import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Backend } from "../src/backend.ts";
import { dockerBackend } from "../src/backends/docker.ts";
import { randomHex } from "../src/lib/random-hex.ts";
import { Toolkit } from "../src/toolkit/toolkit.ts";
import { Grep } from "../src/tools/grep.ts";
import { testImage } from "../test/docker.ts";
import { type Contender, type MeasureOptions, measure } from "./measure.ts";
import { atMost, type Row } from "./table.ts";

const run = promisify(execFile);
const MEGABYTES = 10;
const FILES = 20_000;
const AT_A_TIME = 50;

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

async function compare(
  what: string,
  options: MeasureOptions,
  ours: Contender,
  theirs: Contender,
): Promise<Row> {
  const [our, their] = await measure([ours, theirs], options);
  return atMost(what, our?.us ?? Number.NaN, their?.us ?? Number.NaN, "docker exec", 1.2);
}

function oneByOne(name: string, act: () => Promise<unknown>): Contender {
  return {
    name,
    async run(times) {
      for (let time = 0; time < times; time++) await act();
    },
  };
}

async function many(act: () => Promise<unknown>): Promise<void> {
  await Promise.all(Array.from({ length: AT_A_TIME }, act));
}

async function command(backend: Backend): Promise<void> {
  await backend.exec(["true"], { cwd: backend.cwd });
}

async function grep(backend: Backend): Promise<void> {
  await using toolkit = new Toolkit({ tools: [new Grep()], backend, cwd: backend.cwd });
  const response = await toolkit.execute("Grep", { pattern: "the_needle_in_the_hay" });
  if (response.state !== "success") throw new Error(response.text);
}
