import { createHash } from "node:crypto";
import type { AgentMiddleware } from "../../agent/middleware.ts";
import type { PermissionDecision } from "../../decision.ts";
import { isToolgateError } from "../../errors.ts";
import type { GateEvent, ToolCall } from "../../event.ts";
import { readInput } from "../../gate/read-input.ts";
import type { ReviewRequest } from "../../gate/review.ts";
import { canonicalJson } from "../../lib/canonical-json.ts";
import type { Json } from "../../lib/json.ts";
import { ToolResponse } from "../../response.ts";
import type { ApprovalAnswer, ApprovalRequest } from "../../tool.ts";
import type { Toolkit } from "../../toolkit/toolkit.ts";
import type { JobContext } from "../handler.ts";
import type { Question, Questions } from "./questions.ts";
import { type StateChange, StateChanges } from "./state-changes.ts";

type NextCall = (call: ToolCall) => AsyncIterable<GateEvent>;

/** How far a call came in one step. */
type Course =
  | { readonly is: "done"; readonly response: Kept; readonly change?: StateChange }
  | { readonly is: "allowed" }
  | { readonly is: "asked"; readonly question: Question };

type Kept = Pick<ToolResponse, "content" | "state" | "metadata">;

/** An answer on its way to the question that it was given to. */
interface Pending {
  readonly answer: ApprovalAnswer;
  readonly question: Question;
}

/** What became known of a call. */
interface Seen {
  readonly request?: ApprovalRequest;
  readonly approvalId?: string;
  readonly response?: ToolResponse;
}

/** How often a call is asked about again, because what was asked about has changed. */
const MAX_QUESTIONS = 3;

/**
 * Makes each call of a sub-agent a step of its job. What changes nothing runs in the step that judges it, and may run twice; everything
 * else has a step of its own, which is never run again when nobody knows whether it did its work. Between the two the job
 * waits for a person's answer, without a process.
 */
export class CallSteps implements AgentMiddleware {
  readonly #context: JobContext;
  readonly #questions: Questions;
  readonly #pending = new Map<string, Pending>();
  #toolkit: Toolkit | undefined;
  #changes: StateChanges | undefined;

  constructor(context: JobContext, questions: Questions) {
    this.#context = context;
    this.#questions = questions;
  }

  /** Whose calls they are. */
  watch(toolkit: Toolkit): void {
    this.#toolkit = toolkit;
    this.#changes = new StateChanges(toolkit.state);
  }

  /** Gives a question the answer that was given to it; nobody else is asked from within a step. */
  readonly approver = (request: ApprovalRequest): ApprovalAnswer | undefined => {
    const pending = this.#pending.get(request.callId);
    if (pending === undefined || !isSame(pending.question, request)) return undefined;
    return pending.answer;
  };

  readonly onCheckPermission = async (
    { callId, toolName }: ReviewRequest,
    next: () => Promise<PermissionDecision>,
  ): Promise<PermissionDecision> => {
    const answer = this.#pending.get(callId)?.answer;
    if (answer === undefined || answer.approved) return next();
    const said = answer.feedback?.trim() ?? "";
    const more = said === "" ? "Don't try it in other words." : `They said: ${said}`;
    return { behavior: "deny", message: `${toolName} was not run: ${answer.by} said no. ${more}` };
  };

  async *onActing(call: ToolCall, next: NextCall): AsyncGenerator<GateEvent, void, undefined> {
    const name = stepName(call.id);
    let course = await this.#step(`judge ${name}`, true, () => this.#judge(call, next));
    for (let round = 0; course.is !== "done"; round += 1) {
      const { pending, isOver } = await this.#settled(course, call, round);
      const isSafe = pending?.answer.approved === false || isOver;
      course = await this.#step(`run ${name}`, isSafe, () => this.#run(call, next, pending, isOver));
    }
    yield* events(call, course.response);
  }

  /** A step whose change of the state is made again when the step isn't. */
  async #step(name: string, safe: boolean, work: () => Promise<Course>): Promise<Course> {
    let hasRun = false;
    const taken = this.#context.step(
      name,
      async () => {
        hasRun = true;
        return asJson(await work());
      },
      { safe },
    );
    const course = await taken.then(courseOf, (error: unknown) => {
      // Decided by a person about a call that was cut off, or a fault of the tool's own.
      if (this.#context.signal.aborted) throw error;
      return answered("error", error instanceof Error ? error.message : String(error), "tool_failed");
    });
    if (!hasRun && course.is === "done" && course.change !== undefined) this.#changes?.apply(course.change);
    return course;
  }

  async #settled(
    course: Exclude<Course, { readonly is: "done" }>,
    call: ToolCall,
    round: number,
  ): Promise<{ readonly pending?: Pending; readonly isOver: boolean }> {
    if (course.is === "allowed") return { isOver: false };
    const { question } = course;
    if (round >= MAX_QUESTIONS) return { isOver: true };
    const answer = await this.#questions.answer(this.#context, call.id, question);
    return answer === undefined ? { isOver: true } : { pending: { answer, question }, isOver: false };
  }

  /** The verdict; runs what changes nothing, and what is refused anyway, so that it is recorded. */
  async #judge(call: ToolCall, next: NextCall): Promise<Course> {
    const verdict = await this.#verdict(call);
    if (verdict?.behavior === "allow" && verdict.readOnly !== true) return { is: "allowed" };
    // Without a store nothing is written down of a question: it needn't go through the gate to be put.
    if (verdict?.behavior === "ask" && this.#questions.canAsk && !this.#questions.isKept) {
      return { is: "asked", question: await this.#question(call, verdict) };
    }
    return this.#drive(call, next);
  }

  async #verdict({ name, input }: ToolCall): Promise<PermissionDecision | undefined> {
    try {
      return await this.#toolkit?.judge(name, input);
    } catch (error) {
      // The gate says what is wrong with it.
      if (isToolgateError(error)) return undefined;
      throw error;
    }
  }

  async #question(
    { name: toolName, input: given }: ToolCall,
    decision: PermissionDecision,
  ): Promise<Question> {
    const tool = this.#toolkit?.get(toolName);
    if (tool === undefined) throw new Error(`The tool ${toolName} is gone.`);
    const input = await readInput(tool, given, Number.POSITIVE_INFINITY);
    return questionOf({ toolName, input, decision, suggestions: decision.suggestions ?? [] });
  }

  async #run(call: ToolCall, next: NextCall, pending: Pending | undefined, isOver: boolean): Promise<Course> {
    if (pending !== undefined) this.#pending.set(call.id, pending);
    try {
      let course = await this.#drive(call, next);
      // The engine has seen to it that it may run: the record of the run that broke off doesn't stand against that.
      if (isUnknown(course) && (await this.#questions.closeRecords(call.id)))
        course = await this.#drive(call, next);
      if (!isOver || course.is !== "asked") return course;
      const message = `${call.name} needs a person's approval, and nobody has answered.`;
      return answered("denied", message, "approval_required");
    } finally {
      this.#pending.delete(call.id);
    }
  }

  /** What becomes known of a call on its way through the gate; its progress is told. */
  async #watch(call: ToolCall, next: NextCall): Promise<Seen> {
    const seen: { -readonly [K in keyof Seen]: Seen[K] } = {};
    for await (const event of next(call)) {
      if (event.type === "REQUIRE_USER_CONFIRM") seen.request = event.request;
      else if (event.type === "TOOL_CALL_PARKED" && event.approvalId !== undefined)
        seen.approvalId = event.approvalId;
      else if (event.type === "TOOL_RESULT_END") seen.response = event.response;
      else if (event.type === "TOOL_PROGRESS") this.#context.report(`${call.name}: ${event.message}`);
      else if (event.type === "TOOL_RESULT_START") this.#context.report(callLine(call));
    }
    return seen;
  }

  /** Takes a call through the gate, to its result or to the question that it leaves open. */
  async #drive(call: ToolCall, next: NextCall): Promise<Course> {
    const changed = this.#changes?.begin();
    const { request, approvalId, response } = await this.#watch(call, next);
    const isOpen = approvalId !== undefined || response?.metadata.code === "approval_required";
    if (request !== undefined && isOpen && this.#questions.canAsk) {
      const kept = approvalId === undefined ? {} : { approvalId };
      return { is: "asked", question: questionOf({ ...request, ...kept }) };
    }
    if (response === undefined) throw new Error(`The call ${call.id} ended without a result.`);
    const { content, state, metadata } = response;
    const change = changed?.();
    return {
      is: "done",
      response: { content, state, metadata },
      ...(change === undefined ? {} : { change }),
    };
  }
}

/** A request as a job keeps it. */
function questionOf({
  toolName,
  input,
  decision,
  suggestions,
  approvalId,
  why,
}: Omit<ApprovalRequest, "callId">): Question {
  return {
    id: crypto.randomUUID(),
    toolName,
    input,
    decision,
    suggestions,
    ...(approvalId === undefined ? {} : { approvalId }),
    ...(why === undefined ? {} : { why }),
  };
}

/** Whether an answer was given to this very question: the same tool, input and effects. */
function isSame(asked: Question, now: ApprovalRequest): boolean {
  const of = ({ toolName, input, decision }: Pick<Question, "toolName" | "input" | "decision">): string =>
    canonicalJson([toolName, input, decision.effects ?? null, decision.bypassImmune ?? false]);
  return of(asked) === of(now);
}

function* events(
  { id: callId, name: toolName }: ToolCall,
  kept: Kept,
): Generator<GateEvent, void, undefined> {
  const response = new ToolResponse(callId, kept.content, kept.state, kept.metadata);
  yield { type: "TOOL_RESULT_START", callId, toolName };
  for (const block of kept.content) {
    if (block.type === "text") yield { type: "TOOL_RESULT_TEXT_DELTA", callId, delta: block.text };
    else yield { type: "TOOL_RESULT_DATA_DELTA", callId, block };
  }
  yield { type: "TOOL_RESULT_END", callId, state: kept.state, response };
}

function callLine({ name, input }: ToolCall): string {
  const text = (typeof input === "string" ? input : JSON.stringify(input)).replace(/\s+/g, " ");
  return `${name} ${text.length > 160 ? `${text.slice(0, 159)}…` : text}`;
}

/** A step's value as a course; of a call that was cut off, a person may have said what it gave. */
function courseOf(value: Json | undefined): Course {
  // The border: it was a course before it was kept.
  if (typeof value === "object" && value !== null && "is" in value) return value as unknown as Course;
  const given = value === undefined || value === null ? "" : ` It gave: ${JSON.stringify(value)}`;
  return answered("success", `It was cut off, and a person says that it has done its work.${given}`);
}

function answered(state: Kept["state"], text: string, code?: string): Course {
  const block = { type: "text", id: crypto.randomUUID(), text } as const;
  const metadata = code === undefined ? {} : { code, message: text };
  return { is: "done", response: { content: [block], state, metadata } };
}

function isUnknown(course: Course): boolean {
  return course.is === "done" && course.response.metadata.code === "unknown_outcome";
}

/** Providers choose ids as they like. */
function stepName(callId: string): string {
  if (/^[\w.:-]{1,120}$/.test(callId)) return callId;
  return createHash("sha256").update(callId).digest("hex").slice(0, 32);
}

function asJson(course: Course): Json {
  const json: Json = JSON.parse(JSON.stringify(course));
  return json;
}
