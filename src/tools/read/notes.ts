/** Remarks about an answer, put after it in brackets so that they aren't taken for the file's content. */
export function withNotes(text: string, notes: readonly (string | undefined)[]): string {
  const said = notes.filter((note) => note !== undefined);
  if (said.length === 0) return text;
  return `${text}${text === "" ? "" : "\n\n"}[${said.join(" ")}]`;
}

/** A number with thousands marked, the same in every locale. */
export function grouped(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A count with its noun: `1 line`, `2 lines`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** A size as a person says it. */
export function sized(bytes: number): string {
  if (bytes < 10_000) return counted(bytes, "byte");
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
