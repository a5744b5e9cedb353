/** How one multi-byte encoding of East Asia is built. A newline is never part of a longer character in any of them. */
export interface DoubleByte {
  readonly name: string;
  /** Bytes of the character at an offset; 1 for ASCII and for what is malformed. */
  length(bytes: Uint8Array, at: number): number;
  /** How a character beyond ASCII, by its first two bytes, speaks for this encoding. */
  rate(lead: number, trail: number): "frequent" | "rare" | "invalid";
}

const within = (byte: number, low: number, high: number): boolean => byte >= low && byte <= high;

/** The encodings that are told apart by their structure, with the zones in which ordinary text lies. */
export const DOUBLE_BYTE: readonly DoubleByte[] = [
  {
    name: "Shift_JIS",
    length: (bytes, at) => {
      const lead = bytes[at] ?? 0;
      return within(lead, 0x81, 0x9f) || within(lead, 0xe0, 0xfc) ? 2 : 1;
    },
    rate: (lead, trail) => {
      if (within(lead, 0xa1, 0xdf)) return "rare"; // half-width katakana, on their own
      if (!within(trail, 0x40, 0xfc) || trail === 0x7f || lead === 0x80 || lead === 0xa0) return "invalid";
      return within(lead, 0x81, 0x83) || within(lead, 0x88, 0x97) ? "frequent" : "rare";
    },
  },
  {
    name: "EUC-JP",
    length: (bytes, at) => {
      const lead = bytes[at] ?? 0;
      if (lead === 0x8f) return 3;
      return lead === 0x8e || within(lead, 0xa1, 0xfe) ? 2 : 1;
    },
    rate: (lead, trail) => {
      if (lead !== 0x8f && lead !== 0x8e && !within(lead, 0xa1, 0xfe)) return "invalid";
      if (!within(trail, 0xa1, 0xfe)) return "invalid";
      return lead === 0xa1 || lead === 0xa4 || lead === 0xa5 || within(lead, 0xb0, 0xcf)
        ? "frequent"
        : "rare";
    },
  },
  {
    name: "EUC-KR",
    length: pairLength,
    rate: (lead, trail) => {
      if (!within(lead, 0x81, 0xfe) || trail < 0x41 || trail === 0xff) return "invalid";
      return trail >= 0xa1 && (within(lead, 0xa1, 0xa3) || within(lead, 0xb0, 0xc8)) ? "frequent" : "rare";
    },
  },
  {
    name: "Big5",
    length: pairLength,
    rate: (lead, trail) => {
      const fits = within(trail, 0x40, 0x7e) || within(trail, 0xa1, 0xfe);
      if (!within(lead, 0x81, 0xfe) || !fits) return "invalid";
      return within(lead, 0xa1, 0xc6) ? "frequent" : "rare";
    },
  },
  {
    name: "GB18030",
    length: (bytes, at) => {
      const pair = pairLength(bytes, at);
      return pair === 2 && within(bytes[at + 1] ?? 0, 0x30, 0x39) ? 4 : pair;
    },
    rate: (lead, trail) => {
      if (!within(lead, 0x81, 0xfe)) return "invalid";
      if (within(trail, 0x30, 0x39)) return "rare";
      if (trail < 0x40 || trail === 0x7f || trail === 0xff) return "invalid";
      return trail >= 0xa1 && (within(lead, 0xa1, 0xa3) || within(lead, 0xb0, 0xd7)) ? "frequent" : "rare";
    },
  },
];

function pairLength(bytes: Uint8Array, at: number): number {
  return within(bytes[at] ?? 0, 0x81, 0xfe) ? 2 : 1;
}

/** Within this distance walking on is cheaper than looking for the line's start. */
const NEAR = 4096;

/**
 * Where the first character begins at or after an offset. Walks from the line's start, where a character always begins, or from
 * `known`, an earlier such place.
 */
export function characterFrom(
  encoding: DoubleByte,
  bytes: Uint8Array,
  offset: number,
  known: number,
): number {
  let at = known;
  if (known > offset || offset - known > NEAR) {
    // A search from before the start would begin at the end.
    const line = offset === 0 ? 0 : bytes.lastIndexOf(10, offset - 1) + 1;
    at = known > offset ? line : Math.max(line, known);
  }
  while (at < offset) at += encoding.length(bytes, at);
  return at;
}

/** How well a sample fits an encoding. */
export interface Fit {
  readonly name: string;
  /** Share of its characters that lie in the frequent zone, 0 to 1; -1 when one is malformed. */
  readonly share: number;
  /** The share, more or less what the script itself shows; decides between encodings. */
  readonly rank: number;
  /** How many characters beyond ASCII. */
  readonly count: number;
}

/** Rates a sample under every encoding, best first; a tie is settled by what the script itself shows. */
export function rateDoubleByte(sample: Uint8Array): readonly Fit[] {
  const traits = traitsOf(sample);
  const bonus = (name: string): number => {
    // Windows-1252 quotes before a letter look like kanji: only kana speak for Shift-JIS.
    if (name === "Shift_JIS") return traits.shiftKana ? 0.01 : -1;
    if (name === "EUC-JP") return traits.kana ? 0.02 : -0.2;
    if (name === "EUC-KR") return traits.chinesePunctuation ? -0.1 : 0.01;
    return 0;
  };
  return DOUBLE_BYTE.map((encoding) => {
    const fit = measure(encoding, sample);
    return { ...fit, rank: fit.share + bonus(fit.name) };
  }).sort((a, b) => b.rank - a.rank);
}

function measure(encoding: DoubleByte, sample: Uint8Array): Omit<Fit, "rank"> {
  let frequent = 0;
  let count = 0;
  let at = 0;
  while (at < sample.length) {
    const lead = sample[at] ?? 0;
    const length = encoding.length(sample, at);
    if (at + length > sample.length) break;
    if (lead >= 0x80) {
      const rating = encoding.rate(lead, sample[at + 1] ?? 0);
      if (rating === "invalid") return { name: encoding.name, share: -1, count };
      count += 1;
      if (rating === "frequent") frequent += 1;
    }
    at += length;
  }
  return { name: encoding.name, share: count === 0 ? 0 : frequent / count, count };
}

/** The share of kana among the characters of a text, were it Shift-JIS. */
function shiftKanaShare(sample: Uint8Array): number {
  let kana = 0;
  let characters = 0;
  for (let at = 0; at + 1 < sample.length; at += 1) {
    const lead = sample[at] ?? 0;
    if (lead < 0x80) continue;
    const trail = sample[at + 1] ?? 0;
    characters += 1;
    if ((lead === 0x82 && within(trail, 0x9f, 0xf1)) || (lead === 0x83 && within(trail, 0x40, 0x96)))
      kana += 1;
    at += 1;
  }
  return characters === 0 ? 0 : kana / characters;
}

interface Traits {
  readonly kana: boolean;
  readonly shiftKana: boolean;
  readonly chinesePunctuation: boolean;
}

/** EUC-JP, EUC-KR and GB2312 share their byte ranges; kana and full-width punctuation tell them apart. */
function traitsOf(sample: Uint8Array): Traits {
  let kana = 0;
  let pairs = 0;
  let chinesePunctuation = false;
  for (let at = 0; at + 1 < sample.length; at += 1) {
    const lead = sample[at] ?? 0;
    const trail = sample[at + 1] ?? 0;
    if (lead < 0xa1 || trail < 0xa1) continue;
    pairs += 1;
    if (lead === 0xa4 || lead === 0xa5) kana += 1;
    if ((lead === 0xa3 && trail === 0xac) || (lead === 0xa1 && trail === 0xa3)) chinesePunctuation = true;
    at += 1;
  }
  return { kana: kana * 5 > pairs, shiftKana: shiftKanaShare(sample) > 0.15, chinesePunctuation };
}
