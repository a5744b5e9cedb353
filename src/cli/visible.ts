/** What moves the cursor, changes colours, or turns the order of what is read round. Line breaks and tabs are text. */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/**
 * Text of a model or a tool as a terminal may show it: what would steer the terminal is shown as a sign. Character for character, so
 * that marks under it stay where they belong.
 */
export function visible(text: string): string {
  return text.replace(HIDDEN, sign);
}

function sign(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : "\ufffd";
}
