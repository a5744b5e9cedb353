/** Where a message goes at Slack. */
export interface SlackChat {
  readonly channel: string;
  readonly thread_ts?: string;
}

/** `D024BE91L`, or `C024BE91L/1700000000.000100` for a thread: each thread of a channel is a chat of its own. */
export function chatOf(channel: string, thread: string | undefined): string {
  return thread === undefined ? channel : `${channel}/${thread}`;
}

/** Takes such a name apart. */
export function slackChat(chat: string): SlackChat {
  const [channel = "", thread] = chat.split("/");
  return thread === undefined ? { channel } : { channel, thread_ts: thread };
}

/** A text as Slack shows it: what looks like a mention of everybody or a link with other words stays what it is. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** What a person wrote, as they saw it. */
export function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
