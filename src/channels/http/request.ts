import { ToolgateError } from "../../errors.ts";
import { parsed } from "./fields.ts";

/** What is asked of a service. */
export interface RequestOptions {
  /** @default POST */
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; a form as a form. */
  readonly body?: FormData | object;
  readonly signal?: AbortSignal;
  /** Whether it does something that people see: then a lost answer leaves open whether it was done. @default false */
  readonly acts?: boolean;
  /** @default 30000 */
  readonly timeoutMs?: number;
}

/** What a service answered. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The JSON of it; `undefined` when it was none. */
  readonly body: unknown;
}

/** Longest answer that is read. */
const MAX_ANSWER = 1024 * 1024;
/** Faults of a connection that never stood, so that nothing was asked. */
const UNREACHED =
  /^(bad port|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ERR_TLS|CERT_|UNABLE_|SELF_SIGNED|DEPTH_ZERO)/;

/**
 * Asks a service over HTTP. Every answer is an answer, whatever its status; redirections aren't followed. Errors name the host and
 * nothing else of the address, which may hold secrets.
 * @throws ToolgateError `connection_failed`; for what acts `unknown_outcome` and `timeout` when it may have been done; `aborted`
 */
export async function request(url: string, options: RequestOptions): Promise<Answer> {
  const { method = "POST", headers = {}, body, signal, timeoutMs = 30_000 } = options;
  if (signal?.aborted === true) throw new ToolgateError("aborted", "It was cancelled before it was sent.");
  const timer = AbortSignal.timeout(timeoutMs);
  const isForm = body instanceof FormData;
  try {
    const response = await fetch(url, {
      method,
      headers: { ...(body !== undefined && !isForm && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      redirect: "manual",
      signal: signal === undefined ? timer : AbortSignal.any([signal, timer]),
    });
    return { status: response.status, headers: response.headers, body: parsed(await readText(response)) };
  } catch (error) {
    throw lostAnswer(error, {
      host: new URL(url).host,
      acts: options.acts ?? false,
      signal,
      isLate: timer.aborted,
      timeoutMs,
    });
  }
}

/** What broke on the way to an answer, rather than was turned down. */
const OPEN_STATUS = new Set([502, 504]);

/** For what acts: the error for an answer that leaves it open whether it was done. */
export function openOutcome(service: string, status: number): ToolgateError | undefined {
  if (!OPEN_STATUS.has(status)) return undefined;
  return new ToolgateError("unknown_outcome", `${service} broke off (${status}). It may have arrived.`);
}

async function readText(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.length;
    if (size > MAX_ANSWER) throw new Error("its answer is too long");
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

/** What is known of a request whose answer was lost. */
export interface Lost {
  readonly host: string;
  readonly acts: boolean;
  readonly signal: AbortSignal | undefined;
  /** Its time was over. */
  readonly isLate: boolean;
  readonly timeoutMs: number;
}

/** What a lost answer means: whether it may have been done, and why nobody knows. */
export function lostAnswer(error: unknown, { host, acts, signal, isLate, timeoutMs }: Lost): ToolgateError {
  const why = reasonOf(error);
  if (UNREACHED.test(why)) {
    return new ToolgateError("connection_failed", `${host} couldn't be reached (${why}).`);
  }
  const open = acts ? " It may have arrived." : "";
  if (signal?.aborted === true) {
    const message = `It was cancelled before ${host} had answered.${open}`;
    return new ToolgateError(acts ? "unknown_outcome" : "aborted", message);
  }
  if (isLate) {
    const message = `${host} gave no answer within ${timeoutMs / 1000} s.${open}`;
    return new ToolgateError(acts ? "timeout" : "connection_failed", message);
  }
  const message = `The connection to ${host} broke off (${why}).${open}`;
  return new ToolgateError(acts ? "unknown_outcome" : "connection_failed", message);
}

/** A fault's code, and without one its words. `fetch` hides it one or two causes deep. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ("code" in error && typeof error.code === "string") return error.code;
  return error.cause === undefined ? error.message : reasonOf(error.cause);
}
