// Kills processes of sessions with open questions at random moments and holds what is left to what was promised.
// Usage: node scripts/crash.ts [points] [seed]
import { crashTrial, type TrialReport } from "../test/e2e/crash/trial.ts";

const [points = "200", seed = String(Date.now() % 1_000_000)] = process.argv.slice(2);
console.log(`${points} points, seed ${seed}`);
const progress = ({ points: so, faults }: TrialReport): void =>
  console.error(`${so} points, ${faults.length} faults`);
const report = await crashTrial({ points: Number(points), calls: 24, seed: Number(seed), progress });
console.log(JSON.stringify(report, null, 2));
process.exitCode = report.faults.length === 0 ? 0 : 1;
