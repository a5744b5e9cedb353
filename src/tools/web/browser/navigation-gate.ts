import type { CDPSession } from "playwright-core";
import type { MaybePromise } from "../../../lib/json.ts";
import type { HostSay } from "../../../tool.ts";
import type { Guard } from "../guard.ts";
import { readTarget } from "../target.ts";

/** Where a page wanted to go that it wasn't let. */
export interface Gate {
  readonly stopped: { readonly url: string; readonly why: string } | undefined;
}

/** What may be gone to. */
interface GateOptions {
  readonly guard: Guard;
  readonly judged: ReadonlySet<string>;
  readonly say: (host: string) => MaybePromise<HostSay>;
}

/**
 * Holds a page to the hosts that were judged: going elsewhere, by redirection, script or refresh, takes a rule that allows it. What a
 * page loads into itself isn't its concern: that is the guard's.
 */
export async function navigationGate(session: CDPSession, options: GateOptions): Promise<Gate> {
  const gate: { stopped: Gate["stopped"] } = { stopped: undefined };
  const { frameTree } = await session.send("Page.getFrameTree");
  session.on("Fetch.requestPaused", async ({ requestId, frameId, request }) => {
    const why = frameId === frameTree.frame.id ? await obstacle(request.url, options) : undefined;
    if (why !== undefined) gate.stopped ??= { url: request.url, why };
    const answer =
      why === undefined
        ? session.send("Fetch.continueRequest", { requestId })
        : session.send("Fetch.failRequest", { requestId, errorReason: "Aborted" });
    // The page may be gone by now.
    await answer.catch(() => undefined);
  });
  await session.send("Fetch.enable", { patterns: [{ resourceType: "Document", requestStage: "Request" }] });
  return gate;
}

async function obstacle(url: string, { guard, judged, say }: GateOptions): Promise<string | undefined> {
  let host: string;
  try {
    const target = readTarget(url);
    guard.check(target);
    host = target.host;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/\.$/, "") : String(error);
  }
  if (judged.has(host)) return undefined;
  const said = await say(host);
  if (said === "allowed") return undefined;
  return said === "refused" ? "a rule speaks against that host" : "it is another host than was asked for";
}
