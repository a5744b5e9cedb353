import { describe, expect, it } from "vitest";
import { isToolgateError } from "../../errors.ts";
import { chosenModel, type ModelSources } from "./model-choice.ts";

const none: ModelSources = { settings: {}, env: {} };
const openaiKey = { OPENAI_API_KEY: "k" };

function chosen(sources: Partial<ModelSources>): unknown {
  try {
    const choice = chosenModel({ ...none, ...sources });
    if (choice === undefined) return undefined;
    const { text, provider, modelId, baseUrl, apiKey } = choice;
    return [text, provider.api, modelId, baseUrl, apiKey];
  } catch (error) {
    return isToolgateError(error) ? `${error.code}: ${error.message}` : error;
  }
}

describe("chosenModel", () => {
  it.each<[string, Partial<ModelSources>, unknown]>([
    ["nothing", {}, undefined],
    ["a key alone", { env: openaiKey }, undefined],
    [
      "a flag before all else",
      {
        model: "openai/a",
        env: { ...openaiKey, TOOLGATE_MODEL: "openai/b" },
        settings: { model: "openai/c" },
      },
      ["openai/a", "openai", "a", "https://api.openai.com/v1", "k"],
    ],
    [
      "the environment before the settings",
      { env: { ...openaiKey, TOOLGATE_MODEL: "openai/b" }, settings: { model: "openai/c" } },
      ["openai/b", "openai", "b", "https://api.openai.com/v1", "k"],
    ],
    [
      "the settings",
      { settings: { model: "x/m", modelBaseUrl: "http://h/v1" } },
      ["x/m", "openai", "m", "http://h/v1", undefined],
    ],
    [
      "an address from the environment",
      { model: "openai/org/m", env: { OPENAI_BASE_URL: "http://h/v1" } },
      ["openai/org/m", "openai", "org/m", "http://h/v1", undefined],
    ],
    [
      "another provider's key by its name",
      { model: "my-own/m", baseUrl: "http://h/v1", env: { MY_OWN_API_KEY: "mine" } },
      ["my-own/m", "openai", "m", "http://h/v1", "mine"],
    ],
    [
      "anthropic",
      { model: "anthropic/m", env: { ANTHROPIC_API_KEY: "k" } },
      ["anthropic/m", "anthropic", "m", undefined, "k"],
    ],
    [
      "this machine",
      { model: "ollama/m" },
      ["ollama/m", "openai", "m", "http://127.0.0.1:11434/v1", undefined],
    ],
    ["no provider", { model: "m" }, 'usage: "m" is not of the form PROVIDER/MODEL.'],
    ["no model", { model: "openai/" }, 'usage: "openai/" is not of the form PROVIDER/MODEL.'],
    ["an unknown provider", { model: "x/m" }, 'usage: There is no provider "x".'],
    ["no key", { model: "openai/m" }, "usage: The model openai/m needs a key in OPENAI_API_KEY."],
    [
      "no key of anthropic",
      { model: "anthropic/m" },
      "usage: The model anthropic/m needs a key in ANTHROPIC_API_KEY.",
    ],
    ["no address", { model: "openai/m", baseUrl: "nowhere" }, 'usage: "nowhere" is no address of a service.'],
  ])("%s", (_name, sources, expected) => {
    expect(chosen(sources)).toEqual(expected);
  });
});
