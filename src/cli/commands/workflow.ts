import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { ToolgateError } from "../../errors.ts";
import { AgentJobs } from "../../jobs/agents/agent-jobs.ts";
import type { JobEngine } from "../../jobs/engine.ts";
import { inProcess } from "../../jobs/in-process.ts";
import type { Job } from "../../jobs/job.ts";
import { parseWorkflowText } from "../../jobs/workflow/parse.ts";
import { workflowOutput } from "../../jobs/workflow/report.ts";
import type { WorkflowRequest } from "../../jobs/workflow/request.ts";
import { planIn, slotText, workflowView } from "../../jobs/workflow/view.ts";
import { isObject } from "../../lib/json.ts";
import { readSmallText } from "../../lib/small-text.ts";
import { userName } from "../../lib/user-name.ts";
import type { Approver } from "../../tool.ts";
import { lineSource } from "../chat/line-source.ts";
import { chosenModel, loadModel, noModel } from "../chat/model-choice.ts";
import { questionApprover } from "../chat/question.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { onInterrupt } from "../interrupt.ts";
import { note, painter, write, writeJson } from "../output.ts";
import { ownSettings } from "../own-settings.ts";
import { projectOf } from "../project.ts";
import { openSession } from "../session.ts";
import { leaveOutOfGit } from "../store-place.ts";
import { Progress } from "../workflow/progress.ts";

/** Options of `toolgate workflow run`. */
export interface WorkflowOptions {
  readonly cwd: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly preset: string;
  readonly backend?: string;
  readonly mode?: string;
  readonly rule: readonly string[];
  readonly json?: boolean;
}

/** `toolgate workflow run`: a file's agents, to their end, in this process; what each came to on standard output. */
export async function runWorkflow(file: string, options: WorkflowOptions): Promise<ExitCode> {
  const request = await requestIn(file);
  const model = await modelFor(options);
  const engine = inProcess();
  const progress = new Progress(engine);
  const interrupted = onInterrupt();
  const asking = new Asking(progress);
  await using session = await openSession({ ...options, approver: asking.approver });
  const { toolkit, project, projectTrusted } = session;
  const teams = projectTrusted ? { teams: { folder: join(project, ".toolgate", "teams") } } : {};
  await using jobs = new AgentJobs({ engine, model, toolkit: () => session.below(), ...teams });
  await using _engine = engine;
  // Nobody but its agents asks anything; they ask as this session.
  jobs.tools(toolkit);
  await engine.launch();
  const id = await jobs.startWorkflow(toolkit, request);
  interrupted.addEventListener("abort", () => void engine.cancel(id, "Stopped at the command line."), {
    once: true,
  });
  const showing = progress.follow(id);
  const job = await engine.wait(id);
  progress.end();
  await showing;
  asking.close();
  leaveOutOfGit(project);
  await show(engine, job, options.json === true);
  if (interrupted.aborted) return EXIT.interrupted;
  if (job.status === "completed") return EXIT.done;
  return asking.unanswered > 0 ? EXIT.approvalNeeded : EXIT.failed;
}

/** @throws ToolgateError `usage`, `invalid_settings`, `invalid_input` */
async function requestIn(file: string): Promise<WorkflowRequest> {
  const where = file === "-" ? "Standard input" : file;
  const given = file === "-" ? await text(process.stdin) : await fileText(file);
  const value = await parseWorkflowText(given, where);
  if (!isObject(value))
    throw new ToolgateError("invalid_input", `${where} holds no workflow: an object is expected.`);
  if ("resume" in value) {
    throw new ToolgateError(
      "invalid_input",
      "A workflow at the command line ends with it: there is none to resume.",
    );
  }
  // Held against the schema before anything is started.
  return value as WorkflowRequest;
}

async function fileText(file: string): Promise<string> {
  try {
    return await readSmallText(resolve(file));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ToolgateError("usage", `${file} can't be read: ${why}.`, { cause });
  }
}

async function modelFor({ cwd, model, baseUrl }: WorkflowOptions): ReturnType<typeof loadModel> {
  const choice = chosenModel({
    settings: await ownSettings(projectOf(resolve(cwd))),
    env: process.env,
    ...(model === undefined ? {} : { model }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
  });
  if (choice === undefined) throw noModel();
  return loadModel(choice);
}

/** Puts agents' questions to the person at the terminal, one at a time; without one they have no answer. */
class Asking {
  readonly approver: Approver;
  /** Questions that nobody has answered. */
  unanswered = 0;
  #close: () => void = () => undefined;

  constructor(progress: Progress) {
    const isInteractive = process.stdin.isTTY && process.stdout.isTTY;
    if (!isInteractive) {
      this.approver = (request) => {
        this.unanswered += 1;
        note(`${request.from?.label ?? "An agent"}: ${request.decision.message}`);
        return undefined;
      };
      return;
    }
    const lines = lineSource();
    this.#close = () => lines[Symbol.dispose]();
    const ask = questionApprover({
      lines,
      view: { note, paint: painter(process.stderr) },
      by: `cli:${userName()}`,
      onInterrupt: () => process.emit("SIGINT"),
    });
    this.approver = (request, signal) => progress.pausedFor(() => ask(request, signal));
  }

  close(): void {
    this.#close();
  }
}

async function show(engine: JobEngine, job: Job, isJson: boolean): Promise<void> {
  if (!isJson) {
    const report = await workflowOutput(engine, job, Number.POSITIVE_INFINITY);
    return write(process.stdout, `${report}\n`);
  }
  const { goal, mode } = planIn(job);
  const views = await workflowView(engine, job);
  const slots = await Promise.all(
    views.map(async (view) => ({ ...view, text: await slotText(engine, view) })),
  );
  await writeJson({ id: job.id, status: job.status, error: job.error, goal, mode, slots });
}
