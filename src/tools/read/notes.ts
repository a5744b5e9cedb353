import { counted } from "../../lib/counted.ts";

export { counted, grouped } from "../../lib/counted.ts";

/** Remarks about an answer, put after it in brackets so that they aren't taken for the file's content. */
export function withNotes(text: string, notes: readonly (string | undefined)[]): string {
  const said = notes.filter((note) => note !== undefined);
  if (said.length === 0) return text;
  return `${text}${text === "" ? "" : "\n\n"}[${said.join(" ")}]`;
}

/** A size as a person says it. */
export function sized(bytes: number): string {
  if (bytes < 10_000) return counted(bytes, "byte");
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
