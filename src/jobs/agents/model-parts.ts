import type { ModelPart } from "../../agent/model.ts";
import type { Json, JsonObject } from "../../lib/json.ts";

/** What a model answered, as a step keeps it. */
export interface KeptTurn {
  readonly parts: readonly JsonObject[];
  readonly text: string;
  readonly tokens: number;
  /** How often the job had been resumed by then. @default 0 */
  readonly resumes?: number;
}

/** Parts that a conversation is made of; the rest is told but never kept. */
const KEPT: ReadonlySet<string> = new Set([
  "text-start",
  "text-delta",
  "text-end",
  "reasoning-start",
  "reasoning-delta",
  "reasoning-end",
  "tool-call",
  "file",
  "finish",
]);

/** A model's answer as JSON: pieces of one text are joined, and ids of calls are such as no other call has. */
export class TurnKeeper {
  readonly #usedIds: Set<string>;
  readonly #parts: Record<string, Json>[] = [];
  #text = "";
  #tokens = 0;

  /** `usedIds`: ids of all calls so far; those of this turn are added. */
  constructor(usedIds: Set<string>) {
    this.#usedIds = usedIds;
  }

  get text(): string {
    return this.#text;
  }

  add(part: ModelPart): void {
    if (!KEPT.has(part.type)) return;
    if (part.type === "text-delta") this.#text += part.delta;
    if (part.type === "finish") {
      const { inputTokens, outputTokens } = part.usage;
      this.#tokens += (inputTokens.total ?? 0) + (outputTokens.total ?? 0);
    }
    const kept = asJson(part);
    if (this.#joined(kept)) return;
    if (part.type === "tool-call") kept.toolCallId = this.#callId(part.toolCallId);
    this.#parts.push(kept);
  }

  turn(): KeptTurn {
    return { parts: this.#parts, text: this.#text, tokens: this.#tokens };
  }

  #joined(part: Readonly<Record<string, Json>>): boolean {
    const last = this.#parts.at(-1);
    if (last === undefined || last.type !== part.type || last.id !== part.id) return false;
    if (typeof last.delta !== "string" || typeof part.delta !== "string") return false;
    if (part.providerMetadata !== undefined) return false;
    last.delta += part.delta;
    return true;
  }

  /** Some models number their calls anew in every turn, or leave the id empty. */
  #callId(given: string): string {
    const id = given !== "" && !this.#usedIds.has(given) ? given : `call_${crypto.randomUUID()}`;
    this.#usedIds.add(id);
    return id;
  }
}

/** A kept answer as the model gave it. */
export function streamOf({ parts }: Pick<KeptTurn, "parts">): ReadableStream<ModelPart> {
  return new ReadableStream({
    start(controller) {
      // The border: these were a model's parts before they were kept.
      for (const part of parts) controller.enqueue(part as unknown as ModelPart);
      controller.close();
    },
  });
}

/** The ids of a kept answer's calls. */
export function callIdsOf({ parts }: Pick<KeptTurn, "parts">): readonly string[] {
  return parts.flatMap(({ type, toolCallId }) =>
    type === "tool-call" && typeof toolCallId === "string" ? [toolCallId] : [],
  );
}

function asJson(part: ModelPart): Record<string, Json> {
  const bytesAsText = (_key: string, value: unknown): unknown =>
    value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
  const json: Record<string, Json> = JSON.parse(JSON.stringify(part, bytesAsText));
  return json;
}
