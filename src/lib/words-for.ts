/** What a value is, in JSON's words: `array of 2`, `number 3`, `string "abc"`; long ones are shortened. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : `array of ${value.length}`;
  switch (typeof value) {
    case "string":
      return value === "" ? "an empty string" : `string ${JSON.stringify(shorten(value, 60))}`;
    case "number":
    case "bigint":
      return `${typeof value} ${value}`;
    case "boolean":
      return String(value);
    default:
      return typeof value;
  }
}

/** A text of at most so many characters, with an ellipsis where it was cut. */
export function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}
