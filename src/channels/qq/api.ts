import { ToolgateError } from "../../errors.ts";
import { AccessToken, type IssuedToken } from "../http/access-token.ts";
import { numberAt, textAt } from "../http/fields.ts";
import { patiently } from "../http/patience.ts";
import { Refusal, refusalWords } from "../http/refusal.ts";
import { type Answer, openOutcome, request } from "../http/request.ts";

/** An account at QQ, and where QQ is. */
export interface QqAccess {
  readonly appId: string;
  readonly clientSecret: string;
  readonly apiUrl: string;
  readonly tokenUrl: string;
}

/** How one call is made. */
export interface QqCallOptions {
  readonly signal: AbortSignal;
  /** Whether people see what it does. @default false */
  readonly acts?: boolean;
  readonly timeoutMs?: number;
}

/** Wrong, missing and ended tokens. */
const STALE = new Set([11241, 11242, 11243, 11244]);
/** It was taken, and a person at QQ looks at it first. */
const IN_REVIEW = new Set([304023, 304024]);
const TOKEN_TIMEOUT_MS = 10_000;

/** QQ's bot interface, version 2, over HTTP. */
export class QqApi {
  readonly #access: QqAccess;
  readonly #token: AccessToken;

  constructor(access: QqAccess) {
    this.#access = access;
    this.#token = new AccessToken(() => issueToken(access));
  }

  /** Checks app id and secret by getting a new token with them. @throws Refusal, ToolgateError */
  async checkCredentials(signal: AbortSignal): Promise<void> {
    await this.#token.renew(signal);
  }

  /** Works with an access token, for where a token goes into a message. @throws what `work` throws */
  withToken<T>(signal: AbortSignal, work: (token: string) => Promise<T>): Promise<T> {
    return this.#token.use(signal, work);
  }

  /** Gets what a path has. @throws Refusal, ToolgateError */
  get(path: string, options: QqCallOptions): Promise<unknown> {
    return this.#call("GET", path, undefined, options);
  }

  /** Asks for something to be done. @throws Refusal, ToolgateError with `unknown_outcome` or `timeout` when it may have been */
  post(path: string, body: object, options: QqCallOptions): Promise<unknown> {
    return this.#call("POST", path, body, options);
  }

  #call(
    method: "GET" | "POST",
    path: string,
    body: object | undefined,
    options: QqCallOptions,
  ): Promise<unknown> {
    return patiently(options.signal, () =>
      this.#token.use(options.signal, async (token) => {
        const headers = { authorization: `QQBot ${token}`, "x-union-appid": this.#access.appId };
        const answer = await request(`${this.#access.apiUrl}${path}`, {
          method,
          headers,
          ...(body !== undefined && { body }),
          ...options,
        });
        return checked(answer, options.acts ?? false);
      }),
    );
  }
}

function checked({ status, headers, body }: Answer, acts: boolean): unknown {
  const code = numberAt(body, "code") ?? numberAt(body, "err_code") ?? 0;
  if (IN_REVIEW.has(code)) {
    throw new ToolgateError("unknown_outcome", "QQ has the message looked at before it is shown.");
  }
  if (status >= 200 && status < 300 && code === 0) return body;
  const open = acts ? openOutcome("QQ", status) : undefined;
  if (open !== undefined) throw open;
  const isStaleToken = status === 401 || STALE.has(code);
  const words = refusalWords("QQ", textAt(body, "message"), code === 0 ? status : code);
  if (status !== 429) throw new Refusal(words, { isStaleToken });
  throw new Refusal(words, { waitMs: Number(headers.get("retry-after") ?? "1") * 1000 || 1000 });
}

async function issueToken({ appId, clientSecret, tokenUrl }: QqAccess): Promise<IssuedToken> {
  const body = { appId, clientSecret };
  const answer = await request(tokenUrl, { body, timeoutMs: TOKEN_TIMEOUT_MS });
  const value = textAt(answer.body, "access_token");
  const seconds = numberAt(answer.body, "expires_in");
  if (value !== undefined && seconds !== undefined) return { value, lifetimeMs: seconds * 1000 };
  const code = numberAt(answer.body, "code") ?? answer.status;
  throw new Refusal(refusalWords("QQ", textAt(answer.body, "message"), code));
}
