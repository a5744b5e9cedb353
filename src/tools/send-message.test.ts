import { describe, expect, it } from "vitest";
import { memoryBackend } from "../backends/memory.ts";
import type { RuleInput } from "../toolkit/options.ts";
import { Toolkit } from "../toolkit/toolkit.ts";
import { SendMessage, type SendMessageOptions } from "./send-message.ts";

async function said(
  text: unknown,
  options: Partial<SendMessageOptions> = {},
  rules: readonly RuleInput[] = ["allow:send_message"],
): Promise<string> {
  const converse = async (words: string): Promise<string> => `You said ${words}.`;
  const tools = [new SendMessage({ converse, ...options })];
  await using toolkit = new Toolkit({ backend: memoryBackend(), tools, rules, mode: "dontAsk" });
  const { state, text: answer } = await toolkit.execute("send_message", { text: text as string });
  return `${state}: ${answer}`;
}

describe("send_message", () => {
  it("gives the words to the agent and answers its reply, as text", async () => {
    expect(await said(" turn on the light ")).toBe("success: You said turn on the light.");
  });

  it.each([[undefined], [""], ["  "], [7]])("needs text: %j is refused", async (text) => {
    expect(await said(text)).toMatch(/^error: .*text/);
  });

  it("waits no longer than it may, whether the agent minds or not", async () => {
    const converse = (): Promise<string> => new Promise(() => undefined);
    expect(await said("hello", { converse, replyWithinMs: 20 })).toMatch(
      /^interrupted: The assistant didn't reply within 0 seconds\. Its work may still be going on/,
    );
  });

  it("says what went wrong, and takes a rule", async () => {
    const converse = async (): Promise<string> => {
      throw new Error("no model");
    };
    expect(await said("hello", { converse })).toMatch(/^error: .*no model/);
    expect(await said("hello", {}, [])).toMatch(/^denied: /);
  });
});
