import { isToolgateError } from "../../errors.ts";
import { jobLine } from "../../jobs/agents/job-words.ts";
import type { JobSummary } from "../../jobs/job.ts";
import { formatRule } from "../../permission/rule-text.ts";
import type { PermissionRule } from "../../rule.ts";
import type { AgentState } from "../../state.ts";
import type { Store } from "../../store.ts";
import type { Toolkit } from "../../toolkit/toolkit.ts";
import type { SessionJobs } from "../jobs/session-jobs.ts";
import { columns } from "../output.ts";
import { ruleOf } from "../rule-argument.ts";
import { originOf } from "../saved-session.ts";
import { visible } from "../visible.ts";
import type { ChatView } from "./view.ts";

/** What commands work on. */
export interface CommandScene {
  readonly toolkit: Toolkit;
  readonly store: Store;
  readonly view: ChatView;
  readonly project: string;
  /** Rules of the settings files. */
  readonly settingsRules: readonly PermissionRule[];
  /** Checks a mode against the settings. @throws ToolgateError */
  readonly checkMode: (mode: string) => void;
  readonly save: () => Promise<void>;
  /** What works for this conversation. */
  readonly jobs: Pick<SessionJobs, "open" | "stop">;
}

/** What the conversation does after a command. */
export type AfterCommand = "stay" | "quit" | { readonly session: string };

const HELP: readonly (readonly [string, string])[] = [
  ["/mode [MODE]", "show or change the mode: default, acceptEdits, explore, bypass, dontAsk"],
  ["/rules [RULE]", "show the rules in force, or add one for this session: /rules allow:Bash(npm test:*)"],
  ["/tasks", "show the plan"],
  ["/agents [stop]", "show the sub-agents and workflows that work for this conversation, or end them"],
  ["/resume [NAME]", "list the sessions of this project, or go on with one"],
  ["/help", "show this"],
  ["/quit", "end; the session can be resumed"],
];

/** Carries out a line that begins with a slash. */
export async function slashCommand(line: string, scene: CommandScene): Promise<AfterCommand> {
  const [, name = "", argument = ""] = /^\/(\S*)\s*(.*?)\s*$/.exec(line) ?? [];
  const { view } = scene;
  try {
    switch (name) {
      case "quit":
      case "exit":
        return "quit";
      case "mode":
        await mode(argument, scene);
        return "stay";
      case "rules":
        await rules(argument, scene);
        return "stay";
      case "tasks":
        view.note(tasksText(scene.toolkit.state));
        return "stay";
      case "agents":
        view.note(await agentsText(argument, scene));
        return "stay";
      case "resume":
        if (argument !== "") return { session: argument };
        view.note(await sessionsText(scene));
        return "stay";
      case "help":
        view.note(columns(HELP));
        return "stay";
      default:
        view.note(`There is no command /${visible(name)}. /help shows them.`);
        return "stay";
    }
  } catch (error) {
    if (!isToolgateError(error)) throw error;
    view.note(error.text);
    return "stay";
  }
}

async function mode(wanted: string, { toolkit, view, checkMode, save }: CommandScene): Promise<void> {
  if (wanted !== "") {
    checkMode(wanted);
    toolkit.setMode(wanted);
    await save();
  }
  view.note(`The mode is ${toolkit.mode}.`);
}

async function rules(text: string, { toolkit, view, settingsRules, save }: CommandScene): Promise<void> {
  if (text !== "") {
    toolkit.addRules(ruleOf(text));
    await save();
  }
  const all = [...settingsRules, ...toolkit.state.permissions.rules];
  if (all.length === 0) view.note("There are no rules.");
  else view.note(columns(all.map((rule) => [`${rule.source} ${rule.behavior}`, formatRule(rule)] as const)));
}

const MARKS = { completed: "✓", in_progress: "▸", pending: "·" } as const;

function tasksText({ tasks: { list } }: AgentState): string {
  if (list.length === 0) return "There is no plan.";
  const done = new Set(list.filter(({ status }) => status === "completed").map(({ id }) => id));
  return list
    .map(({ id, status, subject, blockedBy }) => {
      const open = blockedBy.filter((one) => !done.has(one));
      const waits = open.length === 0 || status === "completed" ? "" : `  (waits for ${open.join(", ")})`;
      return `  ${MARKS[status]} ${visible(id)}  ${visible(subject)}${visible(waits)}`;
    })
    .join("\n");
}

async function agentsText(argument: string, { jobs }: CommandScene): Promise<string> {
  if (argument !== "" && argument !== "stop") return "It is /agents, or /agents stop.";
  const stops = argument === "stop";
  const open = stops ? await jobs.stop("Stopped in the conversation.") : await jobs.open();
  if (open.length === 0) return "Nothing works for this conversation.";
  return open
    .map((job) => (stops ? `Stopped: ${visible(nameOf(job))}` : `  ${visible(jobLine(job))}`))
    .join("\n");
}

function nameOf({ id, label }: JobSummary): string {
  return label === undefined ? id : `${label} (${id})`;
}

async function sessionsText({ store, project, toolkit }: CommandScene): Promise<string> {
  const { items } = await store.sessions({ limit: 50 });
  const rows: (readonly [string, string])[] = [];
  for (const { sessionId, updatedAt, pending } of items) {
    const saved = await store.load(sessionId).catch(() => undefined);
    const [first] = saved?.state.messages ?? [];
    if (saved === undefined || first === undefined || originOf(saved)?.project !== project) continue;
    const here = sessionId === toolkit.state.sessionId ? "  (this one)" : "";
    const waits = pending === 0 ? "" : `  ${pending} waiting`;
    rows.push([
      sessionId,
      `${updatedAt.slice(0, 16).replace("T", " ")}${waits}  ${opening(saved.state)}${here}`,
    ]);
  }
  return rows.length === 0 ? "There are no sessions yet." : columns(rows);
}

/** What a session began with. */
function opening({ messages }: AgentState): string {
  const block = messages.find(({ role }) => role === "user")?.content[0];
  const text = block?.type === "text" ? visible(block.text).replace(/\s+/g, " ") : "";
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
