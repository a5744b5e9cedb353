// toolgate/openai: schemas out, calls in, results back, for Chat Completions and for Responses.

export {
  answerChat,
  type ChatTurn,
  chatTools,
  toolCallsFromChat,
  toolMessagesForChat,
} from "./openai/chat.ts";
export { ChatStream } from "./openai/chat-stream.ts";
export { ResponseStream } from "./openai/response-stream.ts";
export {
  answerResponse,
  type ResponseTurn,
  responseTools,
  toolCallsFromResponse,
  toolOutputsForResponse,
} from "./openai/responses.ts";
export { type AnsweredCall, type AnswerOptions, answerCalls, type ReadCall } from "./turn.ts";
