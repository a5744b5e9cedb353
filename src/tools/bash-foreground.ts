import { type ToolChunk, textBlock, toolChunk } from "../chunk.ts";
import type { JsonObject } from "../lib/json.ts";
import type { CallContext } from "../tool.ts";
import { confinementNote, endNotes, stretchText } from "./bash-answer.ts";
import { lostDirectory, moved } from "./bash-directory.ts";
import { LiveText } from "./bash-live.ts";
import { type CommandEnd, type CommandOptions, type CommandRun, runCommand } from "./bash-run.ts";
import { pause, Stopper } from "./bash-stopper.ts";
import { sizeText } from "./bash-text.ts";

/** Pause between two pieces of live output, and between two words on how far it is. */
const LIVE_MS = 100;
const PROGRESS_MS = 1000;

/** Runs a command to its end: its output as it comes, then what is left of it and how it ended. */
export async function* runForeground(
  options: Omit<CommandOptions, "signal">,
  context: CallContext,
  timeoutMs: number,
): AsyncGenerator<ToolChunk> {
  const blockId = crypto.randomUUID();
  const live = new LiveText();
  const stop = new Stopper(context.signal, timeoutMs);
  try {
    const run = runCommand({ ...options, signal: stop.signal, onBytes: (bytes) => live.push(bytes) });
    yield* liveChunks(run, live, blockId, context);
    const end = await run.ended;
    stop.done();
    const { text, ...rest } = await finalAnswer({ run, end, live, context, command: options.command, stop });
    yield toolChunk({ content: [textBlock(text, blockId)], ...rest });
  } catch (error) {
    throw (await lostDirectory(context, error)) ?? error;
  } finally {
    // When the reader leaves early, nothing that was started may stay behind.
    stop.end();
  }
}

async function* liveChunks(
  run: CommandRun,
  live: LiveText,
  blockId: string,
  context: CallContext,
): AsyncGenerator<ToolChunk> {
  let running = true;
  const hasEnded = (): void => {
    running = false;
  };
  const ended = run.ended.then(hasEnded, hasEnded);
  while (running && !live.closed) {
    await Promise.race([ended, live.ready()]);
    if (!running) return;
    const text = live.take();
    if (text === "") continue;
    yield toolChunk({ content: [textBlock(text, blockId)], isLast: false });
    await pause(LIVE_MS, ended);
  }
  while (running) {
    await pause(PROGRESS_MS, ended);
    if (running) context.progress(`${sizeText(run.log.total)} of output`);
  }
}

interface Ended {
  readonly run: CommandRun;
  readonly end: CommandEnd;
  readonly live: LiveText;
  readonly context: CallContext;
  readonly command: string;
  readonly stop: Stopper;
}

interface Answer {
  readonly text: string;
  readonly state: "success" | "error" | "interrupted";
  readonly metadata: JsonObject;
}

async function finalAnswer({ run, end, live, context, command, stop }: Ended): Promise<Answer> {
  const { log } = run;
  const { shown } = live;
  const rest = await stretchText(log, { start: 0, end: log.total, shown });
  const { text: aside } = end.report;
  const output = aside === "" ? rest : `${rest}${shown + rest === "" ? "" : "\n"}${aside}`;
  const blocked = confinementNote(end, shown + output);
  const move = await moved(end, context, command);
  const notes = [
    ...endNotes(end, stop.cause, stop.timeoutMs),
    ...(blocked === undefined ? [] : [blocked]),
    ...move,
  ].map((note) => `[${note}]`);
  const before = shown + output === "" ? [] : [output];
  const text = before.length + notes.length === 0 ? "(no output)" : [...before, ...notes].join("\n");
  return { text, state: stateOf(end, stop), metadata: metadataOf(run, end) };
}

function stateOf(end: CommandEnd, { cause }: Stopper): Answer["state"] {
  if (end.stopped && cause === "abort") return "interrupted";
  return end.exitCode === 0 && !end.stopped ? "success" : "error";
}

function metadataOf({ log }: CommandRun, end: CommandEnd): JsonObject {
  return {
    exitCode: end.exitCode,
    outputBytes: log.total,
    ...(end.signal === null ? {} : { signal: end.signal }),
    ...(log.saved > 0 ? { outputFile: log.path } : {}),
    ...(end.confined === undefined ? {} : { confined: { ...end.confined } }),
    ...(end.survivors.length === 0 ? {} : { survivors: end.survivors.map((survivor) => ({ ...survivor })) }),
  };
}
