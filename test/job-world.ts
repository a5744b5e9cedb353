import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent } from "../src/agent/agent.ts";
import type { AgentReply } from "../src/agent/event.ts";
import { AgentJobs, type AgentJobsOptions } from "../src/jobs/agents/agent-jobs.ts";
import type { JobNotice } from "../src/jobs/agents/started.ts";
import type { JobEngine, LaunchOptions } from "../src/jobs/engine.ts";
import { inProcess } from "../src/jobs/in-process.ts";
import { memoryStore } from "../src/store/memory.ts";
import type { Store } from "../src/store.ts";
import type { ToolkitOptions } from "../src/toolkit/options.ts";
import { Toolkit } from "../src/toolkit/toolkit.ts";
import { codingTools } from "../src/tools/presets.ts";
import { ModelServer, type Scripted, type SeenRequest } from "./model-server.ts";

/** What a model answers, turn by turn, in conversations whose first message holds a text. The last answer is given again. */
export type Script = Readonly<Record<string, readonly (Scripted | ((seen: SeenRequest) => Scripted))[]>>;

/** What differs between worlds. */
export interface JobWorldOptions {
  readonly engine?: JobEngine;
  readonly launch?: LaunchOptions;
  readonly jobs?: Partial<AgentJobsOptions>;
  /** Of the session that starts jobs. */
  readonly toolkit?: Partial<ToolkitOptions>;
  /** Of sub-agents. */
  readonly below?: Partial<ToolkitOptions>;
  readonly withStore?: boolean;
}

/** A folder, a model that answers by script, an engine in this process, and sessions that start jobs on it. */
export interface JobWorld extends AsyncDisposable {
  readonly folder: string;
  readonly engine: JobEngine;
  readonly jobs: AgentJobs;
  readonly server: ModelServer;
  readonly toolkit: Toolkit;
  readonly store: Store | undefined;
  readonly notices: JobNotice[];
  /** Another session on the same engine. */
  session(options?: Partial<ToolkitOptions>): Toolkit;
  /** A reply of a session's own model. */
  reply(message: string, toolkit?: Toolkit): Promise<AgentReply>;
}

/** Opens one. */
export async function jobWorld(script: Script, options: JobWorldOptions = {}): Promise<JobWorld> {
  const folder = await mkdtemp(join(tmpdir(), "toolgate-jobs-"));
  await writeFile(join(folder, "a.txt"), "hello\n");
  const server = await ModelServer.answering((seen) => answerTo(script, seen));
  const { engine = inProcess() } = options;
  const store = options.withStore === true ? memoryStore() : undefined;
  const notices: JobNotice[] = [];
  const jobs = new AgentJobs({
    engine,
    model: server.model(),
    toolkit: () => ({ tools: codingTools(), ...(store === undefined ? {} : { store }), ...options.below }),
    onNotice: (notice) => void notices.push(notice),
    ...(store === undefined ? {} : { store }),
    ...options.jobs,
  });
  await engine.launch(options.launch);
  const sessions: Toolkit[] = [];
  const session = (more: Partial<ToolkitOptions> = {}): Toolkit => {
    const toolkit = new Toolkit({
      tools: codingTools(),
      cwd: folder,
      ...(store === undefined ? {} : { store }),
      ...options.toolkit,
      ...more,
    });
    toolkit.register(jobs.tools(toolkit));
    sessions.push(toolkit);
    return toolkit;
  };
  const toolkit = session();
  return {
    folder,
    engine,
    jobs,
    server,
    toolkit,
    store,
    notices,
    session,
    reply: (message, of = toolkit) => new Agent({ model: server.model(), toolkit: of }).reply(message),
    async [Symbol.asyncDispose]() {
      await jobs[Symbol.asyncDispose]();
      await engine[Symbol.asyncDispose]();
      for (const one of sessions) await one[Symbol.asyncDispose]();
      await store?.[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Which turn it is, counted by the model's own messages; which conversation, by its first message. */
export function answerTo(script: Script, seen: SeenRequest): Scripted {
  const first = seen.messages.find(({ role }) => role === "user");
  const text = JSON.stringify(first?.content ?? "");
  const turn = seen.messages.filter(({ role }) => role === "assistant").length;
  const steps = Object.entries(script).find(([key]) => text.includes(key))?.[1] ?? [];
  const step = steps[Math.min(turn, steps.length - 1)];
  if (step === undefined) return { text: `No script for ${text.slice(0, 200)}` };
  return typeof step === "function" ? step(seen) : step;
}

/** Looks again until something holds, for ten seconds at most. */
export async function until<T>(
  look: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  const end = performance.now() + 10_000;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > end) throw new Error("It didn't come about within ten seconds.");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
