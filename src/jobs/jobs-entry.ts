export type { AgentPlace } from "./agents/agent-handler.ts";
export { AgentJobs, type AgentJobsOptions } from "./agents/agent-jobs.ts";
export type { JobQuestion } from "./agents/couriers.ts";
export type { JobNotice } from "./agents/started.ts";
export type { AgentBudget } from "./agents/task.ts";
export type { WorkflowRequest, WorkflowTeam } from "./workflow/request.ts";
export type { TeamSource } from "./workflow/teams.ts";
