import { performance } from "node:perf_hooks";

/** One thing to time: `run` does it `times` times. */
export interface Contender {
  readonly name: string;
  run(times: number): Promise<void> | void;
}

/** A contender's median, in microseconds for one time. */
export interface Timing {
  readonly name: string;
  readonly us: number;
}

/** How long to measure. */
export interface MeasureOptions {
  /** Interleaved rounds; the median counts. @default 7 */
  readonly rounds?: number;
  /** Times in one round. @default 1 */
  readonly times?: number;
  /** Times before the first round. @default `times` */
  readonly warmUp?: number;
}

/** The middle value; `NaN` of nothing. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** The value below which a share of all lie. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Times contenders in turn, so that noise falls on all alike; the median of the rounds counts. */
export async function measure(
  contenders: readonly Contender[],
  { rounds = 7, times = 1, warmUp = times }: MeasureOptions = {},
): Promise<Timing[]> {
  const samples = contenders.map((): number[] => []);
  for (const contender of contenders) await contender.run(warmUp);
  for (let round = 0; round < rounds; round++) {
    for (const [at, contender] of contenders.entries()) {
      const start = performance.now();
      await contender.run(times);
      samples[at]?.push(((performance.now() - start) * 1000) / times);
    }
  }
  return contenders.map(({ name }, at) => ({ name, us: median(samples[at] ?? []) }));
}
