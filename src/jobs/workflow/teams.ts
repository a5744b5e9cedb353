import { readdir } from "node:fs/promises";
import { extname, join } from "node:path";
import { isToolgateError, ToolgateError } from "../../errors.ts";
import { validateInput } from "../../gate/validate.ts";
import { isObject, type JsonObject, type MaybePromise } from "../../lib/json.ts";
import { nearestNames } from "../../lib/nearest.ts";
import { readSmallText } from "../../lib/small-text.ts";
import type { JsonSchema } from "../../tool.ts";
import { ToolBase } from "../../tool-base.ts";
import { parseWorkflowText } from "./parse.ts";
import { TEAM_SCHEMA, type WorkflowTeam } from "./request.ts";

/**
 * Where saved teams come from: given by name; or a folder of `NAME.json`, `NAME.yaml` and `NAME.yml`, read each time. A folder of a
 * project is only to be named when its user trusts the project: what lies there is told to models.
 */
export type TeamSource = Readonly<Record<string, WorkflowTeam>> | { readonly folder: string };

const ENDINGS: ReadonlySet<string> = new Set([".json", ".yaml", ".yml"]);

/** Saved teams. */
export class Teams {
  readonly #source: TeamSource;

  constructor(source: TeamSource = {}) {
    this.#source = source;
  }

  /**
   * A team by its exact name.
   * @throws ToolgateError `not_found` with names that are near; `invalid_settings` for one that can't be used
   */
  async get(name: string): Promise<WorkflowTeam> {
    const known = await this.#all();
    const load = known.get(name);
    if (load !== undefined) return load();
    const names = [...known.keys()];
    const near = nearestNames(name, names);
    const hint =
      names.length === 0 ? "There are none." : `There are: ${(near.length > 0 ? near : names).join(", ")}.`;
    throw new ToolgateError("not_found", `There is no team ${JSON.stringify(name)}.`, { hint });
  }

  async #all(): Promise<ReadonlyMap<string, () => MaybePromise<WorkflowTeam>>> {
    const source = this.#source;
    if (!isFolder(source))
      return new Map(Object.entries(source).map(([name, team]) => [name, () => checked(name, team)]));
    const files = await readdir(source.folder).catch(() => []);
    const teams = new Map<string, () => MaybePromise<WorkflowTeam>>();
    for (const file of files.toSorted()) {
      const ending = extname(file);
      if (!ENDINGS.has(ending)) continue;
      const name = file.slice(0, -ending.length);
      const path = join(source.folder, file);
      const isDouble = teams.has(name);
      teams.set(name, isDouble ? () => Promise.reject(doubled(name, source.folder)) : () => fromFile(path));
    }
    return teams;
  }
}

function isFolder(source: TeamSource): source is { readonly folder: string } {
  return typeof source.folder === "string";
}

async function fromFile(path: string): Promise<WorkflowTeam> {
  return checked(path, await parseWorkflowText(await readSmallText(path), path));
}

/** @throws ToolgateError `invalid_settings` */
async function checked(where: string, value: unknown): Promise<WorkflowTeam> {
  try {
    // JSON and YAML without tags hold nothing that JSON can't.
    const team = (isObject(value) ? value : {}) as JsonObject;
    await validateInput(new TeamShape(), team);
    // The border: it fits the schema that the type is made from.
    return team as unknown as WorkflowTeam;
  } catch (error) {
    if (!isToolgateError(error, "invalid_input")) throw error;
    const text = error.message.replace("The input of team", `The team ${where}`);
    throw new ToolgateError("invalid_settings", text, { cause: error });
  }
}

/** What a team is held against, as a tool's input is. */
class TeamShape extends ToolBase {
  readonly name = "team";
  readonly description = "";
  readonly inputSchema: JsonSchema = TEAM_SCHEMA;
}

function doubled(name: string, folder: string): ToolgateError {
  return new ToolgateError("invalid_settings", `${folder} has several files for the team ${name}.`);
}
