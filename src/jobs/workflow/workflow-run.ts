import { type ToolChunk, toolChunk } from "../../chunk.ts";
import { ToolgateError } from "../../errors.ts";
import type { CallContext, JsonSchema, ToolInput } from "../../tool.ts";
import { type JobDesk, longestRunMs } from "../agents/job-desk.ts";
import { callMark, JobTool } from "../agents/job-tool.ts";
import { hasEnded, standing } from "../agents/job-words.ts";
import { jobOf, type Parent } from "../agents/parent.ts";
import { forget, remember } from "../agents/started.ts";
import type { Job } from "../job.ts";
import { WORKFLOW } from "./plan.ts";
import { WORKFLOW_SCHEMA, type WorkflowRequest } from "./request.ts";
import { resumeWorkflow } from "./resume.ts";
import { workflowJob } from "./start.ts";
import type { Teams } from "./teams.ts";

/** Runs several agents that work together. */
export class WorkflowRun extends JobTool {
  readonly name = "workflow_run";
  readonly description: string = [
    "Runs several sub-agents that work together, and answers what each came to; or an id, when it takes long or wait is false, and you are told of the end.",
    "pipeline: one after the other, each with the outputs of all before it. graph: each begins when those in its depends_on are done. council: members state positions, review each other's, and one answer is made of them.",
    "When an agent fails, what the others did is kept, and those that need it say that they are blocked. resume goes on from there.",
    "Agents see nothing of this conversation: say in goal and task all that they have to know.",
  ].join("\n");
  readonly inputSchema: JsonSchema = WORKFLOW_SCHEMA;
  override readonly isReadOnly = true;
  override readonly isConcurrencySafe = true;
  override readonly isStateInjected = true;
  /** Outputs are bounded where they are put together, each with where the rest is. */
  readonly boundsOwnAnswers = true;
  readonly longestRunMs: number = longestRunMs(this.desk);
  readonly #teams: Teams;

  constructor(desk: JobDesk, parent: Parent, teams: Teams) {
    super(desk, parent);
    this.#teams = teams;
  }

  override async call(given: ToolInput, context: CallContext): Promise<ToolChunk> {
    // The border: the gate has held it against the schema that the type is made from.
    const { wait, resume, ...input } = given as unknown as WorkflowRequest;
    const id = resume !== undefined ? await this.#resume(resume, input) : await this.#start(input, context);
    if (context.state !== undefined) remember(context.state, id);
    if (wait !== false) return this.#answer(await this.desk.waitFor(id, context), context);
    this.desk.follow(id, this.parent);
    const job = await this.desk.engine.get(id);
    const text = `${resume !== undefined ? "Resumed" : "Started"} as ${id}${job === undefined ? "" : ` (${standing(job)})`}. You will be told when it has ended.`;
    return toolChunk({ text, state: "success", metadata: { jobId: id } });
  }

  async #start(input: WorkflowRequest, context: CallContext): Promise<string> {
    const { desk, parent } = this;
    await desk.checkRoom(parent);
    const job = await workflowJob(input, { desk, parent, teams: this.#teams });
    return desk.engine.enqueue({ ...job, id: `workflow_${callMark(context)}` });
  }

  async #resume(id: string, others: WorkflowRequest): Promise<string> {
    if (Object.keys(others).length > 0) {
      throw new ToolgateError(
        "invalid_input",
        "resume goes on with a workflow as it was: nothing but wait goes with it.",
      );
    }
    const { engine } = this.desk;
    const job = await jobOf(engine, this.parent, id);
    if (job.kind !== WORKFLOW) throw new ToolgateError("invalid_input", `${id} is no workflow.`);
    await resumeWorkflow(engine, job);
    return id;
  }

  async #answer(job: Job, { state }: CallContext): Promise<ToolChunk> {
    if (!hasEnded(job)) return this.desk.stillOpen(job, this.parent);
    const metadata = { jobId: job.id, status: job.status };
    if (state !== undefined) forget(state, job.id);
    const text = await this.desk.output(job);
    if (job.status === "completed") return toolChunk({ text, state: "success", metadata });
    const how = job.status === "cancelled" ? "interrupted" : "error";
    return toolChunk({ text, state: how, metadata: { ...metadata, code: job.error?.code ?? "aborted" } });
  }
}
