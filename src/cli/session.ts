import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { ToolStatus } from "../assistant/register-all-tools.ts";
import type { Backend } from "../backend.ts";
import { type ChannelTarget, channelTargetOf, setChannelTarget } from "../channels/target.ts";
import { ToolgateError } from "../errors.ts";
import type { Settings } from "../permission/settings.ts";
import type { PermissionMode } from "../rule.ts";
import type { Store } from "../store.ts";
import type { Approver } from "../tool.ts";
import type { ToolkitOptions } from "../toolkit/options.ts";
import { Toolkit } from "../toolkit/toolkit.ts";
import { lazyAuditLog } from "./lazy-audit-log.ts";
import { note } from "./output.ts";
import { openPlace } from "./place.ts";
import { completePreset, presetTools, type SessionParts, toolsBelow } from "./preset.ts";
import { projectOf } from "./project.ts";
import { modeOf, NO_SETTINGS, projectSettings } from "./project-settings.ts";
import { ruleOf } from "./rule-argument.ts";
import type { SavedSession } from "./saved-session.ts";

/** What a session on this machine is made of. */
export interface SessionOptions {
  readonly cwd: string;
  readonly mode?: string | undefined;
  /** In the form `allow:Bash(git:*)`. */
  readonly rule?: readonly string[];
  readonly preset?: string;
  /** In the form of `--backend`. @default the settings', else this machine */
  readonly backend?: string | undefined;
  readonly approver?: Approver;
  /** Keeps the session, its questions and what was started. */
  readonly store?: Store;
  /** A session of the store to go on with, or begin. @default a new one */
  readonly sessionId?: string;
  /** Keeps no records: for what only judges. @default false */
  readonly judgesOnly?: boolean;
  /** @default true */
  readonly withSettings?: boolean;
  /** What the process has for an assistant's tools besides what every session has. */
  readonly parts?: SessionParts;
  /** It is for somebody else than the user, whose settings then tighten it and never loosen it. @default false */
  readonly isGuest?: boolean;
  /** The chat that a new session is held in. @default none */
  readonly target?: ChannelTarget;
}

/** A toolkit with everything round it. Disposing stops what runs and closes the log. */
export interface Session extends AsyncDisposable {
  readonly toolkit: Toolkit;
  /** The assistant's tools, and why some of them aren't there; empty for other presets. */
  readonly statuses: readonly ToolStatus[];
  /** The project's root: where settings and records are. */
  readonly project: string;
  /** Where its tools act, in the form of `--backend`. */
  readonly place: string;
  /** Keeps the session in its store, if it has one. @throws ToolgateError `stale` when another process has kept it since */
  save(): Promise<void>;
  /** Whether the user trusts the project, so that files in it may start programs. */
  readonly projectTrusted: boolean;
  /** What toolkits of sub-agents are made of: the same tools, place, records and protected names. */
  below(): Promise<ToolkitOptions>;
}

/** Puts settings, flags, tools and the log together. @throws ToolgateError `usage`, `invalid_rule`, `invalid_settings` */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { preset = "coding", judgesOnly = false, withSettings = true, approver, store, sessionId } = options;
  const { parts, target, isGuest = false } = options;
  const here = await directoryAt(options.cwd);
  const project = projectOf(here);
  const saved =
    store === undefined
      ? undefined
      : await (await import("./saved-session.ts")).openSaved(store, sessionId, { project, cwd: here });
  const cwd = saved === undefined ? here : await directoryAt(saved.startedIn);
  const settings = settingsFor(withSettings ? await projectSettings(project) : NO_SETTINGS, isGuest);
  for (const notice of settings.notices) note(`toolgate: ${notice}`);
  // A session that goes on keeps its mode, as far as that is still to be had.
  const mode = modeOf(options.mode ?? keptMode(saved), settings);
  const tools = presetTools(preset);
  const rules = [...settings.rules, ...(options.rule ?? []).map(ruleOf)];
  const place = await openPlace(
    { given: options.backend, settings, withSettings, sessionId, saved },
    { project, cwd },
  );
  const { backend } = place;
  const audit = judgesOnly ? undefined : lazyAuditLog(project);
  const common: ToolkitOptions = {
    backend,
    additionalDangerousFiles: settings.additionalDangerousFiles,
    additionalDangerousDirectories: settings.additionalDangerousDirectories,
    ...(audit === undefined ? {} : { audit }),
  };
  const { toolkit, statuses } = await orLetGo(backend, async () => {
    const made = new Toolkit({
      ...common,
      tools,
      cwd: place.cwd,
      rules: rules.map(place.rule),
      workingDirectories: place.workingDirectories,
      ...(mode === undefined ? {} : { mode }),
      ...(approver === undefined ? {} : { approver }),
      ...(store === undefined || saved === undefined ? {} : { store, state: saved.session.state }),
    });
    if (target !== undefined && channelTargetOf(made.state) === undefined) {
      setChannelTarget(made.state, target);
    }
    return { toolkit: made, statuses: await completePreset(preset, made, cwd, parts) };
  });
  return {
    toolkit,
    statuses,
    project,
    place: place.text,
    save: async () => saved?.session.save(),
    projectTrusted: settings.projectTrusted,
    below: async () => ({ ...common, tools: await toolsBelow(preset, cwd) }),
    async [Symbol.asyncDispose](): Promise<void> {
      await toolkit[Symbol.asyncDispose]();
      await backend[Symbol.asyncDispose]();
      await audit?.[Symbol.asyncDispose]();
    },
  };
}

/** What is made of a place; when that fails, nobody else will let go of it. */
async function orLetGo<T>(backend: Backend, make: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    await backend[Symbol.asyncDispose]();
    throw error;
  }
}

function settingsFor(settings: Settings, isGuest: boolean): Settings {
  if (!isGuest) return settings;
  const rules = settings.rules.filter(({ behavior }) => behavior !== "allow");
  return { ...settings, rules, workingDirectories: [], mode: undefined };
}

function keptMode(saved: SavedSession | undefined): PermissionMode | undefined {
  return saved === undefined || saved.isNew ? undefined : saved.session.state.permissions.mode;
}

async function directoryAt(path: string): Promise<string> {
  const full = resolve(path);
  const found = await stat(full).catch(() => undefined);
  if (found?.isDirectory()) return realpath(full);
  throw new ToolgateError("usage", `${full} is ${found === undefined ? "missing" : "no directory"}.`);
}
