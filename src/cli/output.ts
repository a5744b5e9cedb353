import type { styleText } from "node:util";

/** A stream's colours: text comes back as it is where the stream is no terminal or `NO_COLOR` is set. */
export type Paint = (format: Parameters<typeof styleText>[0], text: string) => string;

/** Colours for a stream. */
export function painter(stream: NodeJS.WriteStream): Paint {
  if (!stream.isTTY && process.env.FORCE_COLOR === undefined) return (_format, text) => text;
  // Asked for here only: importing it costs every start some milliseconds, and most output is read by programs.
  const util = process.getBuiltinModule("node:util");
  return (format, text) => util.styleText(format, text, { stream });
}

/** Writes text and waits until the stream has taken it, so that a slow reader holds the writer back. */
export function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => (error == null ? resolve() : reject(error)));
  });
}

/** Writes the one JSON value of `--json`. */
export function writeJson(value: unknown): Promise<void> {
  return write(process.stdout, `${JSON.stringify(value, null, process.stdout.isTTY ? 2 : 0)}\n`);
}

/** Writes a line for a person, beside the result. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Lines of two columns, the first as wide as it needs. */
export function columns(rows: readonly (readonly [string, string])[], indent = "  "): string {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `${indent}${left.padEnd(width)}  ${right}`.trimEnd()).join("\n");
}

/** Whether a reader that went away is the reason: `toolgate tools | head -1` is no failure. */
export function isClosedPipe(error: unknown): boolean {
  return (
    error instanceof Error &&
    "code" in error &&
    (error.code === "EPIPE" || error.code === "ERR_STREAM_DESTROYED")
  );
}
