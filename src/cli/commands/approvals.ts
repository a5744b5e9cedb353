import { resolve } from "node:path";
import type { Approval, ApprovalStatus } from "../../approval.ts";
import { ToolgateError } from "../../errors.ts";
import { answerApproval } from "../../gate/answer-approval.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { userName } from "../../lib/user-name.ts";
import type { Store } from "../../store.ts";
import type { ApprovalAnswer } from "../../tool.ts";
import { approvalText, summaryOf } from "../approval-text.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { columns, note, painter, write, writeJson } from "../output.ts";
import { personsOnly } from "../persons-only.ts";
import { projectOf } from "../project.ts";
import { approvalNamed, placeFlags, resumeCall } from "../resume-call.ts";
import { ruleOf } from "../rule-argument.ts";
import { storePlace } from "../store-place.ts";
import { type AnsweredAt, tellJobs } from "../tell-jobs.ts";

/** Options of all of `toolgate approvals`. */
export interface ApprovalsOptions {
  readonly cwd: string;
  readonly store?: string;
  readonly json?: boolean;
}

/** Options of `approvals list`. */
export interface ListOptions extends ApprovalsOptions {
  readonly status: ApprovalStatus | "all";
}

/** Options of `approvals approve`. */
export interface ApproveOptions extends ApprovalsOptions {
  readonly rule: readonly string[];
  readonly edit?: string;
  readonly run?: boolean;
  readonly backend?: string;
}

/** Options of `approvals reject`. */
export interface RejectOptions extends ApprovalsOptions {
  readonly feedback?: string;
}

/** `toolgate approvals list`: all of them, oldest first. */
export async function list(options: ListOptions): Promise<ExitCode> {
  await using store = await openStore(options);
  const { status } = options;
  const items: Approval[] = [];
  const bad: { readonly id: string; readonly problem: string }[] = [];
  let after: string | undefined;
  do {
    const page = await store.approvals({
      limit: 1000,
      ...(status === "all" ? {} : { status }),
      ...(after === undefined ? {} : { after }),
    });
    items.push(...page.items);
    bad.push(...page.bad);
    after = page.next;
  } while (after !== undefined);
  for (const { id, problem } of bad) note(`toolgate: ${id} can't be used: ${problem}`);
  if (options.json) await writeJson({ approvals: items, bad });
  else if (items.length === 0)
    note(status === "pending" ? "Nothing waits for an answer." : "There are none.");
  else {
    const paint = painter(process.stdout);
    const rows = items.map((one) => [one.id, summaryOf(one, paint)] as const);
    await write(process.stdout, `${columns(rows, "")}\n`);
  }
  return EXIT.done;
}

/** `toolgate approvals show`: everything a person needs to answer. */
export async function show(id: string, options: ApprovalsOptions): Promise<ExitCode> {
  await using store = await openStore(options);
  const approval = await approvalNamed(store, id);
  if (options.json) await writeJson(approval);
  else {
    const flags = await placeFlags(store, approval);
    await write(process.stdout, `${approvalText(approval, flags, painter(process.stdout))}\n`);
  }
  return EXIT.done;
}

/** `toolgate approvals approve`: a yes; with `--run` the call runs here and now. */
export async function approve(id: string, options: ApproveOptions): Promise<ExitCode> {
  const rules = options.rule.map((text) =>
    ruleOf(/^(?:allow|deny|ask):/.test(text) ? text : `allow:${text}`),
  );
  const input = options.edit === undefined ? undefined : inputOf(options.edit);
  const { answered, flags } = await answer(id, options, {
    approved: true,
    by: byline(),
    ...(rules.length === 0 ? {} : { rules }),
    ...(input === undefined ? {} : { input }),
  });
  if (!options.run) {
    await tellJobs(answered.sessionId, answeredAt(options));
    await tell(
      answered,
      options,
      `Approved. The call runs, once, when its session goes on, or with: toolgate call --resume ${answered.id}${flags}`,
    );
    return EXIT.done;
  }
  note("Approved.");
  const code = await resumeCall(answered.id, options);
  // Not before: the call is to run here.
  await tellJobs(answered.sessionId, answeredAt(options));
  return code;
}

/** `toolgate approvals reject`: a no, with words for the model if there are any. */
export async function reject(id: string, options: RejectOptions): Promise<ExitCode> {
  const { feedback } = options;
  const given = { approved: false, by: byline(), ...(feedback === undefined ? {} : { feedback }) } as const;
  const { answered } = await answer(id, options, given);
  await tellJobs(answered.sessionId, answeredAt(options));
  await tell(answered, options, "Rejected.");
  return EXIT.done;
}

async function answer(
  id: string,
  options: ApprovalsOptions,
  given: ApprovalAnswer,
): Promise<{ readonly answered: Approval; readonly flags: string }> {
  personsOnly("Answering a question");
  await using store = await openStore(options);
  const approval = await approvalNamed(store, id);
  const answered = await answerApproval(store, approval.id, given);
  return { answered, flags: await placeFlags(store, answered) };
}

async function tell(approval: Approval, { json }: ApprovalsOptions, text: string): Promise<void> {
  if (json) await writeJson(approval);
  else note(text);
}

function answeredAt({ cwd, store }: ApprovalsOptions): AnsweredAt {
  return { project: projectOf(resolve(cwd)), store };
}

async function openStore({ cwd, store }: ApprovalsOptions): Promise<Store> {
  return (await storePlace(projectOf(resolve(cwd)), store)).open();
}

function byline(): string {
  return `cli:${userName()}`;
}

function inputOf(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ToolgateError("invalid_input", "The input given with --edit is not valid JSON.", { cause });
  }
  // Parsed from JSON, so it holds nothing else.
  if (isObject(value)) return value as JsonObject;
  throw new ToolgateError("invalid_input", "The input given with --edit has to be a JSON object.");
}
