/** Takes `//` and block comments out of JSON text, keeping every other character's place for error messages. */
export function withoutComments(text: string): string {
  return text.replace(/"(?:\\.|[^"\\])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (piece) =>
    piece.startsWith('"') ? piece : piece.replace(/[^\n]/g, " "),
  );
}
