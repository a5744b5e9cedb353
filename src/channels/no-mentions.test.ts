import { expect, it } from "vitest";
import { withoutMentions } from "./no-mentions.ts";

it.each([
  ['<at user_id="all"></at> hi', '＜at user_id="all">＜/at> hi'],
  ["hi <AT user_id='ou_1'>x</AT>", "hi ＜AT user_id='ou_1'>x＜/AT>"],
  ["<@all> <@!123>", "＜@all> ＜@!123>"],
  ["<qqbot-at-everyone />", "＜qqbot-at-everyone />"],
  ["a < b, <attribute>, <b>bold</b>, x@y.z, @all", "a < b, <attribute>, <b>bold</b>, x@y.z, @all"],
])("%s calls nobody as %s", (text, expected) => {
  expect(withoutMentions(text)).toBe(expected);
});
