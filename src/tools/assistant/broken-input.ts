/** Characters that a model writes at a time without being cut off. */
const PIECE = 800;
const SHOWN = 200;

/** What to do when the arguments of a file-writing call broke off: the file, as far as it can be told, in small pieces. */
export function chunkAdvice(raw: string): string {
  const path = /"path"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(raw.slice(0, 8192))?.[1];
  const file = path === undefined ? "the file" : path;
  const began = raw
    .slice(0, 4 * SHOWN)
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, SHOWN);
  return (
    `Send one complete JSON object. If the content is long, write ${file} in pieces of ${PIECE} characters at most: the first with ` +
    `write_file, the others with write_file and mode append. It began: ${began}`
  );
}
