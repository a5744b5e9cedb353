// Jobs on one machine: crash runs, throughput beside bare DBOS, and what many queued jobs take.
// Usage: node scripts/jobs-scale.ts [crash|throughput|table|all] [jobs]. Needs Debian's Postgres.

import { bareThroughput, type Load, type Run, throughput } from "../test/e2e/jobs-scale/throughput.ts";
import { scaleTrial } from "../test/e2e/jobs-scale/trial.ts";
import { startPostgres } from "../test/postgres.ts";

const [what = "all", given] = process.argv.slice(2);
const WORKERS = 4;
const PER_WORKER = 8;

await using server = await startPostgres();
const run: Run = { databaseUrl: server.url, workers: WORKERS, perWorker: PER_WORKER };

if (what === "crash" || what === "all") {
  const report = await scaleTrial({
    ...run,
    jobs: Number(given ?? 2000),
    killWithinMs: 2000,
    patienceMs: 1_800_000,
    progress: (text) => console.error(text),
  });
  console.log(JSON.stringify({ crash: report }));
  if (report.faults.length > 0) process.exitCode = 1;
}
if (what === "throughput" || what === "all") {
  for (const load of ["agent", "small"] satisfies readonly Load[]) {
    const jobs = Number(given ?? (load === "agent" ? 1000 : 3000));
    const rates = { bare: [] as number[], engine: [] as number[] };
    // By turns, so that a machine that slows down slows both.
    for (let round = 0; round < 3; round += 1) {
      rates.bare.push((await bareThroughput(run, load, jobs)).perSecond);
      rates.engine.push((await throughput(run, load, jobs)).perSecond);
    }
    const [bare, engine] = [median(rates.bare), median(rates.engine)];
    console.log(JSON.stringify({ load, jobs, ...rates, ratio: Number((engine / bare).toFixed(2)) }));
  }
}
if (what === "table" || what === "all") {
  for (const jobs of [10, 100, 1000, 10_000])
    console.log(JSON.stringify(await throughput(run, "small", jobs)));
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
