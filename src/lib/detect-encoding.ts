import { rateDoubleByte } from "./double-byte.ts";
import { isUtf8Text, markedEncoding, type TextEncoding, UTF8, utf8Length, view } from "./encoding.ts";

/** How much of a file's beginning is looked at to tell what it is. */
export const SAMPLE_BYTES: number = 64 * 1024;

/** Names that stand for a subset of a better-known encoding. */
const SUPERSET: ReadonlyMap<string, string> = new Map([
  ["ISO-8859-1", "windows-1252"],
  ["ISO-8859-9", "windows-1254"],
  ["GB2312", "GB18030"],
]);

/**
 * Tells how a text's bytes are to be read, from its beginning: by its mark, as UTF-16 by its zero bytes, as UTF-8
 * when it is that, else by statistics. `cut` says that the text goes on after the sample.
 */
export async function detectEncoding(sample: Uint8Array, cut = false): Promise<TextEncoding> {
  const sure = certainEncoding(sample, cut);
  if (sure !== undefined) return sure;
  const { valid, invalid } = utf8Sequences(sample);
  // Legacy text forms valid UTF-8 sequences only by chance; a text full of them has merely been damaged.
  if (valid >= 2 * invalid) return { ...UTF8, damaged: true };
  return { name: await legacyEncoding(sample), bom: 0, unit: 1 };
}

/** The encoding when it is beyond doubt, without loading anything. */
function certainEncoding(sample: Uint8Array, cut: boolean): TextEncoding | undefined {
  const marked = markedEncoding(sample);
  if (marked !== undefined) return marked;
  return unmarkedUtf16(sample) ?? (isUtf8Text(sample, cut) ? UTF8 : undefined);
}

/** UTF-16 without a mark shows zeros in one half of its pairs and hardly any in the other, and that half reads as text. */
function unmarkedUtf16(sample: Uint8Array): TextEncoding | undefined {
  if (sample.length < 4 || view(sample).indexOf(0) < 0) return undefined;
  const pairs = sample.length >> 1;
  const [even, odd] = [halfOf(sample, 0), halfOf(sample, 1)];
  const isText = (letters: Half, zeros: Half): boolean =>
    zeros.zeros > pairs * 0.4 && letters.zeros < pairs * 0.02 && letters.controls < pairs * 0.02;
  if (isText(even, odd)) return { name: "utf-16le", bom: 0, unit: 2 };
  return isText(odd, even) ? { name: "utf-16be", bom: 0, unit: 2 } : undefined;
}

interface Half {
  readonly zeros: number;
  readonly controls: number;
}

/** What every second byte holds. */
function halfOf(sample: Uint8Array, from: 0 | 1): Half {
  let zeros = 0;
  let controls = 0;
  for (let at = from; at < sample.length - (sample.length % 2); at += 2) {
    const byte = sample[at] ?? 0;
    if (byte === 0) zeros += 1;
    else if (byte < 9 || (byte > 13 && byte < 32)) controls += 1;
  }
  return { zeros, controls };
}

function utf8Sequences(sample: Uint8Array): { readonly valid: number; readonly invalid: number } {
  let valid = 0;
  let invalid = 0;
  for (let at = 0; at < sample.length; ) {
    const length = utf8Length(sample[at] ?? 0);
    const whole = length > 0 && continues(sample, at + 1, length - 1);
    if (!whole) invalid += 1;
    else if (length > 1) valid += 1;
    at += whole ? length : 1;
  }
  return { valid, invalid };
}

function continues(sample: Uint8Array, from: number, count: number): boolean {
  for (let at = from; at < from + count; at += 1) if (((sample[at] ?? 0) & 0xc0) !== 0x80) return false;
  return true;
}

/** The statistics know single-byte languages well and short East Asian text badly; structure settles the latter. */
async function legacyEncoding(sample: Uint8Array): Promise<string> {
  const { default: chardet } = await import("chardet");
  const guesses = chardet.analyse(sample);
  const fits = rateDoubleByte(sample);
  const guess = guesses[0];
  if (guess !== undefined && guess.confidence >= 90) {
    const fit = fits.find(({ name }) => name === named(guess.name));
    if (fit !== undefined && fit.share >= 0) return fit.name;
  }
  const best = fits[0];
  if (best !== undefined && best.rank >= 0.9 && best.count >= 2) {
    const singleByte = guesses.find(({ name }) => fits.every((fit) => fit.name !== named(name)));
    const enough = best.name === "Shift_JIS" ? 3 : 8;
    if ((singleByte?.confidence ?? 0) < 65 || best.count >= enough) return best.name;
  }
  const single = guesses.find(({ name, confidence }) => confidence >= 20 && SINGLE_BYTE.test(name));
  return single === undefined ? "windows-1252" : named(single.name);
}

const SINGLE_BYTE = /^(?:ISO-8859-|windows-125|KOI8)/i;

function named(name: string): string {
  return SUPERSET.get(name) ?? name;
}
