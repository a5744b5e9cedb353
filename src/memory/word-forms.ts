/** Endings of English words, longest first, and what stands in their place. */
const ENDINGS: readonly (readonly [ending: RegExp, instead: string])[] = [
  [/sses$/, "ss"],
  [/ies$/, "y"],
  [/ied$/, "y"],
  [/ings$/, ""],
  [/ing$/, ""],
  [/edly$/, ""],
  [/ed$/, ""],
  [/ers$/, ""],
  [/er$/, ""],
  [/es$/, ""],
  [/(?<![su])s$/, ""],
  [/ly$/, ""],
];

/** Shorter words have no ending that could be taken off safely. */
const LEAST = 4;

/**
 * What English forms of a word have in common: `garden` for gardens, gardening and gardened. Good enough to offer forms of a word
 * behind the word itself; words of other languages and numbers are left as they are.
 */
export function stemOf(word: string): string {
  if (word.length < LEAST || !/^[a-z]+$/.test(word)) return word;
  for (const [ending, instead] of ENDINGS) {
    if (!ending.test(word)) continue;
    const stem = word.replace(ending, instead);
    if (stem.length >= LEAST - 1) return settled(stem);
  }
  return settled(word);
}

/** `planning` and `plan`, `write` and `writing` meet. */
function settled(stem: string): string {
  const single = /([bdfgmnprt])\1$/.test(stem) ? stem.slice(0, -1) : stem;
  return single.length > LEAST - 1 ? single.replace(/e$/, "") : single;
}
