import type { ModelRequest } from "./model.ts";

type Prompt = ModelRequest["prompt"];

/**
 * A prompt with so many messages of the conversation at most, besides what the system says. It begins with a person's message, so that no
 * result stands without its call; where that would leave nothing it is a little longer.
 */
export function shortPrompt(prompt: Prompt, most: number): Prompt {
  const isSystem = ({ role }: Prompt[number]): boolean => role === "system";
  const rest = prompt.filter((message) => !isSystem(message));
  if (rest.length <= most) return prompt;
  const from = rest.length - most;
  const ahead = rest.findIndex(({ role }, at) => at >= from && role === "user");
  const start = ahead >= 0 ? ahead : rest.findLastIndex(({ role }) => role === "user");
  return [...prompt.filter(isSystem), ...rest.slice(Math.max(0, start))];
}
