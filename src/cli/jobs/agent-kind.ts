import { Agent } from "../../agent/agent.ts";
import type { AgentModel } from "../../agent/model.ts";
import { agentJob, agentSessionId, type JobKind } from "../../jobs/agent-job.ts";
import { isObject } from "../../lib/json.ts";
import type { Store } from "../../store.ts";
import { systemPrompt } from "../chat/system-prompt.ts";
import { openSession } from "../session.ts";

/** What agents of a worker are made of. */
export interface AgentKindOptions {
  readonly store: Store;
  /** @throws ToolgateError `usage` where no model is configured */
  readonly model: () => Promise<AgentModel>;
  /** Where agents work whose task names no place. */
  readonly cwd: string;
  readonly preset: string;
  readonly backend?: string | undefined;
}

/** Jobs of the kind `agent`: a session of its own each, in the store where approvals are answered. */
export function agentKind({ store, model, cwd, preset, backend }: AgentKindOptions): JobKind {
  return agentJob({
    store,
    async open(job, input) {
      const task = isObject(input) ? input : {};
      const rules = Array.isArray(task.rules) ? task.rules.map(String) : [];
      const session = await openSession({
        cwd: typeof task.cwd === "string" ? task.cwd : cwd,
        mode: typeof task.mode === "string" ? task.mode : undefined,
        rule: rules,
        preset,
        backend,
        store,
        sessionId: agentSessionId(job, input),
      });
      const { toolkit, place, save } = session;
      const agent = new Agent({
        model: await model(),
        toolkit,
        session: { save },
        system: () => systemPrompt(toolkit.state, place),
      });
      return { agent, [Symbol.asyncDispose]: () => session[Symbol.asyncDispose]() };
    },
  });
}
