import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Backend } from "../src/backend.ts";
import { Toolkit } from "../src/toolkit/toolkit.ts";
import { Grep } from "../src/tools/grep.ts";
import { type Contender, type MeasureOptions, measure } from "./measure.ts";
import { atMost, type Row } from "./table.ts";

/** What the places are measured with, each against its own bare client. */
const MEGABYTES = 10;
const FILES = 20_000;
const AT_A_TIME = 50;

/** How a place's bare client does the same work. */
export interface BareClient {
  readonly name: string;
  /** Runs `true`. */
  readonly command: () => Promise<unknown>;
  /** Takes the file `large` whole. */
  readonly read: () => Promise<unknown>;
  /** Names the files that hold the {@link NEEDLE}. */
  readonly grep: () => Promise<unknown>;
}

/** The rows of a place in which all was planted, `where` in words, against its bare client. `times`: commands of one round. */
export async function placeRows(
  where: string,
  backend: Backend,
  client: BareClient,
  times: number,
): Promise<Row[]> {
  const compare = async (
    what: string,
    options: MeasureOptions,
    ours: () => Promise<unknown>,
    theirs: () => Promise<unknown>,
  ): Promise<Row> => {
    const contenders = [oneByOne("ours", ours), oneByOne(client.name, theirs)];
    const [our, their] = await measure(contenders, options);
    return atMost(`${what} ${where}`, our?.us ?? Number.NaN, their?.us ?? Number.NaN, client.name, 1.2);
  };
  const ours = (): Promise<unknown> => backend.exec(["true"], { cwd: backend.cwd });
  const large = (): Promise<unknown> => backend.readFile(`${backend.cwd}/large`);
  return [
    await compare("a command", { times }, ours, client.command),
    await compare(
      `${AT_A_TIME} commands at a time`,
      {},
      () => many(ours),
      () => many(client.command),
    ),
    await compare(`Read of ${MEGABYTES} MB`, { times: 3 }, large, client.read),
    await compare(`Grep on ${FILES} files`, {}, () => grep(backend), client.grep),
  ];
}

/** Does it as often as it is told to, one after the other. */
function oneByOne(name: string, act: () => Promise<unknown>): Contender {
  return {
    name,
    async run(times) {
      for (let time = 0; time < times; time++) await act();
    },
  };
}

/** Does it {@link AT_A_TIME} times at once. */
async function many(act: () => Promise<unknown>): Promise<void> {
  await Promise.all(Array.from({ length: AT_A_TIME }, act));
}

/** What Grep looks for. */
export const NEEDLE = "the_needle_in_the_hay";
const LINE = "const value = compute(1, 2, 3); // some ordinary line\n";

/** `FILES` small files in 200 folders, some of them with the needle, and a large one: made on this machine. */
export function plant(root: string): void {
  const body = LINE.repeat(20);
  for (let file = 0; file < FILES; file++) {
    const folder = join(root, `part${file % 200}`);
    if (file < 200) mkdirSync(folder);
    writeFileSync(join(folder, `file${file}.ts`), file % 500 === 0 ? `${body}${NEEDLE}\n` : body);
  }
  writeFileSync(join(root, "large"), Buffer.alloc(MEGABYTES * 1e6, "some line of text\n"));
}

const PLANT = `
body='${LINE.repeat(20).trimEnd()}'
file=0
while [ $file -lt ${FILES} ]; do
  part=part$((file % 200))
  [ $file -ge 200 ] || mkdir $part
  echo "$body" > $part/file$file.ts
  [ $((file % 500)) -ne 0 ] || echo ${NEEDLE} >> $part/file$file.ts
  file=$((file + 1))
done
yes 'some line of text' | head -c ${MEGABYTES}000000 > large
`;

/** The same, made in the place itself. */
export async function plantIn(backend: Backend): Promise<void> {
  await backend.exec(["sh", "-c", PLANT], { cwd: backend.cwd });
}

/** The tool Grep over the place's working directory. */
async function grep(backend: Backend): Promise<void> {
  await using toolkit = new Toolkit({ tools: [new Grep()], backend, cwd: backend.cwd });
  const response = await toolkit.execute("Grep", { pattern: NEEDLE });
  if (response.state !== "success") throw new Error(response.text);
}
