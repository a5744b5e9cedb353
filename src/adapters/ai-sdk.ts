// toolgate/ai-sdk: a toolkit's tools for generateText and streamText, and the AI SDK's tools as tools of ours.

export { type AiSdkOptions, type AiSdkSettings, aiSdk } from "./ai-sdk/ai-sdk.ts";
export { type FromAiSdkOptions, toolsFromAiSdk } from "./ai-sdk/from-ai-sdk.ts";
export type { ApprovalSource } from "./ai-sdk/kept-here.ts";
export { type CallOutput, modelOutput } from "./ai-sdk/output.ts";
