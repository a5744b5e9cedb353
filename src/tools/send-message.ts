import { type ToolChunk, toolChunk } from "../chunk.ts";
import type { Effect } from "../effect.ts";
import { ToolgateError } from "../errors.ts";
import type { CallContext, JsonSchema, ToolInput } from "../tool.ts";
import { ToolBase, type ToolBaseOptions } from "../tool-base.ts";
import { unlessAborted } from "./web/unless-aborted.ts";

/** What {@link SendMessage} takes. */
export interface SendMessageOptions extends ToolBaseOptions {
  /** Gives a person's words to the agent, and answers what it replies. */
  readonly converse: (text: string, signal: AbortSignal) => Promise<string>;
  /** How long the reply is waited for, in milliseconds. @default 120000 */
  readonly replyWithinMs?: number;
}

/** A voice device's way to speak with the agent, in the Xiaozhi conversation mode: its words go in, the agent's reply comes back. */
export class SendMessage extends ToolBase {
  readonly name = "send_message";
  readonly description = "Passes the user's words on to the assistant, and gives its reply.";
  readonly inputSchema: JsonSchema = {
    type: "object",
    properties: { text: { type: "string", minLength: 1, description: "What the user said, word for word." } },
    required: ["text"],
    additionalProperties: false,
  };
  readonly #converse: SendMessageOptions["converse"];
  readonly #replyWithinMs: number;

  constructor({ converse, replyWithinMs = 120_000, ...base }: SendMessageOptions) {
    super(base);
    this.#converse = converse;
    this.#replyWithinMs = replyWithinMs;
  }

  /** What the agent then does it is asked about by itself. */
  override effects(): readonly Effect[] {
    return [{ kind: "system", what: "starts a turn of the agent" }];
  }

  override async call({ text }: ToolInput, { signal }: CallContext): Promise<ToolChunk> {
    const words = String(text).trim();
    if (words === "") throw new ToolgateError("invalid_input", "text is blank: it must hold what was said.");
    const limit = AbortSignal.timeout(this.#replyWithinMs);
    const either = AbortSignal.any([signal, limit]);
    try {
      const reply = await unlessAborted(this.#converse(words, either), either);
      return toolChunk({ text: reply });
    } catch (error) {
      if (!limit.aborted || signal.aborted) throw error;
      const seconds = Math.round(this.#replyWithinMs / 1000);
      throw new ToolgateError("timeout", `The assistant didn't reply within ${seconds} seconds.`, {
        hint: "Its work may still be going on; ask again later.",
      });
    }
  }
}
