import type { ConsoleEntry } from "../../channels/console/entry.ts";
import type { ConsoleHistory } from "../../channels/console/history.ts";
import type { JsonObject } from "../../lib/json.ts";

/** What the console shows as it happens. */
export interface FeedOptions {
  readonly history: ConsoleHistory;
  /** The questions that wait. */
  readonly pending: () => Promise<readonly JsonObject[]>;
  /** Said once to each reader. */
  readonly facts: JsonObject;
  readonly onError: (error: Error) => void;
}

/** Server-sent events for any number of readers. Disposing ends them all. */
export interface Feed extends AsyncDisposable {
  /** The conversation so far, then what comes. The signal says that the reader has gone. */
  open(signal: AbortSignal): Promise<Response>;
  /** Looks for questions now: one was answered. */
  refresh(): void;
}

const LOOK_EVERY_MS = 1500;
/** So that nobody in between takes the connection for dead. */
const BEAT_EVERY_MS = 15_000;

interface Reader {
  send(text: string): void;
  close(): void;
}

/** Makes the feed; it looks at nothing while nobody reads. */
export function consoleFeed({ history, pending, facts, onError }: FeedOptions): Feed {
  const readers = new Set<Reader>();
  let shown = "";
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;
  let isClosed = false;
  const tell = (text: string): void => {
    for (const reader of readers) reader.send(text);
  };
  const stopEntries = history.onEntry((entry: ConsoleEntry) => tell(event("entry", entry)));
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    try {
      const now = event("approvals", await pending());
      if (now !== shown) tell(now);
      shown = now;
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)));
    } finally {
      isLooking = false;
    }
  };
  const watch = (): void => {
    timer ??= setInterval(() => void look(), LOOK_EVERY_MS);
    timer.unref();
  };
  const leave = (reader: Reader): void => {
    readers.delete(reader);
    if (readers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  return {
    async open(signal): Promise<Response> {
      const questions = await pending();
      const entries = await history.entries(signal);
      if (isClosed) return new Response(null, { status: 503 });
      // From here to its place among the readers nothing is waited for, so that no entry falls between.
      const body = stream({ signal, leave }, (reader) => {
        reader.send(event("hello", { ...facts, entries, approvals: questions }));
        readers.add(reader);
        watch();
      });
      return new Response(body, {
        headers: {
          "Content-Type": "text/event-stream",
          "Cache-Control": "no-store",
          "X-Accel-Buffering": "no",
        },
      });
    },
    refresh: () => void look(),
    async [Symbol.asyncDispose](): Promise<void> {
      isClosed = true;
      stopEntries();
      for (const reader of [...readers]) reader.close();
      clearInterval(timer);
    },
  };
}

interface Leaving {
  readonly signal: AbortSignal;
  readonly leave: (reader: Reader) => void;
}

/** More than that in line, and a reader has stopped reading: it is let go, and comes back by itself. */
const MOST_WAITING = 1000;

function stream({ signal, leave }: Leaving, begin: (reader: Reader) => void): ReadableStream<Uint8Array> {
  let stop = (): void => undefined;
  return new ReadableStream<Uint8Array>(
    {
      start(controller): void {
        const beat = setInterval(() => reader.send(":\n\n"), BEAT_EVERY_MS);
        beat.unref();
        const reader: Reader = {
          send(text): void {
            if ((controller.desiredSize ?? 0) < -MOST_WAITING) reader.close();
            else controller.enqueue(Buffer.from(text));
          },
          close(): void {
            stop();
            controller.close();
          },
        };
        const gone = (): void => stop();
        stop = (): void => {
          clearInterval(beat);
          signal.removeEventListener("abort", gone);
          leave(reader);
          stop = () => undefined;
        };
        signal.addEventListener("abort", gone, { once: true });
        begin(reader);
      },
      cancel(): void {
        stop();
      },
    },
    { highWaterMark: 1 },
  );
}

function event(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
