import { Readable } from "node:stream";
import type { Client } from "@larksuiteoapi/node-sdk";
import { ToolgateError } from "../../errors.ts";
import { AccessToken, type IssuedToken } from "../http/access-token.ts";
import { at, numberAt, parsed, textAt } from "../http/fields.ts";
import { patiently } from "../http/patience.ts";
import { Refusal, refusalWords } from "../http/refusal.ts";
import { lostAnswer, openOutcome } from "../http/request.ts";
import { type FeishuPackage, SILENT_LOGGER } from "./load.ts";

/** An app at Feishu or Lark, and where that is. */
export interface FeishuAccess {
  readonly appId: string;
  readonly appSecret: string;
  readonly domain: string;
}

/** What is asked. */
export interface FeishuCall {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly data?: Readonly<Record<string, unknown>>;
  /** Sent as a form. */
  readonly isForm?: boolean;
  readonly signal: AbortSignal;
  /** Whether people see what it does. @default false */
  readonly acts?: boolean;
}

const TOKEN_PATH = "/open-apis/auth/v3/tenant_access_token/internal";
const TIMEOUT_MS = 30_000;
const TOKEN_TIMEOUT_MS = 10_000;
const FORM_TIMEOUT_MS = 120_000;
/** A token that is missing, wrong or has ended. */
const STALE = new Set([99991661, 99991663, 99991664, 99991668]);
/** Asked too often: in general, of messages, in a chat. */
const TOO_OFTEN = new Set([99991400, 11232, 230020]);
const PAUSE_SECONDS = 1;
const LONGEST_REFUSAL = 16_384;
const LATE = new Set(["ECONNABORTED", "ETIMEDOUT"]);

/** Feishu's interface, by the package's client. */
export class FeishuApi {
  readonly #client: Client;
  readonly #host: string;
  readonly #token: AccessToken;

  constructor(feishu: FeishuPackage, access: FeishuAccess) {
    const { domain } = access;
    this.#host = new URL(domain).host;
    this.#client = new feishu.Client({
      ...access,
      logger: SILENT_LOGGER,
      // Its own keeps a token that the service has given up until its time is over, for the whole process.
      disableTokenCache: true,
    });
    this.#token = new AccessToken(() => this.#issueToken(access));
  }

  /** Checks id and secret by getting a new token with them. @throws Refusal, ToolgateError */
  async checkCredentials(signal: AbortSignal): Promise<void> {
    await this.#token.renew(signal);
  }

  /** Asks for something, and answers what was answered. @throws Refusal, ToolgateError with `unknown_outcome` or `timeout` when it may have been done */
  call(call: FeishuCall): Promise<unknown> {
    const { signal, acts = false, isForm = false } = call;
    const timeout = isForm ? FORM_TIMEOUT_MS : TIMEOUT_MS;
    return patiently(signal, () =>
      this.#token.use(signal, async (token) => {
        const body = await this.#ask({ ...call, acts }, { token, timeout });
        const code = numberAt(body, "code");
        if (code === 0) return body;
        if (code !== undefined) throw refused(code, body);
        const open = acts ? " It may have arrived." : "";
        const words = `Feishu's answer isn't understood.${open}`;
        throw new ToolgateError(acts ? "unknown_outcome" : "connection_failed", words);
      }),
    );
  }

  /** Fetches a file while it comes. @throws Refusal, ToolgateError */
  async *fetch(call: Pick<FeishuCall, "path" | "params" | "signal">): AsyncGenerator<Uint8Array> {
    const stream = await this.#token.use(call.signal, (token) =>
      this.#ask(
        { ...call, method: "GET", acts: false },
        { token, timeout: TIMEOUT_MS, responseType: "stream" },
      ),
    );
    if (!(stream instanceof Readable)) throw new Refusal("Feishu gave no file");
    yield* stream;
  }

  async #issueToken({ appId, appSecret }: FeishuAccess): Promise<IssuedToken> {
    const data = { app_id: appId, app_secret: appSecret };
    const call = { method: "POST", path: TOKEN_PATH, data, signal: undefined, acts: false } as const;
    const body = await this.#ask(call, { timeout: TOKEN_TIMEOUT_MS });
    const value = textAt(body, "tenant_access_token");
    const seconds = numberAt(body, "expire");
    if (value !== undefined && seconds !== undefined) return { value, lifetimeMs: seconds * 1000 };
    throw refused(numberAt(body, "code") ?? 0, body);
  }

  async #ask(call: Asked, { token, ...how }: How): Promise<unknown> {
    const { method, path, params, data, isForm, signal, acts } = call;
    if (signal?.aborted === true) throw new ToolgateError("aborted", "It was cancelled before it was sent.");
    const headers = {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(isForm === true && { "Content-Type": "multipart/form-data" }),
    };
    try {
      return await this.#client.request<unknown>({
        method,
        url: path,
        headers,
        // What goes to the service must not be led elsewhere, with the token.
        maxRedirects: 0,
        ...(params !== undefined && { params }),
        ...(data !== undefined && { data }),
        ...(signal !== undefined && { signal }),
        ...how,
      });
    } catch (error) {
      throw await explained(error, { host: this.#host, acts, signal, timeoutMs: how.timeout });
    }
  }
}

interface Asked extends Omit<FeishuCall, "signal" | "acts"> {
  readonly signal: AbortSignal | undefined;
  readonly acts: boolean;
}

interface How {
  readonly token?: string;
  readonly timeout: number;
  readonly responseType?: "stream";
}

/** The package throws what its HTTP client does, with the whole request in it: secrets too, so that it is no cause. */
async function explained(
  error: unknown,
  asked: {
    readonly host: string;
    readonly acts: boolean;
    readonly signal: AbortSignal | undefined;
    readonly timeoutMs: number;
  },
): Promise<Error> {
  const status = numberAt(error, "response", "status");
  if (status === undefined) {
    return lostAnswer(error, { ...asked, isLate: LATE.has(textAt(error, "code") ?? "") });
  }
  const body = await wordsOf(at(error, "response", "data"));
  const code = numberAt(body, "code");
  const open = asked.acts && code === undefined ? openOutcome("Feishu", status) : undefined;
  if (open !== undefined) return open;
  const seconds = at(error, "response", "headers", "x-ogw-ratelimit-reset");
  const isTooOften = status === 429 || TOO_OFTEN.has(code ?? 0);
  return refused(code ?? status, body, isTooOften ? Number(seconds ?? PAUSE_SECONDS) : undefined);
}

/** Where a file was asked for, also a refusal comes as a stream. */
async function wordsOf(data: unknown): Promise<unknown> {
  if (!(data instanceof Readable)) return data;
  let text = "";
  try {
    for await (const piece of data) {
      text += piece;
      if (text.length > LONGEST_REFUSAL) break;
    }
  } catch {
    // What there was has to do.
  }
  return parsed(text);
}

function refused(code: number, body: unknown, waitSeconds?: number): Refusal {
  const seconds = waitSeconds ?? (TOO_OFTEN.has(code) ? PAUSE_SECONDS : undefined);
  return new Refusal(refusalWords("Feishu", textAt(body, "msg"), code), {
    isStaleToken: STALE.has(code),
    ...(seconds !== undefined && { waitMs: (Number.isFinite(seconds) ? seconds : PAUSE_SECONDS) * 1000 }),
  });
}
