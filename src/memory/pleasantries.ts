/** What people say to be polite, and nothing else: greetings, thanks, farewells, words that one has understood. */
const PLEASANTRIES: ReadonlySet<string> = new Set(
  [
    "hi|hello|hey|hi there|hello there|good morning|good afternoon|good evening|good night|how are you",
    "thanks|thank you|thank you very much|thanks a lot|many thanks|thx|ty|cheers|you are welcome|youre welcome|welcome",
    "bye|goodbye|bye bye|see you|see you later|take care|ok|okay|ok thanks|okay thanks|k|got it|i see|alright",
    "great|nice|cool|perfect|awesome|haha|lol|well done|no problem",
    "你好|您好|你好啊|嗨|哈喽|早|早安|早上好|上午好|中午好|下午好|晚上好|晚安|在吗|谢谢|谢谢你|谢谢您|多谢|非常感谢|感谢|辛苦了",
    "不客气|再见|拜拜|回头见|好的|好的谢谢|好吧|嗯|嗯嗯|哦|噢|收到|明白|明白了|知道了|了解|没事|没关系|哈哈|哈哈哈|太好了|真棒",
  ].flatMap((line) => line.split("|")),
);

/**
 * Whether a whole message is nothing but politeness. What only begins so isn't: "no problem with the build" is news. An answer such as
 * yes or no isn't either.
 */
export function isPleasantry(message: string): boolean {
  const words = message
    .normalize("NFKC")
    .toLowerCase()
    .replace(/['\u2019]/g, "")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  return words === "" || PLEASANTRIES.has(words) || PLEASANTRIES.has(words.replaceAll(" ", ""));
}
