import type { Approver } from "../tool.ts";
import type { ServedTools } from "./tool-server.ts";

/** One session's tools with their state: reads, directory, rules, running commands. */
export interface ServedSession extends AsyncDisposable {
  readonly tools: ServedTools;
}

/** Makes a session whose questions go to `approver`. */
export type OpenSession = (approver: Approver) => Promise<ServedSession>;
