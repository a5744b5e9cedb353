import type { Api, RawApi } from "grammy";
import { ToolgateError } from "../../errors.ts";
import { patiently } from "../http/patience.ts";
import { Refusal, refusalWords } from "../http/refusal.ts";
import type { GrammyPackage } from "./load.ts";

/** How one call to the service is made. */
export interface BotCall {
  readonly signal: AbortSignal;
  /** Whether it does something that people see: then a lost answer leaves open whether it was done. @default false */
  readonly acts?: boolean;
  /** @default 60000 */
  readonly timeoutMs?: number;
}

/** Where the service is, and who asks. */
export interface BotAccess {
  readonly token: string;
  readonly apiUrl: string;
}

type Method<T> = (raw: RawApi, signal: GrammySignal) => Promise<T>;

/** Telegram's Bot API, with errors that hold no token. */
export class TelegramBot {
  readonly #api: Api;
  readonly #grammy: GrammyPackage;
  readonly #host: string;

  constructor(grammy: GrammyPackage, { token, apiUrl }: BotAccess) {
    this.#grammy = grammy;
    this.#host = new URL(apiUrl).host;
    // Each call has its own limit; grammY's is never the first.
    this.#api = new grammy.Api(token, { apiRoot: apiUrl, timeoutSeconds: 3600 });
  }

  /**
   * Calls a method, and once more after the pause that the service asks for.
   * @throws Refusal, ToolgateError `connection_failed`, `unknown_outcome`, `timeout`, `aborted`
   */
  call<T>(method: Method<T>, call: BotCall): Promise<T> {
    return patiently(call.signal, () => this.#once(method, call));
  }

  async #once<T>(method: Method<T>, { signal, acts = false, timeoutMs = 60_000 }: BotCall): Promise<T> {
    if (signal.aborted) throw new ToolgateError("aborted", "It was cancelled before it was sent.");
    const timer = AbortSignal.timeout(timeoutMs);
    try {
      return await method(this.#api.raw, forGrammy(AbortSignal.any([signal, timer])));
    } catch (error) {
      throw this.#translated(error, { signal, timer, acts });
    }
  }

  #translated(
    error: unknown,
    {
      signal,
      timer,
      acts,
    }: { readonly signal: AbortSignal; readonly timer: AbortSignal; readonly acts: boolean },
  ): unknown {
    if (error instanceof this.#grammy.GrammyError) {
      const { description, error_code: code, parameters } = error;
      const wait = parameters.retry_after;
      return new Refusal(
        refusalWords("Telegram", description, code),
        wait === undefined ? {} : { waitMs: wait * 1000 },
      );
    }
    if (!(error instanceof this.#grammy.HttpError)) return error;
    // What it wraps holds the address, and with it the token: only a code of it is repeated.
    const code = codeOf(error.error);
    if (/^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|CERT_|ERR_TLS)/.test(code)) {
      return new ToolgateError("connection_failed", `${this.#host} couldn't be reached (${code}).`);
    }
    const open = acts ? " It may have arrived." : "";
    if (signal.aborted) {
      return new ToolgateError(acts ? "unknown_outcome" : "aborted", `It was cancelled on the way.${open}`);
    }
    if (timer.aborted) {
      return new ToolgateError(
        acts ? "timeout" : "connection_failed",
        `${this.#host} gave no answer.${open}`,
      );
    }
    const broken = `The connection to ${this.#host} broke off (${code}).${open}`;
    return new ToolgateError(acts ? "unknown_outcome" : "connection_failed", broken);
  }
}

type GrammySignal = NonNullable<Parameters<RawApi["getMe"]>[0]>;

/** grammY names the type of another package, which is the same at run time. */
function forGrammy(signal: object): GrammySignal {
  if (isGrammySignal(signal)) return signal;
  throw new TypeError("A signal is expected.");
}

function isGrammySignal(signal: object): signal is GrammySignal {
  return "aborted" in signal && "addEventListener" in signal;
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  if ("code" in error && typeof error.code === "string") return error.code;
  return "type" in error && typeof error.type === "string" ? error.type : error.name;
}
