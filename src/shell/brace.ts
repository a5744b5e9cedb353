const SIMPLE = /^\{([\w.,/@+:%=~-]*)\}$/;
const RANGE = /^(-?\d{1,6})\.\.(-?\d{1,6})$/;
const MAX_ALTERNATIVES = 64;

/** The alternatives of a brace expansion (`{a,b}`, `{1..3}`); `null` when it isn't a simple, short one. */
export function braceAlternatives(text: string): readonly string[] | null {
  const body = SIMPLE.exec(text)?.[1];
  if (body === undefined) return null;
  if (body.includes(",")) {
    const all = body.split(",");
    return all.length <= MAX_ALTERNATIVES ? all : null;
  }
  const range = RANGE.exec(body);
  if (range === null) return null;
  return countUp(Number(range[1]), Number(range[2]), /^-?0\d/.test(range[1] ?? ""));
}

function countUp(from: number, to: number, padded: boolean): readonly string[] | null {
  const length = Math.abs(to - from) + 1;
  if (padded || length > MAX_ALTERNATIVES) return null;
  const step = from <= to ? 1 : -1;
  return Array.from({ length }, (_, at) => String(from + at * step));
}
