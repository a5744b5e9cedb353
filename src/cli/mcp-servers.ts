import type { McpServers } from "../mcp/client/mcp-servers.ts";
import type { BackgroundCalls } from "../tools/background/background-calls.ts";
import { note } from "./output.ts";
import { projectMcpConfig } from "./project-settings.ts";
import type { Session } from "./session.ts";

/**
 * The MCP servers that the user's settings and a trusted project name; `undefined` when there are none. None is started yet. Calls that take
 * long go on in the background, for as long as the process does.
 */
export async function projectServers(session: Project): Promise<McpServers | undefined> {
  const { BackgroundCalls: Background } = await import("../tools/background/background-calls.ts");
  return open(session, new Background());
}

type Project = Pick<Session, "project" | "projectTrusted">;

async function open(
  session: Project,
  background: BackgroundCalls | undefined,
): Promise<McpServers | undefined> {
  const { servers, notices } = await projectMcpConfig(session.project, session.projectTrusted);
  for (const notice of notices) note(`toolgate: ${notice}`);
  if (servers.size === 0) return undefined;
  const { McpServers: Servers } = await import("../mcp/client/mcp-servers.ts");
  return new Servers({
    servers,
    cwd: session.project,
    onWarning: (text) => note(`toolgate: ${text}`),
    ...(background === undefined ? {} : { background }),
  });
}

/**
 * The same, started and in the session's toolkit, when a call is of one of their tools; nothing waits for them otherwise. The call is all
 * that the process is for: it is waited for.
 */
export async function serversFor(toolName: string, session: Session): Promise<McpServers | undefined> {
  if (!toolName.startsWith("mcp__")) return undefined;
  const servers = await open(session, undefined);
  await servers?.start();
  servers?.attach(session.toolkit);
  return servers;
}
