import { join } from "node:path";
import type { AgentJobsOptions } from "../../jobs/agents/agent-jobs.ts";

/** A project's saved teams, where its user trusts it: what lies there is told to models. */
export function projectTeams(project: string, isTrusted: boolean): Pick<AgentJobsOptions, "teams"> {
  return isTrusted ? { teams: { folder: join(project, ".toolgate", "teams") } } : {};
}
