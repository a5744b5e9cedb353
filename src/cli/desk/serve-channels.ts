import { join } from "node:path";
import { type AdmittedMessage, Channels } from "../../channels/channels.ts";
import { ConsoleHistory } from "../../channels/console/history.ts";
import { CONSOLE_DESTINATION, CONSOLE_PERSON, ConsoleChannel } from "../../channels/console.ts";
import { channelProblem } from "../../channels/settings.ts";
import type { ChannelTarget } from "../../channels/target.ts";
import type { Store } from "../../store.ts";
import { channelSettings, type XiaozhiEntry } from "../channel-settings.ts";
import { chosenModel, loadModel } from "../chat/model-choice.ts";
import type { ServedJobs } from "../jobs/serve-jobs.ts";
import { ownSettings } from "../own-settings.ts";
import { completeConversation, type SessionParts } from "../preset.ts";
import { projectSettings } from "../project-settings.ts";
import { openSession, type SessionOptions } from "../session.ts";
import { AgentDesk } from "./agent-desk.ts";
import { ChatFinder } from "./chat-finder.ts";

/** What the channels of a server are made of. */
export interface ServeChannelsOptions extends Pick<SessionOptions, "cwd" | "mode" | "preset" | "backend"> {
  readonly project: string;
  readonly store: Store;
  /** What its sessions start jobs with. @default they start none */
  readonly jobs?: Pick<ServedJobs, "parts" | "follow">;
  /** For a person. */
  readonly note: (text: string) => void;
}

/** The channels of a server, and who answers in them. Disposing stops both. */
export interface ServedChannels extends AsyncDisposable {
  readonly channels: Channels;
  readonly console: ConsoleChannel;
  /** Absent where no model is configured: then nobody answers. */
  readonly desk: AgentDesk | undefined;
  readonly xiaozhi: XiaozhiEntry | undefined;
}

/** Where the sessions of a server send to that no chat began. */
export const CONSOLE_TARGET: ChannelTarget = {
  channel: "console",
  account: "default",
  to: CONSOLE_DESTINATION,
};

/** Makes the console and the configured channels; those that can't be made are left out, and said. Nothing connects yet. */
export async function serveChannels(options: ServeChannelsOptions): Promise<ServedChannels> {
  const { project, note } = options;
  const { projectTrusted } = await projectSettings(project);
  const {
    channels: configured,
    xiaozhi,
    notices,
  } = await channelSettings({ project, projectTrusted, env: process.env });
  for (const notice of notices) note(notice);
  const onError = (error: unknown): void => note(error instanceof Error ? error.message : String(error));
  let desk: AgentDesk | undefined;
  const channels = new Channels({
    onMessage: (admitted) => desk?.take(admitted),
    onError,
    onTurnedAway: turnedAwayNotes(note),
    onState: ({ name, account, connection }) => {
      if (connection.state !== "waiting") return;
      note(`${name}:${account}: ${connection.why} Next try in ${connection.delayMs / 1000} s.`);
    },
  });
  const console = new ConsoleChannel(new ConsoleHistory(join(project, ".toolgate", "console")));
  channels.add(console, { allowFrom: [CONSOLE_PERSON] });
  for (const { name, account, allowFrom, make } of configured) {
    try {
      channels.add(await make(), { allowFrom });
    } catch (error) {
      note(channelProblem("settings", `${name}:${account}`, error));
    }
  }
  desk = await deskFor(options, channels, onError);
  return {
    channels,
    console,
    desk,
    xiaozhi,
    async [Symbol.asyncDispose](): Promise<void> {
      await channels.stop();
      await desk?.[Symbol.asyncDispose]();
      await channels[Symbol.asyncDispose]();
    },
  };
}

/** More than that, and somebody is trying to fill the terminal. */
const MOST_NOTES = 20;

/** Says once of each stranger that they aren't let in, by the id that `allowFrom` would have to name. */
function turnedAwayNotes(note: (text: string) => void): (refused: AdmittedMessage) => void {
  const said = new Set<string>();
  return ({ message: { senderId }, channel: { name, account } }) => {
    const who = `${name}:${account} ${senderId}`;
    if (said.has(who) || said.size >= MOST_NOTES) return;
    said.add(who);
    note(
      `${name}:${account}: a message from ${JSON.stringify(senderId)} was turned away: allowFrom doesn't name them.`,
    );
  };
}

async function deskFor(
  { project, store, note, jobs, ...rest }: ServeChannelsOptions,
  channels: Channels,
  onError: (error: unknown) => void,
): Promise<AgentDesk | undefined> {
  try {
    const choice = chosenModel({ settings: await ownSettings(project), env: process.env });
    if (choice === undefined) return undefined;
    return new AgentDesk({
      model: () => loadModel(choice),
      follow: async (toolkit, jobId) => jobs?.follow(toolkit, jobId),
      finder: new ChatFinder(store, channels),
      async open(sessionId, target) {
        const parts: SessionParts = { channels, ...jobs?.parts };
        const session = await openSession({ ...rest, store, sessionId, target, parts });
        const problems = await completeConversation(session.toolkit, parts);
        for (const problem of problems) note(problem);
        return session;
      },
      onError,
    });
  } catch (error) {
    onError(error);
    return undefined;
  }
}
