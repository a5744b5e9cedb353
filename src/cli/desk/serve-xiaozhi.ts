import { type Supervised, supervise } from "../../channels/supervise.ts";
import type { OpenSession } from "../../mcp/served-session.ts";
import type { ServerFacts } from "../../mcp/tool-server.ts";
import { openSession, type SessionOptions } from "../session.ts";
import type { AgentDesk } from "./agent-desk.ts";
import { xiaozhiPeer } from "./xiaozhi-peer.ts";
import type { XiaozhiSettings } from "./xiaozhi-settings.ts";

/** What {@link serveXiaozhi} takes. */
export interface ServeXiaozhiOptions extends Pick<SessionOptions, "cwd" | "backend"> {
  readonly settings: XiaozhiSettings;
  /** Who answers in a conversation. */
  readonly desk: Pick<AgentDesk, "converse"> | undefined;
  readonly facts: ServerFacts;
  /** For a person. */
  readonly note: (text: string) => void;
}

/** The name of the conversation that all devices of an account share. */
const CHAT = "device";

/** Keeps a device's cloud connected until it is disposed of. */
export function serveXiaozhi(options: ServeXiaozhiOptions): Supervised {
  const { settings, facts, note } = options;
  if (settings.conversation && options.desk === undefined) {
    note("xiaozhi: there is no model, so that nobody could answer: send_message is left out.");
  }
  const peer = xiaozhiPeer({
    url: settings.url,
    open: deviceSessions(options),
    facts,
    onError: (error) => note(`xiaozhi: ${error.message}`),
  });
  return supervise(peer, {
    deliver: () => undefined,
    onState: (state) => {
      if (state.state === "waiting") note(`xiaozhi: ${state.why} Next try in ${state.delayMs / 1000} s.`);
    },
  });
}

/**
 * Sessions for a device: nothing is there but the tools that its settings name, and `send_message` in a conversation. The user's own rules tighten
 * such a session and never loosen it.
 */
export function deviceSessions({
  settings,
  desk,
  cwd,
  backend,
}: Omit<ServeXiaozhiOptions, "facts" | "note">): OpenSession {
  const { mode, tools, conversation } = settings;
  const offered = new Set(tools.filter((name) => name !== "send_message"));
  const rules = [...settings.rules];
  const parts =
    conversation && desk !== undefined
      ? { conversation: (text: string, signal: AbortSignal) => desk.converse(CHAT, text, signal) }
      : {};
  if ("conversation" in parts) {
    offered.add("send_message");
    rules.push("allow:send_message");
  }
  // Who could be asked over the connection is the device itself: nobody is.
  return async () => {
    const session = await openSession({
      cwd,
      backend,
      mode,
      preset: "assistant",
      rule: rules,
      parts,
      isGuest: true,
    });
    const { toolkit } = session;
    for (const { name } of toolkit.tools) if (!offered.has(name)) toolkit.remove(name);
    return {
      tools: {
        list: () => toolkit.schemas("mcp"),
        run: (call, signal) => toolkit.run(call, { signal }),
      },
      [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
    };
  };
}
