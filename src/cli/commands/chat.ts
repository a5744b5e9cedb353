import { resolve } from "node:path";
import { chosenModel, loadModel, noModel } from "../chat/model-choice.ts";
import type { ExitCode } from "../exit.ts";
import { modelsOf } from "../jobs/models.ts";
import { ownSettings } from "../own-settings.ts";
import { projectOf } from "../project.ts";
import { checkSessionName } from "../saved-session.ts";
import { leaveOutOfGit, storeFlags, storePlace } from "../store-place.ts";

/** Options of `toolgate chat`. */
export interface ChatOptions {
  readonly cwd: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly session?: string;
  readonly preset: string;
  readonly backend?: string;
  readonly mode?: string;
  readonly rule: readonly string[];
  readonly store?: string;
}

/** `toolgate chat`: a conversation, until its person or its pipe ends it. */
export async function chat(options: ChatOptions): Promise<ExitCode> {
  const project = projectOf(resolve(options.cwd));
  const { model, baseUrl } = options;
  const choice = chosenModel({
    settings: await ownSettings(project),
    env: process.env,
    ...(model === undefined ? {} : { model }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
  });
  if (choice === undefined) throw noModel();
  if (options.session !== undefined) checkSessionName(options.session);
  const place = await storePlace(project, options.store);
  await using store = place.open();
  const loaded = await loadModel(choice);
  const models = await modelsOf(
    { model: choice.text, ...(baseUrl === undefined ? {} : { baseUrl }) },
    project,
  );
  const { converse } = await import("../chat/converse.ts");
  const { ChatTerminal } = await import("../chat/terminal.ts");
  using terminal = new ChatTerminal();
  const { mode, session, ...rest } = options;
  const common = {
    ...rest,
    store,
    storeFlags: storeFlags(place, project, projectOf(process.cwd())),
    model: loaded,
    models,
    modelText: choice.text,
    terminal,
  };
  let end = await converse({ ...common, mode, ...(session === undefined ? {} : { sessionId: session }) });
  while (end.next !== undefined) end = await converse({ ...common, sessionId: end.next });
  leaveOutOfGit(project);
  return end.code;
}
