import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { auditDirectory } from "../../audit/jsonl-log.ts";
import { channelProblem } from "../../channels/settings.ts";
import type { Supervised } from "../../channels/supervise.ts";
import { accessFor } from "../../server/access.ts";
import { httpServer } from "../../server/http-server.ts";
import { CONSOLE_TARGET, type ServedChannels, serveChannels } from "../desk/serve-channels.ts";
import { serveXiaozhi } from "../desk/serve-xiaozhi.ts";
import { readXiaozhi } from "../desk/xiaozhi-settings.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { onInterrupt } from "../interrupt.ts";
import { serveJobs } from "../jobs/serve-jobs.ts";
import { removeLeftPods } from "../left-pods.ts";
import { note, painter, write } from "../output.ts";
import { projectOf } from "../project.ts";
import { openServed } from "../serve-session.ts";
import { storePlace } from "../store-place.ts";
import { INSTRUCTIONS } from "./mcp.ts";

/** Options of `toolgate serve`. */
export interface ServeOptions {
  readonly port: number;
  readonly host: string;
  /** Names by which it is reached besides: of a proxy, of a service in a cluster. */
  readonly allowHost: readonly string[];
  readonly workspace?: string;
  readonly mode?: string;
  readonly preset: string;
  readonly backend?: string;
  readonly store?: string;
  readonly json?: boolean;
}

/** `toolgate serve`: serves over HTTP until it is told to stop; then everything that ran has been stopped. */
export async function serve(options: ServeOptions, version: string): Promise<ExitCode> {
  const { host, port, workspace = process.cwd(), mode, preset, backend, store } = options;
  const given = process.env.TOOLGATE_TOKEN || undefined;
  const access = accessFor(host, given, options.allowHost);
  const stop = onInterrupt();
  const project = projectOf(resolve(workspace));
  await removeLeftPods(backend);
  const stored = await storePlace(project, store);
  const isNew = stored.kind === "sqlite" && !existsSync(stored.where);
  await using kept = stored.open();
  const common = { cwd: workspace, mode, backend, preset };
  const told = { ...common, project, store: kept, note: (text: string) => note(`toolgate: ${text}`) };
  let desk: ServedChannels["desk"];
  await using jobs = serveJobs({
    ...told,
    onEnd: (sessionId) => desk?.jobEnded(sessionId),
    onScheduled: (job) => desk?.jobStarted(job),
    onQuestion: (question) => desk?.jobAsks(question),
  });
  await using served = await serveChannels({ ...told, jobs });
  desk = served.desk;
  const { channels, console } = served;
  const open = openServed({
    ...common,
    store,
    parts: { channels, ...jobs.parts },
    jobs,
    target: CONSOLE_TARGET,
  });
  // A mistake in the settings shows now, not at the first client.
  await (await open(() => undefined))[Symbol.asyncDispose]();
  await using server = await httpServer({
    host,
    port,
    access,
    open,
    auditDirectory: auditDirectory(project),
    facts: { version, instructions: INSTRUCTIONS },
    console: {
      channel: console,
      channels,
      store: kept,
      answers: desk !== undefined,
      onAnswer({ sessionId }) {
        desk?.goOn(sessionId);
        jobs.answered(sessionId);
      },
    },
    onError: (error) => note(`toolgate: ${error.message}`),
  });
  channels.start();
  jobs.start();
  if (!isNew) desk?.catchUp();
  await using _device = deviceOf({ cwd: workspace, backend, served, version });
  const { url, mcpUrl } = server;
  const shown = given === undefined ? access.token : undefined;
  if (options.json) await write(process.stdout, `${JSON.stringify({ url, token: access.token, mcpUrl })}\n`);
  else await write(process.stdout, readyText({ url, mcpUrl, token: shown, workspace }));
  await new Promise<void>((done) => {
    if (stop.aborted) done();
    stop.addEventListener("abort", () => done(), { once: true });
  });
  note("toolgate is stopping what runs …");
  return EXIT.done;
}

/** The device's cloud that settings name, connected. What is wrong with it is said, and doesn't keep the rest from being served. */
function deviceOf({ served, cwd, backend, version }: DeviceParts): Supervised | undefined {
  if (served.xiaozhi === undefined) return undefined;
  const { where, entry } = served.xiaozhi;
  try {
    return serveXiaozhi({
      settings: readXiaozhi(entry, process.env),
      desk: served.desk,
      cwd,
      backend,
      facts: { version, instructions: "" },
      note: (text) => note(`toolgate: ${text}`),
    });
  } catch (error) {
    note(`toolgate: ${channelProblem(where, "xiaozhi", error)}`);
    return undefined;
  }
}

interface DeviceParts {
  readonly served: ServedChannels;
  readonly cwd: string;
  readonly backend: string | undefined;
  readonly version: string;
}

interface Ready {
  readonly url: string;
  readonly mcpUrl: string;
  /** Absent when the user chose it and knows it. */
  readonly token: string | undefined;
  readonly workspace: string;
}

function readyText({ url, mcpUrl, token, workspace }: Ready): string {
  const paint = painter(process.stdout);
  const lines = [
    `${paint(["green", "bold"], "toolgate is running")} in ${workspace}`,
    `  page   ${paint("underline", `${url}/console`)}`,
    `  MCP    ${paint("underline", mcpUrl)}`,
    `  token  ${token === undefined ? "the one in TOOLGATE_TOKEN" : paint("bold", token)}`,
    "",
    paint("dim", "Connect Claude Code:"),
    `  claude mcp add --transport http toolgate ${mcpUrl} --header "Authorization: Bearer ${token ?? "$TOOLGATE_TOKEN"}"`,
    "",
    paint("dim", "Ctrl-C stops it."),
  ];
  return `${lines.join("\n")}\n`;
}
