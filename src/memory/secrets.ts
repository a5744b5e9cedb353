import { redactText } from "../audit/redact.ts";
import { SECRET_HINT, SECRET_SHAPES } from "../audit/secret-shapes.ts";

/** What kind of secret a text seems to hold; `undefined` for none. */
export function secretIn(text: string): string | undefined {
  if (!SECRET_HINT.test(text)) return undefined;
  return SECRET_SHAPES.find(({ pattern }) => text.search(pattern) >= 0)?.name;
}

/** A text without what seems to be secret in it, of so many characters at most. */
export function withoutSecrets(text: string, mostChars: number): string {
  return redactText(text, mostChars);
}
