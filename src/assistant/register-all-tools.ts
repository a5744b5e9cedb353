import type { ChannelDirectory } from "../channels/channel.ts";
import { channelTargetOf } from "../channels/target.ts";
import type { MaybePromise } from "../lib/json.ts";
import type { Tool } from "../tool.ts";
import type { Toolkit } from "../toolkit/toolkit.ts";
import { assistantTools } from "../tools/assistant/preset.ts";
import type { SendMessageOptions } from "../tools/send-message.ts";
import { type SecurityConfig, securityOptions } from "./security.ts";
import { SkillFolders, type SkillFoldersOptions } from "./skill-folders.ts";

/** Makes tools out of what they need, for one session's toolkit. */
export type ToolMaker = (toolkit: Toolkit) => MaybePromise<Tool | readonly Tool[]>;

/** What an assistant's tools are made of. What is left out has no tools. */
export interface AssistantDeps {
  readonly security?: SecurityConfig;
  /** Set in every command's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly skills?: SkillFoldersOptions;
  /** `web_fetch`; `false` leaves it out. @default with its own defaults */
  readonly web?: ToolMaker | false;
  /** `screenshot`; `false` leaves it out. @default with its own defaults, where there is a browser or a display */
  readonly screenshot?: ToolMaker | false;
  /** `memory` */
  readonly memory?: ToolMaker;
  /** `send_media`; it sends to the chat that `setChannelTarget` ties the session to. */
  readonly channels?: ChannelDirectory;
  /** `spawn`, what looks after it, and `workflow_run`: `(toolkit) => agentJobs.tools(toolkit)` */
  readonly jobs?: ToolMaker;
  /** `schedule_create`, `schedule_list`, `schedule_delete`: `() => scheduleTools(engine)` */
  readonly schedules?: ToolMaker;
  /** `send_message`, in the Xiaozhi conversation mode only. */
  readonly conversation?: SendMessageOptions["converse"];
}

/** One tool of the assistant's, and why it isn't there if it isn't. */
export interface ToolStatus {
  readonly name: string;
  readonly isRegistered: boolean;
  readonly why?: string;
}

interface Row {
  readonly names: readonly string[];
  /** What has to be there, for people. */
  readonly needs: string;
  readonly maker: (deps: AssistantDeps) => ToolMaker | undefined;
}

/** Which tools there are, in the order they are registered, and what each needs. A new one is a row. */
const ROWS: readonly Row[] = [
  { names: ["web_fetch"], needs: "web access", maker: ({ web = webFetch }) => web || undefined },
  {
    names: ["spawn", "spawn_status", "spawn_output", "spawn_stop", "workflow_run"],
    needs: "a job engine and a model",
    maker: ({ jobs }) => jobs,
  },
  {
    names: ["schedule_create", "schedule_list", "schedule_delete"],
    needs: "a job engine",
    maker: ({ schedules }) => schedules,
  },
  { names: ["send_media"], needs: "a channel", maker: ({ channels }) => channels && sendMedia(channels) },
  {
    names: ["screenshot"],
    needs: "a browser or a display",
    maker: ({ screenshot = pictures }) => screenshot || undefined,
  },
  { names: ["memory"], needs: "a memory store", maker: ({ memory }) => memory },
  {
    names: ["send_message"],
    needs: "the Xiaozhi conversation mode",
    maker: ({ conversation }) => conversation && sendMessage(conversation),
  },
];

async function webFetch(): Promise<Tool> {
  const { WebFetch } = await import("../tools/web-fetch.ts");
  return new WebFetch();
}

async function pictures(): Promise<Tool | readonly Tool[]> {
  const { canTakePictures } = await import("../tools/screenshot/can-take.ts");
  if (!canTakePictures()) return [];
  const { Screenshot } = await import("../tools/screenshot.ts");
  return new Screenshot();
}

function sendMedia(channels: ChannelDirectory): ToolMaker {
  return async (toolkit) => {
    const { SendMedia } = await import("../tools/send-media.ts");
    return new SendMedia({ channels, target: () => channelTargetOf(toolkit.state) });
  };
}

function sendMessage(converse: SendMessageOptions["converse"]): ToolMaker {
  return async () => {
    const { SendMessage } = await import("../tools/send-message.ts");
    return new SendMessage({ converse });
  };
}

/**
 * Registers an assistant's tools: those for files and commands always, web_fetch unless it is left out, each other one when what it needs is there. One that fails is left
 * out, and the answer says why. Skills that are switched off can't be read by any tool.
 * @throws ToolgateError `invalid_rule` for a pattern that is no good, `already_exists` for a tool that is there already
 */
export async function registerAllTools(
  toolkit: Toolkit,
  deps: AssistantDeps = {},
): Promise<readonly ToolStatus[]> {
  const skills = deps.skills === undefined ? undefined : new SkillFolders(deps.skills);
  const { tools } = securityOptions(deps.security);
  const always = assistantTools({
    ...tools,
    ...(deps.env === undefined ? {} : { env: deps.env }),
    ...(skills === undefined ? {} : { skills }),
  });
  toolkit.register(always);
  for (const directory of (await skills?.disabledDirectories()) ?? []) denyReading(toolkit, directory);
  const statuses: ToolStatus[] = always.map(({ name }) => ({ name, isRegistered: true }));
  for (const row of ROWS) statuses.push(...(await registerRow(toolkit, row, deps)));
  return statuses;
}

async function registerRow(toolkit: Toolkit, row: Row, deps: AssistantDeps): Promise<readonly ToolStatus[]> {
  const make = row.maker(deps);
  if (make === undefined) return missing(row.names, `needs ${row.needs}`);
  try {
    const made = [await make(toolkit)].flat();
    toolkit.register(made);
    const names = made.map(({ name }) => name);
    const others = row.names.filter((name) => !names.includes(name));
    return [...names.map((name) => ({ name, isRegistered: true })), ...missing(others, `needs ${row.needs}`)];
  } catch (error) {
    return missing(row.names, error instanceof Error ? error.message : String(error));
  }
}

function missing(names: readonly string[], why: string): readonly ToolStatus[] {
  return names.map((name) => ({ name, isRegistered: false, why }));
}

/** Commands and other tools read a skill's files as well. */
function denyReading(toolkit: Toolkit, directory: string): void {
  toolkit.addRules({
    toolName: "Read",
    ruleContent: `/${directory}/**`,
    behavior: "deny",
    source: "session",
  });
}
