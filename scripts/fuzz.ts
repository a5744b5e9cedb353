import { parseArgs } from "node:util";
import { tryLaws } from "../test/oracle/laws.ts";
import { Sandbox } from "../test/oracle/sandbox.ts";
import { vocabulary } from "../test/oracle/vocabulary.ts";

/** Tries laws that must hold for all commands. `--seed N` repeats a run, `--count N` is how many cases each law gets. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { seed: { type: "string" }, count: { type: "string", default: "10000" } },
  });
  const seed = Number(values.seed ?? Math.floor(Math.random() * 0x7fff_ffff));
  console.log(`seed ${seed}`);
  using sandbox = new Sandbox();
  const start = performance.now();
  const verbs = await vocabulary(sandbox);
  const results = await tryLaws({ seed, runs: Number(values.count), verbs, sandbox });
  console.log("| law | cases | broken |\n|---|---|---|");
  for (const { law, cases, failures } of results) console.log(`| ${law} | ${cases} | ${failures.length} |`);
  console.log(`${((performance.now() - start) / 1000).toFixed(0)} s`);
  for (const { law, failures } of results) {
    for (const failure of failures.slice(0, 30)) console.log(`${law}: ${failure}`);
  }
  process.exitCode = results.some(({ failures }) => failures.length > 0) ? 1 : 0;
}

await main();
