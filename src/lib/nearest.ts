/** The names most like `wanted`, best first; none that would only confuse. */
export function nearestNames(wanted: string, names: Iterable<string>, limit = 3): readonly string[] {
  const target = wanted.toLowerCase();
  const allowed = Math.max(2, Math.floor(target.length / 3));
  const rated: { readonly name: string; readonly distance: number }[] = [];
  for (const name of names) {
    const other = name.toLowerCase();
    const distance = shareStem(target, other) ? 1 : editDistance(target, other, allowed);
    if (distance <= allowed) rated.push({ name, distance: other === target ? 0 : distance });
  }
  return rated
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, limit)
    .map(({ name }) => name);
}

/** The same name up to its first dot: `config.json` for `config.yaml`. */
function shareStem(a: string, b: string): boolean {
  const stem = (name: string): string => name.slice(0, Math.max(0, name.indexOf(".", 1)));
  return stem(a).length > 2 && stem(a) === stem(b);
}

/** How many characters have to be added, removed, replaced or swapped with a neighbour; gives up above `most`. */
export function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let rows: readonly [readonly number[], readonly number[]] = [
    [],
    Array.from({ length: b.length + 1 }, (_, at) => at),
  ];
  for (let i = 1; i <= a.length; i += 1) {
    const next = nextRow(a, b, i, rows);
    if (Math.min(...next) > most) return most + 1;
    rows = [rows[1], next];
  }
  return rows[1][b.length] ?? most + 1;
}

/** The distances of the first `i` characters of `a` to every start of `b`, from the two rows before. */
function nextRow(
  a: string,
  b: string,
  i: number,
  rows: readonly [readonly number[], readonly number[]],
): number[] {
  const [before, row] = rows;
  const next = [i];
  for (let j = 1; j <= b.length; j += 1) {
    const same = a[i - 1] === b[j - 1] ? 0 : 1;
    const plain = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same);
    const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
    next.push(swapped ? Math.min(plain, (before[j - 2] ?? 0) + 1) : plain);
  }
  return next;
}
