import { Agent } from "undici";
import { isToolgateError, ToolgateError } from "../../errors.ts";
import type { WebAccess } from "./access.ts";
import { type Body, CODINGS, readBody } from "./body.ts";
import { guardedConnector } from "./connector.ts";
import type { Guard } from "./guard.ts";
import type { Target } from "./target.ts";

/** One answer of a server, redirections not followed. */
export interface Answer extends Body {
  readonly status: number;
  /** By name in lower case; what came several times is joined. */
  readonly headers: ReadonlyMap<string, string>;
}

/** What goes along with a request. */
export interface GetOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Of the body, decompressed. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** Gets one URL. */
export type Get = (target: Target, options: GetOptions) => Promise<Answer>;

const ACCEPT =
  "text/html,application/xhtml+xml,text/markdown;q=0.9,application/json;q=0.9,text/plain;q=0.9,*/*;q=0.5";

/** Gets pages through the guard, with connections that are kept for a moment. Sends no cookies and keeps none. */
export function makeGet(guard: Guard, access: WebAccess, userAgent: string): Get {
  const agent = new Agent({
    connect: guardedConnector(guard, access),
    connections: 4,
    pipelining: 1,
    keepAliveTimeout: 4000,
    keepAliveMaxTimeout: 10_000,
    maxHeaderSize: 64 * 1024,
  });
  return async (target, { headers = {}, maxBytes, signal }) => {
    guard.check(target);
    const { url } = target;
    const asked = { accept: ACCEPT, "accept-encoding": CODINGS, "user-agent": userAgent, ...headers };
    try {
      const path = url.pathname + url.search;
      const answer = await agent.request({ origin: url.origin, path, method: "GET", headers: asked, signal });
      const said = plain(answer.headers);
      const status = answer.statusCode;
      const coding = said.get("content-encoding") ?? "";
      const body = await readBody(answer.body, coding, isRedirect(status) ? 0 : maxBytes);
      return { status, headers: said, ...body };
    } catch (error) {
      signal.throwIfAborted();
      throw isToolgateError(error) ? error : failed(target, error);
    }
  };
}

/** Whether a status sends elsewhere. */
export function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

function plain(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): ReadonlyMap<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [[name.toLowerCase(), Array.isArray(value) ? value.join(", ") : value] as const],
  );
  return new Map(entries);
}

function failed({ url }: Target, cause: unknown): ToolgateError {
  const code = cause instanceof Error ? String(("code" in cause ? cause.code : undefined) ?? cause.name) : "";
  const why = REASONS.find(([pattern]) => pattern.test(code))?.[1] ?? "the connection failed";
  const more = code === "" ? "" : ` (${code})`;
  return new ToolgateError("connection_failed", `${url.host} gave no answer: ${why}${more}.`, { cause });
}

const REASONS: readonly (readonly [RegExp, string])[] = [
  [/CERT|SELF_SIGNED|ALTNAME|UNABLE_TO_VERIFY|ISSUER/, "its certificate isn't valid"],
  [/SSL|TLS|EPROTO/, "its TLS doesn't work"],
  [/ECONNREFUSED/, "nothing listens at that port"],
  [/UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT/, "it doesn't answer"],
  [/ECONNRESET|UND_ERR_SOCKET|EPIPE/, "it broke the connection off"],
  [/HPE_|HTTPParser|HEADERS_OVERFLOW/, "it doesn't talk HTTP properly"],
  [/EHOSTUNREACH|ENETUNREACH/, "there is no way to it"],
];
