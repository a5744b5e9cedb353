import { Sandbox } from "e2b";
import { e2bBackend } from "../src/backends/e2b.ts";
import { startE2BStandIn } from "../test/stand-ins/e2b/stand-in.ts";
import { NEEDLE, placeRows, plantIn } from "./in-place.ts";
import type { Row } from "./table.ts";

/**
 * Work in a sandbox of the stand-in, against the SDK's own commands and files. The cloud can't be had here; what is measured is what we and
 * the SDK add to the same sandbox.
 */
export async function rows(): Promise<Row[]> {
  await using standIn = await startE2BStandIn();
  await using backend = await e2bBackend(standIn.options);
  const sdk = await Sandbox.connect(backend.id.slice("e2b:".length), standIn.options);
  const run = (line: string) => sdk.commands.run(line, { cwd: backend.cwd });
  await plantIn(backend);
  const client = {
    name: "E2B's SDK",
    command: () => run("true"),
    read: () => sdk.files.read(`${backend.cwd}/large`, { format: "bytes" }),
    grep: () => run(`rg -l ${NEEDLE} .`),
  };
  return await placeRows("in a stand-in for E2B", backend, client, 10);
}
