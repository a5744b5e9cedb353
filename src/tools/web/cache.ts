import type { Answer } from "./get.ts";

/** An answer that was kept, with when it was gotten or last found unchanged. */
interface Kept {
  readonly answer: Answer;
  readonly at: number;
  readonly freshMs: number;
}

const MAX_FRESH_MS = 24 * 60 * 60 * 1000;
const KEPT_TO_READ_ON_MS = 15 * 60 * 1000;

/** What there is of a URL. */
export interface Known {
  readonly answer: Answer;
  /** May be used without asking. */
  readonly isFresh: boolean;
  /** Headers that ask whether it has changed. */
  readonly conditions: Readonly<Record<string, string>>;
}

/** Pages in memory, the last used ones, as long as their servers allow: a private cache as RFC 9111 has it, without heuristics. */
export class PageCache {
  /** In the order of use. */
  readonly #kept = new Map<string, Kept>();
  readonly #maxBytes: number;
  readonly #now: () => number;
  #bytes = 0;

  constructor(maxBytes: number, now: () => number = Date.now) {
    this.#maxBytes = maxBytes;
    this.#now = now;
  }

  /** `toReadOn`: more of a page that was shown is wanted, which should be the same page, so that a stale one is better. */
  find(url: string, toReadOn: boolean): Known | undefined {
    const kept = this.#kept.get(url);
    if (kept === undefined) return undefined;
    this.#kept.delete(url);
    this.#kept.set(url, kept);
    const age = this.#now() - kept.at;
    return {
      answer: kept.answer,
      isFresh: age < kept.freshMs || (toReadOn && age < KEPT_TO_READ_ON_MS),
      conditions: conditionsOf(kept.answer),
    };
  }

  /** Keeps an answer if it may be kept. */
  put(url: string, answer: Answer): void {
    this.#drop(url);
    const freshMs = freshness(answer.headers);
    if (answer.status !== 200 || freshMs === undefined || answer.bytes.length > this.#maxBytes / 4) return;
    this.#kept.set(url, { answer, at: this.#now(), freshMs });
    this.#bytes += answer.bytes.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#drop(oldest);
    }
  }

  /** The server said that nothing has changed: its new headers count. */
  refresh(url: string, headers: ReadonlyMap<string, string>): Answer | undefined {
    const kept = this.#kept.get(url);
    if (kept === undefined) return undefined;
    const news = [...headers].filter(([name]) => !/^content-(?:length|encoding|type)$/.test(name));
    const answer = { ...kept.answer, headers: new Map([...kept.answer.headers, ...news]) };
    this.put(url, answer);
    return answer;
  }

  #drop(url: string): void {
    this.#bytes -= this.#kept.get(url)?.answer.bytes.length ?? 0;
    this.#kept.delete(url);
  }
}

/** Milliseconds that an answer is as good as new; `undefined` when it may not be kept. */
function freshness(headers: ReadonlyMap<string, string>): number | undefined {
  const said = (headers.get("cache-control") ?? "").toLowerCase();
  if (/(?:^|[\s,])no-store\b/.test(said) || headers.get("vary")?.trim() === "*") return undefined;
  if (/(?:^|[\s,])no-cache\b/.test(said)) return 0;
  const [, seconds] = /(?:^|[\s,])max-age\s*=\s*"?(\d{1,10})/.exec(said) ?? [];
  const age = Number(headers.get("age") ?? 0) * 1000 || 0;
  if (seconds !== undefined) return bounded(Number(seconds) * 1000 - age);
  const date = Date.parse(headers.get("date") ?? "");
  const expires = Date.parse(headers.get("expires") ?? "");
  return bounded(Number.isNaN(expires - date) ? 0 : expires - date - age);
}

function bounded(milliseconds: number): number {
  return Math.min(Math.max(milliseconds, 0), MAX_FRESH_MS);
}

function conditionsOf({ headers }: Answer): Readonly<Record<string, string>> {
  const etag = headers.get("etag");
  const modified = headers.get("last-modified");
  return {
    ...(etag === undefined ? {} : { "if-none-match": etag }),
    ...(modified === undefined ? {} : { "if-modified-since": modified }),
  };
}
