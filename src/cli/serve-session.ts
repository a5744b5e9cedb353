import { resolve } from "node:path";
import type { McpServers } from "../mcp/client/mcp-servers.ts";
import type { RunCall } from "../mcp/guarded-call.ts";
import type { OpenSession } from "../mcp/served-session.ts";
import type { Store } from "../store.ts";
import type { Toolkit } from "../toolkit/toolkit.ts";
import { JobCalls } from "./jobs/job-calls.ts";
import type { ServedJobs } from "./jobs/serve-jobs.ts";
import type { SessionJobs } from "./jobs/session-jobs.ts";
import { projectServers } from "./mcp-servers.ts";
import { ParkedCalls } from "./parked-calls.ts";
import { projectOf } from "./project.ts";
import { openSession, type Session, type SessionOptions } from "./session.ts";
import { leaveOutOfGit, storeFlags, storePlace } from "./store-place.ts";

/** How long the first list of tools waits for MCP servers; what comes up later is told. */
const START_MS = 1000;

/** What sessions for MCP clients are made of. */
export interface ServedOptions extends Omit<SessionOptions, "approver" | "store" | "sessionId"> {
  /** `--store`. */
  readonly store?: string | undefined;
  /** Where the sessions' jobs are. @default each session has its own, which end with it */
  readonly jobs?: Pick<ServedJobs, "release">;
}

/** Makes sessions for MCP clients out of a session's options. All of them share the MCP servers behind, which start with the first. */
export function openServed(options: ServedOptions): OpenSession {
  const shared = new SharedServers();
  const { store: where, jobs, ...rest } = options;
  return async (approver) => {
    const project = projectOf(resolve(options.cwd));
    const place = await storePlace(project, where);
    const store = place.open();
    const own = jobs === undefined ? await ownJobs(options.preset, project, store) : undefined;
    const jobCalls = new JobCalls(approver, storeFlags(place, project, ""));
    const parts = { ...options.parts, ...own?.parts };
    const session = await openSession({ ...rest, parts, approver: jobCalls.approver, store });
    own?.belongTo(session);
    const { toolkit } = session;
    const calls = new ParkedCalls(session, storeFlags(place, project, ""));
    const servers = await shared.enter(session);
    const attached = servers?.attach(toolkit);
    const ready = servers?.start(START_MS) ?? Promise.resolve();
    return {
      tools: {
        async list() {
          await ready;
          return toolkit.schemas("mcp");
        },
        run: jobCalls.round(toolkit, runWhenReady(toolkit, calls, ready)),
        // What comes up before the first list is in it.
        onChange: (listener) => void ready.then(() => toolkit.onToolsChanged(listener)),
      },
      async [Symbol.asyncDispose](): Promise<void> {
        attached?.[Symbol.dispose]();
        jobs?.release(toolkit.state.sessionId);
        await own?.[Symbol.asyncDispose]();
        await session[Symbol.asyncDispose]();
        await store[Symbol.asyncDispose]();
        leaveOutOfGit(project);
        await shared.leave();
      },
    };
  };
}

/** What a session starts jobs with whose preset has tools for that; other sessions needn't load it. */
async function ownJobs(
  preset: string | undefined,
  project: string,
  store: Store,
): Promise<SessionJobs | undefined> {
  if (preset !== "assistant" && preset !== "all") return undefined;
  const { SessionJobs: Jobs } = await import("./jobs/session-jobs.ts");
  const { modelsOf } = await import("./jobs/models.ts");
  return new Jobs({ project, store, models: () => modelsOf({}, project) });
}

/** A client that knows a tool from earlier calls it before anybody has asked for the list. */
function runWhenReady(toolkit: Toolkit, calls: ParkedCalls, ready: Promise<void>): RunCall {
  return async function* (call, signal) {
    if (toolkit.get(call.name) === undefined) await ready;
    yield* calls.run(call, signal);
  };
}

/** The MCP servers of all sessions of this process, ended with the last of them. */
class SharedServers {
  #servers: Promise<McpServers | undefined> | undefined;
  #users = 0;

  async enter(session: Session): Promise<McpServers | undefined> {
    this.#users += 1;
    this.#servers ??= projectServers(session);
    try {
      return await this.#servers;
    } catch (error) {
      // A file that couldn't be read may be mended.
      this.#users -= 1;
      this.#servers = undefined;
      throw error;
    }
  }

  async leave(): Promise<void> {
    this.#users -= 1;
    if (this.#users > 0) return;
    const servers = this.#servers;
    this.#servers = undefined;
    await (await servers)?.[Symbol.asyncDispose]();
  }
}
