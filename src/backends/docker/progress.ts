import { ToolgateError } from "../../errors.ts";

/** As much of what was said last as goes into an error. */
const LAST_LINES = 20;

interface Progress {
  readonly stream?: string;
  readonly status?: string;
  readonly id?: string;
  readonly error?: string;
}

interface Following {
  readonly what: string;
  /** What to do when it fails. */
  readonly hint?: string;
  readonly onProgress: ((line: string) => void) | undefined;
}

/**
 * Reads what an engine says while it pulls or builds, a JSON object a line, to its end.
 * @throws ToolgateError `backend_unavailable` when it ends with an error
 */
export async function followed(stream: NodeJS.ReadableStream, following: Following): Promise<void> {
  const { onProgress } = following;
  const last: string[] = [];
  let rest = "";
  for await (const piece of stream) {
    const lines = (rest + String(piece)).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines.filter((text) => text.trim() !== "")) {
      const { error, text } = read(line);
      if (error !== undefined) {
        throw failed(following, [...last, error]);
      }
      if (text === "") continue;
      onProgress?.(text);
      last.push(text);
      if (last.length > LAST_LINES) last.shift();
    }
  }
}

function failed({ what, hint }: Following, said: readonly string[]): ToolgateError {
  return new ToolgateError("backend_unavailable", `${what}: ${said.join("\n")}`, {
    ...(hint === undefined ? {} : { hint }),
  });
}

function read(line: string): { readonly error: string | undefined; readonly text: string } {
  const { stream, status, id, error } = JSON.parse(line) as Progress;
  const text = stream ?? [id, status].filter((part) => part !== undefined).join(": ");
  return { error, text: text.trimEnd() };
}
