import { userName } from "../../lib/user-name.ts";
import type { Approver } from "../../tool.ts";
import { SessionJobs } from "../jobs/session-jobs.ts";
import { projectServers } from "../mcp-servers.ts";
import { completeConversation } from "../preset.ts";
import { projectOf } from "../project.ts";
import { modeOf, projectSettings } from "../project-settings.ts";
import { openSession, type Session } from "../session.ts";
import { visible } from "../visible.ts";
import { Conversation, type ConversationEnd, type ConversationOptions } from "./conversation.ts";
import { jobEndText } from "./job-end.ts";
import { questionApprover } from "./question.ts";
import type { CommandScene } from "./slash-commands.ts";
import type { ChatTerminal } from "./terminal.ts";

/** How long the first message waits for MCP servers; what comes up later is there for the next. */
const SERVERS_MS = 1000;

/** Talks until the person ends it or changes to another session. */
export async function converse(options: ConversationOptions): Promise<ConversationEnd> {
  const { terminal, models, sessionId = freshName() } = options;
  const jobs = new SessionJobs({
    project: projectOf(options.cwd),
    models: async () => models,
    onNotice: (notice) => terminal.floor.note(jobEndText(notice, terminal.view.paint)),
  });
  const { parts } = jobs;
  await using session = await openSession({ ...options, sessionId, parts, approver: approverAt(terminal) });
  await using _jobs = jobs;
  jobs.belongTo(session);
  for (const problem of await completeConversation(session.toolkit, parts)) terminal.view.note(problem);
  await using servers = await projectServers(session);
  using _attached = servers?.attach(session.toolkit);
  await servers?.start(SERVERS_MS);
  // Awaited here: the session is closed when this ends.
  return await new Conversation(options, session, jobs).run(await sceneOf(options, session, jobs));
}

/**
 * Asks at the terminal, one question after the other. Lines of a pipe are for the conversation's own questions, which come in an order
 * that who writes them knows; a sub-agent's has no answer there.
 */
function approverAt({ lines, view, ctrlC, floor }: ChatTerminal): Approver {
  const by = `chat:${userName()}`;
  const ask = questionApprover({ lines, view, by, onInterrupt: () => void ctrlC.press() });
  return async (request, signal) => {
    const { from, decision } = request;
    const who = from === undefined ? "A call" : visible(from.label);
    if (from === undefined || lines.isInteractive) {
      try {
        return await floor.ask(who, () => ask(request, signal), signal);
      } catch (error) {
        // Nobody waits for the answer any more.
        if (signal.aborted) return undefined;
        throw error;
      }
    }
    floor.note(`${who} needed an answer, and a pipe has none for it: ${visible(decision.message)}`);
    return undefined;
  };
}

async function sceneOf(
  { store, terminal }: ConversationOptions,
  session: Session,
  jobs: SessionJobs,
): Promise<CommandScene> {
  const settings = await projectSettings(session.project);
  return {
    toolkit: session.toolkit,
    store,
    view: terminal.view,
    project: session.project,
    settingsRules: settings.rules,
    checkMode: (mode) => void modeOf(mode, settings),
    save: () => session.save(),
    jobs,
  };
}

function freshName(): string {
  const [day = "", time = ""] = new Date().toISOString().split("T");
  return `chat-${day.replaceAll("-", "")}-${time.slice(0, 5).replace(":", "")}-${crypto.randomUUID().slice(0, 4)}`;
}
