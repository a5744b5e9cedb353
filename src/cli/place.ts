import { isAbsolute, join, relative, sep } from "node:path";
import type { Backend } from "../backend.ts";
import { localBackend } from "../backends/local.ts";
import { ToolgateError } from "../errors.ts";
import type { Settings } from "../permission/settings.ts";
import type { PermissionRule } from "../rule.ts";
import { type Here, LOCAL } from "./local-place.ts";
import type { RemoteQuestion } from "./open-remote.ts";
import { note } from "./output.ts";
import type { SavedSession } from "./saved-session.ts";

/** What decides where a session's tools act. */
export interface PlaceQuestion {
  /** `--backend`. */
  readonly given: string | undefined;
  readonly settings: Settings;
  readonly withSettings: boolean;
  readonly sessionId: string | undefined;
  readonly saved: SavedSession | undefined;
}

/** Where a session's tools act. */
export interface Place {
  /** In the form of `--backend`. */
  readonly text: string;
  readonly backend: Backend;
  /** Where they start. Absolute, in the place. */
  readonly cwd: string;
  /** More directories for edits. Absolute, in the place. */
  readonly workingDirectories: readonly string[];
  /** A rule as it is there: one that names the project by its path on this machine names it by the one in the place. */
  rule(rule: PermissionRule): PermissionRule;
}

/**
 * Opens the place that was given, else the settings', else this machine.
 * @throws ToolgateError `usage` for a session that was begun in another place: what it knows of files is of there; `invalid_settings`,
 * `missing_dependency`, `backend_unavailable`
 */
export async function openPlace(question: PlaceQuestion, here: Here): Promise<Place> {
  const { saved, settings, sessionId } = question;
  const text = question.given ?? (await fromSettings(question, here)) ?? LOCAL;
  if (saved !== undefined && !saved.isNew && saved.backend !== text) {
    throw new ToolgateError(
      "usage",
      `The session ${JSON.stringify(sessionId)} was begun in ${saved.backend}, and can't go on in ${text}.`,
      { hint: `Add --backend ${saved.backend}, or take another session.` },
    );
  }
  const place = await placeAt(text, settings, { ...here, sessionId });
  saved?.settle(text, place.cwd);
  return place;
}

async function fromSettings(question: PlaceQuestion, { project }: Here): Promise<string | undefined> {
  const { settings, withSettings, sessionId: session } = question;
  if (!withSettings) return undefined;
  // Nobody says anything where there are no files.
  if (settings.files.length === 0) return undefined;
  const { backendSetting } = await import("./backend-settings.ts");
  const { projectTrusted } = settings;
  const { text, notices } = await backendSetting({ project, projectTrusted, session });
  for (const notice of notices) note(`toolgate: ${notice}`);
  return text;
}

async function placeAt(text: string, { workingDirectories }: Settings, here: RemoteQuestion): Promise<Place> {
  const { cwd } = here;
  // The way of every day loads nothing else.
  if (text === LOCAL) {
    return { text, backend: localBackend({ cwd }), cwd, workingDirectories, rule: (rule) => rule };
  }
  const { parseBackend, sharesProject } = await import("./backend-choice.ts");
  const choice = parseBackend(text);
  const { openRemote } = await import("./open-remote.ts");
  const backend = await openRemote(choice, here);
  // Another machine has directories of its own, and none of this one's.
  if (!sharesProject(choice)) {
    return { text, backend, cwd: backend.cwd, workingDirectories: [], rule: (rule) => rule };
  }
  const { project } = here;
  // The project is there, mostly under its own path.
  const there = (path: string): string => join(backend.cwd, relative(project, path));
  return {
    text,
    backend,
    cwd: there(cwd),
    workingDirectories: workingDirectories.filter((path) => isBelow(project, path)).map(there),
    rule: (rule) => moved(rule, project, backend.cwd),
  };
}

function moved(rule: PermissionRule, from: string, to: string): PermissionRule {
  const { ruleContent } = rule;
  if (from === to || ruleContent === null || from === sep) return rule;
  const parts = ruleContent.split(from);
  // Only where the path ends there: not in `/work/project-two` for `/work/project`.
  const text = parts.reduce((before, part) => `${before}${/^(?:$|[/*?\s"'])/.test(part) ? to : from}${part}`);
  return { ...rule, ruleContent: text };
}

function isBelow(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return !isAbsolute(way) && way.split(sep)[0] !== "..";
}
