import { InvalidArgumentError } from "commander";

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads an option's length of time, as in `90s`, `15m`, `12h`, `7d`, into milliseconds. */
export function duration(text: string): number {
  const [, amount = "", unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const unitMs = UNIT_MS[unit];
  if (unitMs !== undefined) return Number(amount) * unitMs;
  throw new InvalidArgumentError("It must be a number with s, m, h or d, as in 7d.");
}
