import { Sandbox } from "e2b";
import { e2bBackend } from "../src/backends/e2b.ts";
import { startE2BStandIn } from "../test/stand-ins/e2b/stand-in.ts";
import {
  AT_A_TIME,
  command,
  comparing,
  FILES,
  grep,
  MEGABYTES,
  many,
  NEEDLE,
  oneByOne,
  plantIn,
} from "./in-place.ts";
import type { Row } from "./table.ts";

const compare = comparing("E2B's SDK");
/** The cloud can't be had here; what is measured is what we and the SDK add to the same sandbox. */
const WHERE = "in a stand-in for E2B";

/** Work in a sandbox of the stand-in, against the SDK's own commands and files. */
export async function rows(): Promise<Row[]> {
  await using standIn = await startE2BStandIn();
  await using backend = await e2bBackend(standIn.options);
  const sdk = await Sandbox.connect(backend.id.slice("e2b:".length), standIn.options);
  const run = (line: string) => sdk.commands.run(line, { cwd: backend.cwd });
  await plantIn(backend);
  return [
    await compare(
      `a command ${WHERE}`,
      { times: 10 },
      oneByOne("ours", () => command(backend)),
      oneByOne("SDK", () => run("true")),
    ),
    await compare(
      `${AT_A_TIME} commands at a time ${WHERE}`,
      {},
      oneByOne("ours", () => many(() => command(backend))),
      oneByOne("SDK", () => many(() => run("true"))),
    ),
    await compare(
      `Read of ${MEGABYTES} MB ${WHERE}`,
      { times: 3 },
      oneByOne("ours", () => backend.readFile(`${backend.cwd}/large`)),
      oneByOne("SDK", () => sdk.files.read(`${backend.cwd}/large`, { format: "bytes" })),
    ),
    await compare(
      `Grep on ${FILES} files ${WHERE}`,
      {},
      oneByOne("ours", () => grep(backend)),
      oneByOne("SDK", () => run(`rg -l ${NEEDLE} .`)),
    ),
  ];
}
