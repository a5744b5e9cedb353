import { ToolgateError } from "../../errors.ts";
import type { MaybePromise } from "../../lib/json.ts";
import type { HostSay } from "../../tool.ts";
import type { PageCache } from "./cache.ts";
import { type Answer, type Get, isRedirect } from "./get.ts";
import { readTarget, type Target } from "./target.ts";

/** What a page was gotten with. */
export interface FollowOptions {
  readonly get: Get;
  readonly cache: PageCache;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** More of a page that was shown before is wanted. */
  readonly toReadOn: boolean;
  /** Hosts that the call was judged for. */
  readonly judged: ReadonlySet<string>;
  /** What is said of any other. */
  readonly say: (host: string) => MaybePromise<HostSay>;
}

/** Where a URL led: to a page, or out of what was judged. */
export type Outcome =
  | { readonly kind: "page"; readonly answer: Answer; readonly url: URL; readonly fromCache: boolean }
  | { readonly kind: "elsewhere"; readonly status: number; readonly url: URL; readonly why: string };

const MOST_HOPS = 10;

/**
 * Gets a page and follows its redirections, each of them judged like a URL of its own. One to a host that nobody has allowed ends the
 * way: the model may ask for that host, and is judged for it.
 * @throws ToolgateError `blocked_host`, `invalid_input`, `connection_failed`
 */
export async function follow(first: Target, options: FollowOptions): Promise<Outcome> {
  let target = first;
  for (let hop = 0; hop <= MOST_HOPS; hop += 1) {
    const { answer, fromCache } = await once(target, options);
    const location = answer.headers.get("location");
    if (!isRedirect(answer.status) || location === undefined) {
      return { kind: "page", answer, url: target.url, fromCache };
    }
    const next = nextTarget(location, target);
    const why = await obstacle(target, next, options);
    if (why !== undefined) return { kind: "elsewhere", status: answer.status, url: next.url, why };
    target = next;
  }
  throw new ToolgateError(
    "connection_failed",
    `${first.url.href} redirects more than ${MOST_HOPS} times; it may lead in a circle.`,
  );
}

async function once(
  target: Target,
  options: FollowOptions,
): Promise<{ readonly answer: Answer; readonly fromCache: boolean }> {
  const { get, cache, maxBytes, signal, toReadOn } = options;
  const key = target.url.href;
  const known = cache.find(key, toReadOn);
  if (known?.isFresh) return { answer: known.answer, fromCache: true };
  const answer = await get(target, { headers: known?.conditions ?? {}, maxBytes, signal });
  const same = answer.status === 304 ? cache.refresh(key, answer.headers) : undefined;
  if (same !== undefined) return { answer: same, fromCache: true };
  cache.put(key, answer);
  return { answer, fromCache: false };
}

function nextTarget(location: string, from: Target): Target {
  const next = URL.parse(location, from.url.href);
  try {
    return readTarget(next?.href ?? location);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ToolgateError("blocked_host", `${from.url.href} redirects where it can't be followed. ${why}`, {
      cause: error,
    });
  }
}

/** Why a redirection isn't followed without a new call. */
async function obstacle(
  from: Target,
  to: Target,
  { judged, say }: FollowOptions,
): Promise<string | undefined> {
  if (from.url.protocol === "https:" && to.url.protocol === "http:")
    return "it leaves the encrypted connection";
  if (judged.has(to.host)) return undefined;
  const said = await say(to.host);
  if (said === "allowed") return undefined;
  return said === "refused" ? "a rule speaks against that host" : "it is another host than was asked for";
}
