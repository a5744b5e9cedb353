import { userInfo } from "node:os";
import { planTools } from "../../tools/presets.ts";
import { projectServers } from "../mcp-servers.ts";
import { modeOf, projectSettings } from "../project-settings.ts";
import { openSession, type Session } from "../session.ts";
import { Conversation, type ConversationEnd, type ConversationOptions } from "./conversation.ts";
import { questionApprover } from "./question.ts";
import type { CommandScene } from "./slash-commands.ts";

/** How long the first message waits for MCP servers; what comes up later is there for the next. */
const SERVERS_MS = 1000;

/** Talks until the person ends it or changes to another session. */
export async function converse(options: ConversationOptions): Promise<ConversationEnd> {
  const { terminal, sessionId = freshName() } = options;
  const { lines, view, ctrlC } = terminal;
  const by = `chat:${userInfo().username}`;
  const approver = questionApprover({ lines, view, by, onInterrupt: () => void ctrlC.press() });
  await using session = await openSession({ ...options, sessionId, approver });
  // A conversation has a plan, whatever tools it has besides.
  const missing = planTools().filter(({ name }) => session.toolkit.get(name) === undefined);
  session.toolkit.register(missing);
  await using servers = await projectServers(session);
  using _attached = servers?.attach(session.toolkit);
  await servers?.start(SERVERS_MS);
  // Awaited here: the session is closed when this ends.
  return await new Conversation(options, session).run(await sceneOf(options, session));
}

async function sceneOf({ store, terminal }: ConversationOptions, session: Session): Promise<CommandScene> {
  const settings = await projectSettings(session.project);
  return {
    toolkit: session.toolkit,
    store,
    view: terminal.view,
    project: session.project,
    settingsRules: settings.rules,
    checkMode: (mode) => void modeOf(mode, settings),
    save: () => session.save(),
  };
}

function freshName(): string {
  const [day = "", time = ""] = new Date().toISOString().split("T");
  return `chat-${day.replaceAll("-", "")}-${time.slice(0, 5).replace(":", "")}-${crypto.randomUUID().slice(0, 4)}`;
}
