/** Names that other systems give to tools of ours; rules written for those mean ours. */
const SAME_TOOL: ReadonlyMap<string, string> = new Map([
  ["WebFetch", "web_fetch"],
  ["WebSearch", "web_search"],
]);

/** The name under which rules with content are kept for a tool. */
export function ownToolName(name: string): string {
  return SAME_TOOL.get(name) ?? name;
}

/** A rule's tool name, ready to be compared. */
export interface ToolName {
  /** The one tool it names, or `undefined` when it names several. */
  readonly exact: string | undefined;
  readonly regex: RegExp | undefined;
}

/** `mcp__github` is every tool of that server, `*` stands for any characters. */
export function compileToolName(name: string): ToolName {
  const own = ownToolName(name);
  if (own.includes("*")) {
    const source = own.split("*").map(literally).join(".*");
    return { exact: undefined, regex: new RegExp(`^${source}$`, "s") };
  }
  if (isServerName(own)) return { exact: undefined, regex: new RegExp(`^${literally(own)}(?:__.*)?$`, "s") };
  return { exact: own, regex: undefined };
}

/** Whether a name is an MCP server's, which stands for all its tools. */
export function isServerName(name: string): boolean {
  return /^mcp__(?:(?!__).)+$/.test(name);
}

/** Whether a compiled name names this tool. */
export function namesTool(name: ToolName, tool: string): boolean {
  if (name.exact !== undefined) return name.exact === tool || name.exact === SAME_TOOL.get(tool);
  return name.regex?.test(tool) === true;
}

function literally(text: string): string {
  return text.replace(/[\\^$.|?+(){}[\]]/g, "\\$&");
}

/** What a rule with content speaks about, told by the tool it names. */
export type RuleSubject = "command" | "read" | "write" | "search" | "domain" | "own";

const SUBJECTS: ReadonlyMap<string, RuleSubject> = new Map([
  ["Bash", "command"],
  ["Read", "read"],
  ["NotebookRead", "read"],
  ["LS", "read"],
  ["Edit", "write"],
  ["Write", "write"],
  ["MultiEdit", "write"],
  ["NotebookEdit", "write"],
  ["Glob", "search"],
  ["Grep", "search"],
  ["exec", "command"],
  ["read_file", "read"],
  ["write_file", "write"],
  ["edit_file", "write"],
  ["list_dir", "search"],
  ["file_search", "search"],
  ["web_fetch", "domain"],
]);

/** The subject of `toolName(content)`: commands, paths that are read or changed, hosts, or something only the tool understands. */
export function subjectOf(toolName: string, content: string): RuleSubject {
  if (content.startsWith("domain:")) return "domain";
  return SUBJECTS.get(ownToolName(toolName)) ?? "own";
}
