import type { Backend } from "../backend.ts";
import type { DataBlock, TextBlock, ToolChunk } from "../chunk.ts";
import { textBlock, toolChunk } from "../chunk.ts";
import type { GateEvent } from "../event.ts";
import type { JsonObject } from "../lib/json.ts";
import { LineShortener } from "../lib/line-shortener.ts";
import { TextWindow } from "../lib/output-window.ts";
import { type FinalState, ResponseBuilder, type ToolResponse } from "../response.ts";
import type { GateLimits } from "./limits.ts";
import { Spill, saveData } from "./spill.ts";

/** How a call ends that didn't end by itself. */
export interface Ending {
  readonly state: FinalState;
  readonly text: string;
  readonly metadata: JsonObject;
}

/** What an answer is made for. */
export interface AnswerOptions {
  readonly callId: string;
  readonly toolName: string;
  readonly limits: GateLimits;
  readonly emit: ((event: GateEvent) => void) | undefined;
}

/** What a long answer shows of its start; its end tells more often how it went. */
const HEAD_SHARE = 0.4;

/** What is shown at the end. */
interface Rest {
  readonly text: string;
  readonly metadata: JsonObject;
}

const NOTHING: Rest = { text: "", metadata: {} };

/** A call's answer as it grows: shown as it comes, kept within limits, the whole in a file when it is too long. */
export class Answer {
  readonly #options: AnswerOptions;
  readonly #builder = new ResponseBuilder();
  readonly #lines: LineShortener;
  readonly #window: TextWindow;
  #backend: Backend | undefined;
  #spill: Spill | undefined;
  #boundsOwn = false;
  #hasBegun = false;
  #hasText = false;
  #concluded = false;
  #finished = false;
  #size = 0;
  #dataBytes = 0;

  constructor(options: AnswerOptions) {
    this.#options = options;
    const { answerChars, lineChars } = options.limits;
    const head = Math.floor(answerChars * HEAD_SHARE);
    this.#lines = new LineShortener(lineChars);
    this.#window = new TextWindow({ head, tail: answerChars - head });
  }

  /** Whether the tool has said how it ended. */
  get concluded(): boolean {
    return this.#concluded;
  }

  get finished(): boolean {
    return this.#finished;
  }

  /** Characters of text that came, shown or not. */
  get size(): number {
    return this.#size;
  }

  /** The tool starts. `boundsOwn`: it keeps to the limits by itself. */
  begin(backend: Backend, boundsOwn: boolean): void {
    this.#backend = backend;
    this.#boundsOwn = boundsOwn;
    this.#start();
  }

  /** Takes a chunk. A promise says that the disk has to catch up before the next. */
  take(chunk: ToolChunk): undefined | Promise<void> {
    // Whoever was let go of may still talk.
    if (this.#finished) return undefined;
    if (chunk.state !== "running") this.#concluded = true;
    const waits: Promise<void>[] = [];
    const content = chunk.content.flatMap((block) => {
      const kept = block.type === "text" ? this.#text(block, waits) : this.#data(block, waits);
      return kept === undefined ? [] : [kept];
    });
    this.#builder.append({ ...chunk, content });
    return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined);
  }

  /** The whole answer, with how it ended if it didn't end by itself. */
  async finish(ending: Ending | undefined): Promise<ToolResponse> {
    this.#start();
    const rest = this.#boundsOwn ? undefined : await this.#rest();
    this.#finished = true;
    if (rest !== undefined && rest !== NOTHING) this.#append(rest.text, rest.metadata);
    if (ending !== undefined) {
      this.#append(
        this.#hasText ? `\n\n[${ending.text.trim()}]` : ending.text.trim(),
        ending.metadata,
        ending.state,
      );
    }
    return this.#builder.build(this.#options.callId);
  }

  #start(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const { callId, toolName, emit } = this.#options;
    emit?.({ type: "TOOL_RESULT_START", callId, toolName });
  }

  #append(text: string, metadata: JsonObject, state: FinalState | "running" = "running"): void {
    this.#show(text);
    this.#builder.append(toolChunk({ content: text === "" ? [] : [textBlock(text)], metadata, state }));
  }

  #show(delta: string): void {
    if (delta === "") return;
    this.#hasText = true;
    const { callId, emit } = this.#options;
    emit?.({ type: "TOOL_RESULT_TEXT_DELTA", callId, delta });
  }

  /** What of a block is shown now. */
  #text(block: TextBlock, waits: Promise<void>[]): TextBlock | undefined {
    const { text } = block;
    this.#size += text.length;
    if (this.#boundsOwn) {
      this.#show(text);
      return block;
    }
    const wait = this.#keep(text);
    const shown = this.#window.push(this.#lines.push(text));
    if (this.#lines.hasCut || this.#isTooLong()) this.#spill?.open();
    if (wait !== undefined) waits.push(wait);
    this.#show(shown);
    if (shown === "") return undefined;
    return shown === text ? block : { ...block, text: shown };
  }

  #isTooLong(): boolean {
    return this.#window.total > this.#options.limits.answerChars;
  }

  #keep(text: string): undefined | Promise<void> {
    if (this.#backend === undefined) return undefined;
    this.#spill ??= new Spill(this.#backend, this.#options.callId);
    return this.#spill.push(text);
  }

  #data(block: DataBlock, waits: Promise<void>[]): DataBlock | undefined {
    const { callId, emit, limits } = this.#options;
    const bytes = block.source.type === "base64" ? Math.floor((block.source.data.length * 3) / 4) : 0;
    if (!this.#boundsOwn && this.#dataBytes + bytes > limits.dataBytes) {
      waits.push(this.#saveData(block, bytes));
      return undefined;
    }
    this.#dataBytes += bytes;
    emit?.({ type: "TOOL_RESULT_DATA_DELTA", callId, block });
    return block;
  }

  async #saveData({ name, source }: DataBlock, size: number): Promise<void> {
    const backend = this.#backend;
    if (backend === undefined || source.type !== "base64") return;
    const bytes = Buffer.from(source.data, "base64");
    const { mediaType } = source;
    const { path, failure } = await saveData(backend, this.#options.callId, { bytes, mediaType });
    const what = `${name ?? "Data"} (${mediaType}, ${size} bytes) is too large to show`;
    const where = failure === undefined ? `it is in ${path}` : `it could not be saved: ${failure}`;
    if (!this.#finished)
      this.#append(`[${what}; ${where}.]\n`, failure === undefined ? { dataFile: path } : {});
  }

  /** What is left to show at the end, with where the whole is. */
  async #rest(): Promise<Rest> {
    const shown = this.#window.push(this.#lines.end());
    const { head, tail, omitted } = this.#window.view();
    if (omitted === 0 && !this.#lines.hasCut) {
      return tail === "" ? NOTHING : { text: shown + tail, metadata: {} };
    }
    const spill = this.#spill;
    spill?.open();
    const failure = await spill?.close();
    const saved = spill !== undefined && failure === undefined;
    const where = saved
      ? `All of it is in ${spill.path}`
      : `It could not be saved: ${failure ?? "there is no place for it"}`;
    const metadata = {
      truncated: true,
      characters: this.#size,
      ...(saved ? { answerFile: spill.path } : {}),
    };
    if (omitted === 0) {
      const next = saved ? ": search it with Grep, or read it in parts." : ".";
      return { text: `${shown}${tail}\n\n[Long lines were cut. ${where}${next}]`, metadata };
    }
    const line = head.split("\n").length;
    const next = saved
      ? `: go on with Read {"file_path": ${JSON.stringify(spill.path)}, "offset": ${line}}, or search it with Grep.`
      : ".";
    const apart = head.endsWith("\n") ? "\n" : "\n\n";
    const note = `[${omitted} of ${this.#window.total} characters are left out here. ${where}${next}]`;
    return { text: `${shown}${apart}${note}\n\n${tail}`, metadata };
  }
}
