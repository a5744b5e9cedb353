import type {
  LanguageModelV3,
  LanguageModelV3StreamPart,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { ToolgateError } from "../errors.ts";
import { forVersion3 } from "./prompt-v3.ts";

/** A model of any AI SDK provider package. */
export type AgentModel = LanguageModelV4 | LanguageModelV3;

/** One request, as the AI SDK's newest models take it. */
export type ModelRequest = LanguageModelV4CallOptions;

/** A piece of a model's answer. */
export type ModelPart = LanguageModelV4StreamPart | LanguageModelV3StreamPart;

/** A model's answer as it comes. */
export interface ModelStream {
  readonly stream: ReadableStream<ModelPart>;
}

/** What may be said about every request: temperature, length, the provider's own options. */
export type ModelSettings = Partial<
  Omit<ModelRequest, "prompt" | "tools" | "abortSignal" | "includeRawChunks" | "responseFormat">
>;

/** @throws ToolgateError `unsupported` for models of older versions of the AI SDK */
export function checkModel({ specificationVersion, modelId }: AgentModel): void {
  const version: string = specificationVersion;
  if (version === "v3" || version === "v4") return;
  throw new ToolgateError("unsupported", `The model ${modelId} is of specification ${version}.`, {
    hint: "Use a provider package of AI SDK 6 or later: specification v3 or v4.",
  });
}

/** Makes one request. */
export async function requestModel(model: AgentModel, request: ModelRequest): Promise<ModelStream> {
  if (model.specificationVersion === "v4") return model.doStream(request);
  return model.doStream(forVersion3(request));
}
