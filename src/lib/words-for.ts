/** What a value is, in words: `an array`, `the number 3`, `the text "abc"`; long ones are shortened. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : `an array of ${value.length}`;
  switch (typeof value) {
    case "string":
      return value === "" ? "an empty text" : `the text ${JSON.stringify(shorten(value, 60))}`;
    case "number":
    case "bigint":
      return `the number ${value}`;
    case "boolean":
      return String(value);
    case "object":
      return "an object";
    default:
      return `a ${typeof value}`;
  }
}

/** A text of at most so many characters, with an ellipsis where it was cut. */
export function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}
