import type { OpenSession } from "../mcp/served-session.ts";
import { openSession, type SessionOptions } from "./session.ts";

/** Makes sessions for MCP clients out of a session's options. */
export function openServed(options: Omit<SessionOptions, "approver">): OpenSession {
  return async (approver) => {
    const session = await openSession({ ...options, approver });
    const { toolkit } = session;
    return {
      tools: {
        list: () => toolkit.schemas("mcp"),
        run: (call, signal) => toolkit.run(call, { signal }),
      },
      [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
    };
  };
}
