import type { AgentModel } from "../../agent/model.ts";
import { ToolgateError } from "../../errors.ts";
import type { OwnSettings } from "../own-settings.ts";
import { PROVIDERS, type Provider } from "./providers.ts";

/** What may say which model is used. */
export interface ModelSources {
  readonly model?: string;
  readonly baseUrl?: string;
  readonly settings: OwnSettings;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Which model, where, and with which key. */
export interface ModelChoice {
  /** `PROVIDER/MODEL`, for people. */
  readonly text: string;
  readonly provider: Provider;
  readonly modelId: string;
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
}

/** The configured model; `undefined` when none is. @throws ToolgateError `usage` */
export function chosenModel({ model, baseUrl, settings, env }: ModelSources): ModelChoice | undefined {
  const text = model ?? env.TOOLGATE_MODEL ?? settings.model;
  if (text === undefined || text === "") return undefined;
  const slash = text.indexOf("/");
  const [name, modelId] = [text.slice(0, Math.max(slash, 0)), text.slice(slash + 1)];
  if (name === "" || modelId === "") {
    throw new ToolgateError("usage", `${JSON.stringify(text)} is not of the form PROVIDER/MODEL.`, {
      hint: "For instance openai/NAME or anthropic/NAME.",
    });
  }
  const given = baseUrl ?? settings.modelBaseUrl;
  const provider = providerNamed(name, given);
  const address = given ?? env[provider.urlVariable] ?? provider.baseUrl;
  if (address !== undefined && !URL.canParse(address)) {
    throw new ToolgateError("usage", `${JSON.stringify(address)} is no address of a service.`);
  }
  const apiKey = env[provider.keyVariable] || undefined;
  // A service of one's own may want no key; the public ones do.
  const isPublic = provider.isLocal !== true && (address === undefined || address === provider.baseUrl);
  if (apiKey === undefined && isPublic) {
    throw new ToolgateError("usage", `The model ${text} needs a key in ${provider.keyVariable}.`, {
      hint: `For another service that speaks the same protocol, give --base-url or ${provider.urlVariable}.`,
    });
  }
  return { text, provider, modelId, baseUrl: address, apiKey };
}

function providerNamed(name: string, baseUrl: string | undefined): Provider {
  const known = PROVIDERS.find((one) => one.name === name);
  if (known !== undefined) return known;
  if (baseUrl === undefined || !/^\w[\w-]*$/.test(name)) {
    throw new ToolgateError("usage", `There is no provider ${JSON.stringify(name)}.`, {
      hint: `Use one of ${PROVIDERS.map((one) => one.name).join(", ")}; or any other that is OpenAI-compatible, with --base-url.`,
    });
  }
  const prefix = name.toUpperCase().replaceAll("-", "_");
  return { name, api: "openai", keyVariable: `${prefix}_API_KEY`, urlVariable: `${prefix}_BASE_URL` };
}

/** What to do where no model is configured. */
export function noModel(): ToolgateError {
  return new ToolgateError(
    "usage",
    [
      "No model is configured. Name one, with its service's key:",
      "  ANTHROPIC_API_KEY=… toolgate chat --model anthropic/MODEL",
      "  OPENAI_API_KEY=… toolgate chat --model openai/MODEL",
      "  toolgate chat --model openai/MODEL --base-url http://127.0.0.1:8000/v1     any OpenAI-compatible service",
      "  toolgate chat --model ollama/MODEL                                         on this machine",
      'Once for all: "model": "PROVIDER/MODEL" in ~/.toolgate/settings.json, or TOOLGATE_MODEL.',
    ].join("\n"),
  );
}

/** Loads the provider's package. @throws ToolgateError `missing_dependency` */
export async function loadModel({ provider, modelId, baseUrl, apiKey }: ModelChoice): Promise<AgentModel> {
  if (provider.api === "anthropic") {
    const { createAnthropic } = await peer("@ai-sdk/anthropic", () => import("@ai-sdk/anthropic"));
    return createAnthropic({
      ...(apiKey === undefined ? { apiKey: "none" } : { apiKey }),
      ...(baseUrl === undefined ? {} : { baseURL: withVersion(baseUrl) }),
    }).languageModel(modelId);
  }
  const { createOpenAICompatible } = await peer(
    "@ai-sdk/openai-compatible",
    () => import("@ai-sdk/openai-compatible"),
  );
  return createOpenAICompatible({
    name: provider.name,
    baseURL: baseUrl ?? "",
    includeUsage: true,
    ...(apiKey === undefined ? {} : { apiKey }),
  }).chatModel(modelId);
}

/** An address is given with and without the protocol's version; the package wants it. */
function withVersion(baseUrl: string): string {
  return new URL(baseUrl).pathname === "/" ? new URL("/v1", baseUrl).href : baseUrl;
}

async function peer<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") throw cause;
    throw new ToolgateError("missing_dependency", `This model needs the package ${name}.`, {
      hint: `Install it beside toolgate: npm install ${name}`,
      cause,
    });
  }
}
