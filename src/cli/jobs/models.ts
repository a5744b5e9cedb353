import type { AgentModel } from "../../agent/model.ts";
import { ToolgateError } from "../../errors.ts";
import { chosenModel, loadModel, type ModelChoice, noModel } from "../chat/model-choice.ts";
import { ownSettings } from "../own-settings.ts";

/** Models that agents of jobs may have. */
export interface Models {
  /** Whether there is one without a name. */
  readonly isConfigured: boolean;
  /** The model of a name, loaded when it is first needed; without a name the configured one. @throws ToolgateError `usage` */
  readonly model: (name: string | undefined) => Promise<AgentModel>;
}

/** Models as the command line, the environment and the user's settings name them. @throws ToolgateError `usage`, `invalid_settings` */
export async function modelsOf(
  { model, baseUrl }: { readonly model?: string; readonly baseUrl?: string },
  project: string,
): Promise<Models> {
  const settings = await ownSettings(project);
  const chosen = (name: string | undefined): ModelChoice | undefined =>
    chosenModel({
      settings,
      env: process.env,
      ...(name === undefined ? {} : { model: name }),
      ...(baseUrl === undefined ? {} : { baseUrl }),
    });
  const loading = new Map<string, Promise<AgentModel>>();
  return {
    isConfigured: chosen(model) !== undefined,
    async model(name) {
      const choice = chosen(name ?? model);
      if (choice === undefined) throw noModel();
      const known = loading.get(choice.text) ?? loadModel(choice);
      loading.set(choice.text, known);
      return known;
    },
  };
}

/** Why there are no tools that start jobs where no model is configured. */
export function jobsNeedModel(): ToolgateError {
  return new ToolgateError(
    "usage",
    "needs a model, and none is configured: TOOLGATE_MODEL, or `model` in ~/.toolgate/settings.json",
  );
}
