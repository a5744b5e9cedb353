import type { McpServers } from "../mcp/client/mcp-servers.ts";
import { note } from "./output.ts";
import { projectMcpConfig } from "./project-settings.ts";
import type { Session } from "./session.ts";

/** The MCP servers that the user's settings and a trusted project name; `undefined` when there are none. None is started yet. */
export async function projectServers(
  session: Pick<Session, "project" | "projectTrusted">,
): Promise<McpServers | undefined> {
  const { servers, notices } = await projectMcpConfig(session.project, session.projectTrusted);
  for (const notice of notices) note(`toolgate: ${notice}`);
  if (servers.size === 0) return undefined;
  const { McpServers: Servers } = await import("../mcp/client/mcp-servers.ts");
  return new Servers({ servers, cwd: session.project, onWarning: (text) => note(`toolgate: ${text}`) });
}

/** The same, started and in the session's toolkit, when a call is of one of their tools; nothing waits for them otherwise. */
export async function serversFor(toolName: string, session: Session): Promise<McpServers | undefined> {
  if (!toolName.startsWith("mcp__")) return undefined;
  const servers = await projectServers(session);
  await servers?.start();
  servers?.attach(session.toolkit);
  return servers;
}
