import { ToolgateError } from "../../errors.ts";

/**
 * Fetches a file that a person sent, piece by piece, from where its service says it is. Only over HTTPS, or from `origin`, where the service itself
 * is reached; redirections aren't followed. Without a word in between for a minute it is given up.
 * @throws ToolgateError `unsupported` for another address, `connection_failed`
 */
export async function* download(
  address: string,
  origin: string,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>> = {},
): AsyncGenerator<Uint8Array> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.origin !== new URL(origin).origin)) {
    throw new ToolgateError("unsupported", "The service gave no HTTPS address for the file.");
  }
  const silence = new Silence();
  try {
    const response = await fetch(url, {
      redirect: "manual",
      headers,
      signal: AbortSignal.any([signal, silence.signal]),
    });
    if (!response.ok) throw new Error(`status ${response.status}`);
    for await (const piece of response.body ?? []) {
      silence.heard();
      yield piece;
    }
  } catch (error) {
    signal.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    throw new ToolgateError("connection_failed", `The file couldn't be fetched from ${url.host}: ${why}.`, {
      cause: error,
    });
  } finally {
    silence.end();
  }
}

const LONGEST_SILENCE_MS = 60_000;

/** Aborts when nothing was heard for a minute. */
class Silence {
  readonly #stop = new AbortController();
  readonly signal: AbortSignal = this.#stop.signal;
  #timer = setTimeout(() => this.#stop.abort(), LONGEST_SILENCE_MS);

  heard(): void {
    this.#timer.refresh();
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
