// toolgate/anthropic: schemas out, calls in, results back, for Messages.

export { MessageStream } from "./anthropic/message-stream.ts";
export {
  answerMessage,
  anthropicTools,
  type MessageTurn,
  toolCallsFromMessage,
  toolResultMessage,
} from "./anthropic/messages.ts";
export { type AnsweredCall, type AnswerOptions, answerCalls, type ReadCall } from "./turn.ts";
