/** A field of a message that came over the wire; `undefined` when there is none. */
export function field(message: unknown, name: string): unknown {
  if (typeof message !== "object" || message === null) return undefined;
  return new Map(Object.entries(message)).get(name);
}

/** A text, `""` for anything else. */
export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A number, 0 for anything else. */
export function number(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/** A list of texts. */
export function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(text) : [];
}

/** Texts by name. */
export function record(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, text(each)]));
}
