import type { FetchFunction, Logger, WebClientOptions } from "@slack/web-api";
import { ToolgateError } from "../../errors.ts";
import { patiently } from "../http/patience.ts";
import { Refusal, refusalWords } from "../http/refusal.ts";
import type { SlackPackages } from "./load.ts";

/** Where the service is, and who asks. */
export interface SlackAccess {
  readonly packages: SlackPackages;
  readonly botToken: string;
  readonly appToken: string;
  /** Ends in a slash. */
  readonly apiUrl: string;
}

/** How one call to the service is made. */
export interface SlackCall {
  readonly signal: AbortSignal;
  /** Whether it does something that people see: then a lost answer leaves open whether it was done. @default false */
  readonly acts?: boolean;
}

const TIMEOUT_MS = 30_000;

/** What the packages have to say goes nowhere: it isn't ours to show, and states show what counts. */
export function silentLogger({ web }: SlackPackages): Logger {
  const nothing = (): void => undefined;
  return {
    debug: nothing,
    info: nothing,
    warn: nothing,
    error: nothing,
    setLevel: nothing,
    setName: nothing,
    getLevel: () => web.LogLevel.ERROR,
  };
}

/** How the packages' client is set up: it tries nothing twice, and stops with the signal. */
export function clientOptions({ packages, apiUrl }: SlackAccess, signal: AbortSignal): WebClientOptions {
  const stoppable: FetchFunction = (url, init = {}) =>
    fetch(url, { ...init, signal: AbortSignal.any([signal, ...(init.signal == null ? [] : [init.signal])]) });
  return {
    slackApiUrl: apiUrl,
    allowAbsoluteUrls: false,
    rejectRateLimitedCalls: true,
    retryConfig: { retries: 0 },
    timeout: TIMEOUT_MS,
    logger: silentLogger(packages),
    fetch: stoppable,
  };
}

/**
 * Calls a method of the Web API, and once more after the pause that the service asks for.
 * @throws Refusal, ToolgateError `connection_failed`, `unknown_outcome`, `aborted`
 */
export function slackCall(
  access: SlackAccess,
  method: string,
  fields: Record<string, unknown>,
  call: SlackCall,
): Promise<unknown> {
  return patiently(call.signal, async () => {
    if (call.signal.aborted) throw new ToolgateError("aborted", "It was cancelled before it was sent.");
    // One for each call, since the package knows of no other way to stop one.
    const { WebClient } = access.packages.web;
    const client = new WebClient(access.botToken, clientOptions(access, call.signal));
    try {
      return await client.apiCall(method, fields);
    } catch (error) {
      throw slackError(error, access, call);
    }
  });
}

/** What the package threw, in our terms. */
export function slackError(error: unknown, { packages, apiUrl }: SlackAccess, call: SlackCall): unknown {
  const { web } = packages;
  if (error instanceof web.WebAPIPlatformError) return new Refusal(`Slack refused: ${error.data.error}`);
  if (error instanceof web.WebAPIRateLimitedError) {
    return new Refusal("Slack refused: it is asked too often (429)", { waitMs: error.retryAfter * 1000 });
  }
  if (error instanceof web.WebAPIHTTPError) {
    const { statusCode } = error;
    if (statusCode < 500) return new Refusal(refusalWords("Slack", error.statusMessage, statusCode));
    return lost(`Slack failed (${statusCode}).`, call);
  }
  if (!(error instanceof web.WebAPIRequestError)) return error;
  const { host } = new URL(apiUrl);
  const code = causeOf(error.original);
  if (/^(?:bad port|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|CERT_|ERR_TLS)/.test(code)) {
    return new ToolgateError("connection_failed", `${host} couldn't be reached (${code}).`);
  }
  if (call.signal.aborted && !call.acts) return new ToolgateError("aborted", "It was cancelled on the way.");
  return lost(`The connection to ${host} broke off (${code}).`, call);
}

function lost(what: string, { acts = false }: SlackCall): ToolgateError {
  return acts
    ? new ToolgateError("unknown_outcome", `${what} It may have arrived.`)
    : new ToolgateError("connection_failed", what);
}

/** A fault's code, and without one its words. `fetch` hides it one or two causes deep. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ("code" in error && typeof error.code === "string") return error.code;
  return error.cause === undefined ? error.message : causeOf(error.cause);
}
