/** A word that a POSIX shell reads as this very text. It can't hold a NUL byte. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The same without a line break in it, for scripts that are read as one line and in which `tg_nl` holds one. */
export function quoteOnOneLine(text: string): string {
  return quote(text).replaceAll("\n", `'"$tg_nl"'`);
}

/** A call of a shell function or program: each word as it is. */
export function call(name: string, words: readonly (string | number)[]): string {
  return [name, ...words.map((word) => quote(String(word)))].join(" ");
}
