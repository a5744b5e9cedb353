/** How services write that somebody is called, or everybody: `<at user_id="all">`, `<@zhang>`, `<qqbot-at-everyone />`. */
const MENTIONS = /<(?=\/?(?:at\b|@|qqbot-))/gi;

/** A text in which nobody is called: what a model read elsewhere must not be able to wake a whole group. It looks nearly the same. */
export function withoutMentions(text: string): string {
  return text.replace(MENTIONS, "＜");
}
