import { AccessToken, type IssuedToken } from "../http/access-token.ts";
import { numberAt, textAt } from "../http/fields.ts";
import { patiently } from "../http/patience.ts";
import { Refusal, refusalWords } from "../http/refusal.ts";
import { type Answer, openOutcome, request } from "../http/request.ts";
import type { MediaFile } from "../media-file.ts";

/** An app with a robot at DingTalk, and where DingTalk is. */
export interface DingtalkAccess {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly robotCode: string;
  readonly apiUrl: string;
  /** The older interface, which alone takes files. */
  readonly oapiUrl: string;
}

/** How one call is made. */
export interface DingtalkCallOptions {
  readonly signal: AbortSignal;
  /** Whether people see what it does. @default false */
  readonly acts?: boolean;
}

/** As what a file is uploaded. */
export type UploadType = "image" | "video" | "file";

const TOKEN_TIMEOUT_MS = 10_000;
const UPLOAD_TIMEOUT_MS = 120_000;
const STALE = /InvalidAuthentication|invalid.?access.?token/i;
const TOO_OFTEN = /QpsLimit|Throttling|TooManyRequests|frequent/i;
/** Of the older interface: a wrong or ended token; asked too often. */
const OLD_STALE = new Set([40001, 40014, 42001]);
const OLD_TOO_OFTEN = new Set([90002, 90018]);
const PAUSE_MS = 1000;

/** DingTalk's interface for robots, over HTTP. */
export class DingtalkApi {
  readonly #access: DingtalkAccess;
  readonly #token: AccessToken;

  constructor(access: DingtalkAccess) {
    this.#access = access;
    this.#token = new AccessToken(() => issueToken(access));
  }

  /** Checks id and secret by getting a new token with them. @throws Refusal, ToolgateError */
  async checkCredentials(signal: AbortSignal): Promise<void> {
    await this.#token.renew(signal);
  }

  /** Asks for something to be done. @throws Refusal, ToolgateError with `unknown_outcome` or `timeout` when it may have been */
  post(path: string, body: object, options: DingtalkCallOptions): Promise<unknown> {
    const { signal, acts = false } = options;
    return patiently(signal, () =>
      this.#token.use(signal, async (token) => {
        const headers = { "x-acs-dingtalk-access-token": token };
        const answer = await request(`${this.#access.apiUrl}${path}`, { headers, body, ...options });
        return checked(answer, acts);
      }),
    );
  }

  /** Says where a connection for incoming messages may be made, and with which ticket. @throws Refusal, ToolgateError */
  async openConnection(body: object, signal: AbortSignal): Promise<{ endpoint: string; ticket: string }> {
    const { clientId, clientSecret, apiUrl } = this.#access;
    const url = `${apiUrl}/v1.0/gateway/connections/open`;
    const answer = await request(url, {
      headers: { accept: "application/json" },
      body: { clientId, clientSecret, ...body },
      signal,
    });
    const said = checked(answer, false);
    const endpoint = textAt(said, "endpoint");
    const ticket = textAt(said, "ticket");
    if (endpoint === undefined || ticket === undefined)
      throw new Refusal("DingTalk said no place to connect to");
    return { endpoint, ticket };
  }

  /** Uploads a file, and answers by what it is sent. @throws Refusal, ToolgateError */
  upload(
    file: Pick<MediaFile, "name" | "bytes" | "mediaType">,
    type: UploadType,
    signal: AbortSignal,
  ): Promise<string> {
    return patiently(signal, () =>
      this.#token.use(signal, async (token) => {
        const url = new URL(`${this.#access.oapiUrl}/media/upload`);
        url.searchParams.set("access_token", token);
        url.searchParams.set("type", type);
        const form = new FormData();
        form.set("media", new Blob([Uint8Array.from(file.bytes)], { type: file.mediaType }), file.name);
        const answer = await request(url.href, { body: form, signal, timeoutMs: UPLOAD_TIMEOUT_MS });
        const id = textAt(answer.body, "media_id");
        const code = numberAt(answer.body, "errcode") ?? answer.status;
        if (code === 0 && id !== undefined) return id;
        throw new Refusal(refusalWords("DingTalk", textAt(answer.body, "errmsg"), code), {
          isStaleToken: OLD_STALE.has(code),
          ...(OLD_TOO_OFTEN.has(code) && { waitMs: PAUSE_MS }),
        });
      }),
    );
  }
}

function checked({ status, body }: Answer, acts: boolean): unknown {
  const code = textAt(body, "code");
  if (status >= 200 && status < 300 && code === undefined) return body;
  const open = acts ? openOutcome("DingTalk", status) : undefined;
  if (open !== undefined) throw open;
  const words = refusalWords("DingTalk", textAt(body, "message"), code ?? status);
  const isTooOften = status === 429 || TOO_OFTEN.test(code ?? "");
  throw new Refusal(words, {
    isStaleToken: status === 401 || STALE.test(code ?? ""),
    ...(isTooOften && { waitMs: PAUSE_MS }),
  });
}

async function issueToken({ clientId, clientSecret, apiUrl }: DingtalkAccess): Promise<IssuedToken> {
  const body = { appKey: clientId, appSecret: clientSecret };
  const answer = await request(`${apiUrl}/v1.0/oauth2/accessToken`, { body, timeoutMs: TOKEN_TIMEOUT_MS });
  const value = textAt(answer.body, "accessToken");
  const seconds = numberAt(answer.body, "expireIn");
  if (value !== undefined && seconds !== undefined) return { value, lifetimeMs: seconds * 1000 };
  const code = textAt(answer.body, "code") ?? answer.status;
  throw new Refusal(refusalWords("DingTalk", textAt(answer.body, "message"), code));
}
