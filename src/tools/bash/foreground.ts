import { type ToolChunk, textBlock, toolChunk } from "../../chunk.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { CallContext } from "../../tool.ts";
import { confinementNote, endNotes, stretchText } from "./answer.ts";
import { lostDirectory, moved } from "./directory.ts";
import { LiveText } from "./live.ts";
import { BASH_MANNER, type Manner } from "./manner.ts";
import { type CommandEnd, type CommandOptions, type CommandRun, runCommand } from "./run.ts";
import { pause, Stopper } from "./stopper.ts";
import { sizeText } from "./text.ts";

/** Pause between two pieces of live output. */
const LIVE_MS = 100;
/** After so long without live output people hear how far it is; a client that hears nothing gives up after a while. */
const QUIET_MS = 3000;
const PROGRESS_MS = 1000;

/** Runs a command to its end: its output as it comes, then what is left of it and how it ended. */
export async function* runForeground(
  options: Omit<CommandOptions, "signal">,
  context: CallContext,
  timeoutMs: number,
  manner: Manner = BASH_MANNER,
): AsyncGenerator<ToolChunk> {
  const blockId = crypto.randomUUID();
  const live = new LiveText(manner.head);
  const stop = new Stopper(context.signal, timeoutMs);
  try {
    const run = runCommand({ ...options, signal: stop.signal, onBytes: (bytes) => live.push(bytes) });
    yield* liveChunks(run, live, blockId, context);
    const end = await run.ended;
    stop.done();
    const { text, ...rest } = await finalAnswer({
      run,
      end,
      live,
      context,
      command: options.command,
      stop,
      manner,
    });
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
  const hasEnded = (): true => {
    running = false;
    return true;
  };
  const ended = run.ended.then(hasEnded, hasEnded);
  const started = performance.now();
  while (running) {
    const news = live.closed
      ? await pause(PROGRESS_MS, ended)
      : await pause(QUIET_MS, Promise.race([ended, live.ready()]));
    if (!running) return;
    const text = live.take();
    if (news === undefined) {
      const seconds = Math.round((performance.now() - started) / 1000);
      context.progress(`running for ${seconds} s, ${sizeText(run.log.total)} of output`);
    }
    if (text !== "") {
      yield toolChunk({ content: [textBlock(text, blockId)], isLast: false });
      await pause(LIVE_MS, ended);
    }
  }
}

interface Ended {
  readonly run: CommandRun;
  readonly end: CommandEnd;
  readonly live: LiveText;
  readonly context: CallContext;
  readonly command: string;
  readonly stop: Stopper;
  readonly manner: Manner;
}

interface Answer {
  readonly text: string;
  readonly state: "success" | "error" | "interrupted";
  readonly metadata: JsonObject;
}

async function finalAnswer({ run, end, live, context, command, stop, manner }: Ended): Promise<Answer> {
  const { log } = run;
  const { shown } = live;
  const rest = await stretchText(log, { start: 0, end: log.total, shown }, manner);
  const { text: aside } = end.report;
  const output = aside === "" ? rest : `${rest}${shown + rest === "" ? "" : "\n"}${aside}`;
  const blocked = confinementNote(end, shown + output);
  const move = await moved(end, context, command);
  const notes = [
    ...endNotes(end, stop.cause, stop.timeoutMs, manner),
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
