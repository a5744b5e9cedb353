/** Random choices that a seed repeats. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number from 0 up to, not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  }

  /** A whole number below `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** `true` in this share of cases. */
  chance(share: number): boolean {
    return this.next() < share;
  }

  /** One of a list that isn't empty. */
  pick<T>(list: readonly T[]): T {
    const chosen = list[this.below(list.length)];
    if (chosen === undefined) throw new RangeError("Nothing to pick from.");
    return chosen;
  }

  /** Between `least` and `most` picks, both included. */
  some<T>(list: readonly T[], least: number, most: number): T[] {
    if (list.length === 0) return [];
    const count = least + this.below(most - least + 1);
    return Array.from({ length: count }, () => this.pick(list));
  }
}
