import { channelProblem } from "../channels/settings.ts";
import { channelSettings } from "./channel-settings.ts";
import { readXiaozhi } from "./desk/xiaozhi-settings.ts";

/** How the channels stand. */
export interface ChannelsState {
  readonly good: boolean;
  readonly lines: readonly string[];
}

const LIMIT_MS = 10_000;

/** Asks each configured service whether it knows the account, in bounded time. @throws ToolgateError `invalid_settings` */
export async function channelsState(project: string, projectTrusted: boolean): Promise<ChannelsState> {
  const env = process.env;
  const { channels, xiaozhi, notices } = await channelSettings({ project, projectTrusted, env });
  const reports = await Promise.all(
    channels.map(async ({ name, account, make }) => {
      const called = account === "default" ? name : `${name}:${account}`;
      try {
        await using channel = await make();
        const { ok, message } = await channel.testConnection(AbortSignal.timeout(LIMIT_MS));
        return { ok, line: `${called}: ${message}` };
      } catch (error) {
        return { ok: false, line: channelProblem("settings", called, error) };
      }
    }),
  );
  const device = xiaozhi === undefined ? [] : [deviceReport(xiaozhi.where, xiaozhi.entry, env)];
  const all = [...reports, ...device, ...notices.map((line) => ({ ok: false, line }))];
  if (all.length === 0) return { good: true, lines: ["none configured; `toolgate serve` has its console"] };
  return { good: all.every(({ ok }) => ok), lines: all.map(({ line }) => line) };
}

function deviceReport(
  where: string,
  entry: unknown,
  env: NodeJS.ProcessEnv,
): { readonly ok: boolean; readonly line: string } {
  try {
    const { conversation, tools } = readXiaozhi(entry, env);
    const offered = [...(conversation ? ["send_message"] : []), ...tools];
    return { ok: true, line: `xiaozhi: offered ${offered.join(", ") || "nothing"} (not connected)` };
  } catch (error) {
    return { ok: false, line: channelProblem(where, "xiaozhi", error) };
  }
}
