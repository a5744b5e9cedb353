import { tmpdir } from "node:os";
import type { Browser, CDPSession, Page, Response } from "playwright-core";
import { isToolgateError, ToolgateError } from "../../../errors.ts";
import type { MaybePromise } from "../../../lib/json.ts";
import type { HostSay } from "../../../tool.ts";
import type { WebAccess } from "../access.ts";
import type { Guard } from "../guard.ts";
import { readTarget, type Target } from "../target.ts";
import { findChromium } from "./find-chromium.ts";
import { type GuardedProxy, guardedProxy } from "./guarded-proxy.ts";
import { type Gate, navigationGate } from "./navigation-gate.ts";

/** How a page is opened. */
export interface BrowseOptions {
  readonly guard: Guard;
  readonly access: WebAccess;
  /** The browser's program. @default the system's */
  readonly chromium?: string | undefined;
  readonly viewport: { readonly width: number; readonly height: number };
  /** Milliseconds that the page may take until it is there. */
  readonly timeoutMs: number;
  /** Milliseconds to wait after that. */
  readonly waitMs: number;
  readonly judged: ReadonlySet<string>;
  readonly say: (host: string) => MaybePromise<HostSay>;
  readonly signal: AbortSignal;
}

/** A page that is open. */
export interface OpenPage {
  readonly page: Page;
  readonly session: CDPSession;
  readonly status: number;
  /** Remarks for who reads the answer. */
  readonly notes: readonly string[];
}

/** What came of it, or where the page sent the browser. */
export type Browsed<T> =
  | { readonly kind: "page"; readonly value: T }
  | { readonly kind: "elsewhere"; readonly url: string; readonly why: string };

/** Bytes of a page and all that it loads. */
const MAX_PAGE_BYTES = 64 * 1024 * 1024;
/** How long a page is waited for that never stops loading. */
const SETTLE_MS = 5000;

const ARGUMENTS = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-sync",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-domain-reliability",
  "--no-pings",
  "--dns-prefetch-disable",
  // What goes past a proxy would go past the guard.
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--force-webrtc-ip-handling-policy",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
] as const;

/**
 * Opens a page in Chromium, all of whose connections go through the guard, and works with it. The browser is a fresh one, without
 * anybody's cookies, and ends with the work.
 * @throws ToolgateError `missing_dependency`, `blocked_host`, `connection_failed`, `timeout`
 */
export async function browse<T>(
  target: Target,
  options: BrowseOptions,
  work: (open: OpenPage) => Promise<T>,
): Promise<Browsed<T>> {
  const { guard, access, judged, say, signal } = options;
  guard.check(target);
  const mayReach = async (host: string): Promise<boolean> =>
    judged.has(host) || (!isBrowsersOwn(host) && (await say(host)) !== "refused");
  await using proxy = await guardedProxy({ guard, access, mayReach, maxBytes: MAX_PAGE_BYTES });
  const browser = await launch(options, proxy);
  const stop = (): void => void browser.close();
  signal.addEventListener("abort", stop, { once: true });
  try {
    // It may have been cancelled while the browser started.
    signal.throwIfAborted();
    return await visit(browser, { target, options, proxy }, work);
  } catch (error) {
    signal.throwIfAborted();
    throw isToolgateError(error) ? error : failed(target, error, proxy, options.timeoutMs);
  } finally {
    signal.removeEventListener("abort", stop);
    await browser.close();
  }
}

interface Visit {
  readonly target: Target;
  readonly options: BrowseOptions;
  readonly proxy: GuardedProxy;
}

/** What Chromium wants from its makers, whatever it is told, and pages don't. */
function isBrowsersOwn(host: string): boolean {
  return /^(?:update|optimizationguide-pa|content-autofill|safebrowsing|chromewebstore)\.googleapis\.com$|^(?:clients\d*|android\.clients|accounts|mtalk|redirector)\.(?:google|gvt1)\.com$|(?:^|\.)edge\.microsoft\.com$/.test(
    host,
  );
}

async function launch(
  { chromium: given, signal, timeoutMs }: BrowseOptions,
  proxy: GuardedProxy,
): Promise<Browser> {
  const { chromium } = await import("playwright-core").catch((cause: unknown) => {
    throw new ToolgateError(
      "missing_dependency",
      "Opening pages in a browser takes the package playwright-core.",
      {
        hint: "Install it with: npm install playwright-core",
        cause,
      },
    );
  });
  const executablePath = given ?? findChromium();
  if (executablePath === undefined) {
    throw new ToolgateError("missing_dependency", "No Chromium, Chrome or Edge was found on this machine.", {
      hint: "Install one, for instance the Debian package chromium, or say where it is with the option chromium.",
    });
  }
  signal.throwIfAborted();
  const launching = chromium.launch({
    executablePath,
    headless: true,
    args: [...ARGUMENTS],
    chromiumSandbox: !isRoot(),
    // A browser has no use for what else this process knows.
    env: {
      PATH: process.env.PATH ?? "",
      HOME: tmpdir(),
      TMPDIR: tmpdir(),
      LANG: process.env.LANG ?? "C.UTF-8",
    },
    proxy: { server: `http://127.0.0.1:${proxy.port}`, bypass: "<-loopback>" },
    timeout: timeoutMs,
    handleSIGHUP: false,
    handleSIGINT: false,
    handleSIGTERM: false,
  });
  return launching.catch((cause: unknown) => {
    throw new ToolgateError("connection_failed", `${executablePath} doesn't start: ${firstLine(cause)}`, {
      cause,
    });
  });
}

async function visit<T>(
  browser: Browser,
  { target, options, proxy }: Visit,
  work: (open: OpenPage) => Promise<T>,
): Promise<Browsed<T>> {
  const { viewport, timeoutMs, waitMs } = options;
  const context = await browser.newContext({ viewport, acceptDownloads: false, serviceWorkers: "block" });
  const page = await context.newPage();
  context.on("page", (other) => void other.close());
  const session = await context.newCDPSession(page);
  const gate = await navigationGate(session, options);
  const until = Date.now() + timeoutMs;
  const response = await page
    .goto(target.url.href, { waitUntil: "commit", timeout: timeoutMs })
    .catch((error: unknown) => {
      if (gate.stopped === undefined) throw error;
      return null;
    });
  if (response === null && gate.stopped !== undefined) return { kind: "elsewhere", ...gate.stopped };
  const refused = response === null ? undefined : refusalIn(response, proxy);
  if (refused !== undefined) throw refused;
  const isSettled = await settle(page, Math.min(SETTLE_MS, until - Date.now()));
  if (waitMs > 0) await page.waitForTimeout(waitMs);
  const notes = notesOn(isSettled, gate, proxy);
  const value = await work({ page, session, status: response?.status() ?? 0, notes });
  return { kind: "page", value };
}

/** Our own proxy's refusals aren't the site's answers. */
function refusalIn(response: Response, { failures }: GuardedProxy): unknown {
  return response.status() === 403 ? failures.get(readTarget(response.url()).host) : undefined;
}

/** Whether a page has come to rest in time. */
async function settle(page: Page, limitMs: number): Promise<boolean> {
  return page.waitForLoadState("networkidle", { timeout: Math.max(1, limitMs) }).then(
    () => true,
    () => false,
  );
}

function notesOn(isSettled: boolean, { stopped }: Gate, { failures }: GuardedProxy): readonly string[] {
  const blocked = [...failures]
    .filter(([, why]) => isToolgateError(why, "blocked_host"))
    .map(([host]) => host);
  return [
    ...(isSettled ? [] : ["The page was still loading."]),
    ...(stopped === undefined ? [] : [`The page tried to go on to ${stopped.url}: ${stopped.why}.`]),
    ...(blocked.length === 0 ? [] : [`It was kept from reaching ${blocked.slice(0, 5).join(", ")}.`]),
    ...(isRoot() ? ["Chromium ran without its own sandbox, since this process is root."] : []),
  ];
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function failed(
  { host, url }: Target,
  error: unknown,
  { failures }: GuardedProxy,
  timeoutMs: number,
): unknown {
  const known = failures.get(host);
  if (isToolgateError(known)) return known;
  if (error instanceof Error && error.name === "TimeoutError") {
    return new ToolgateError("timeout", `${url.href} wasn't there after ${timeoutMs} ms.`, { cause: error });
  }
  const cause = known ?? error;
  return new ToolgateError("connection_failed", `${url.href} couldn't be opened: ${firstLine(cause)}`, {
    cause,
  });
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split("\n")[0] ?? "";
}
