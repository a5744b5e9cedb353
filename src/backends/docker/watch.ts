import type Docker from "dockerode";
import type { Engine } from "./engine.ts";

/** The end of a program, waited for. */
export interface Ending {
  /** Its exit code, once the engine has said it. */
  readonly code: number | undefined;
  /** Settles when the engine says that it has ended; never without that. */
  readonly said: Promise<void>;
  forget(): void;
}

/** What the engine says of its own accord about the containers of one backend. */
export interface Watch {
  /** To be called before the program starts, so that nothing is missed. */
  ending(execId: string): Ending;
  /** How often a container has reached its memory limit. */
  memoryKills(containerId: string): number;
  close(): void;
}

/**
 * Listens to what happens to containers with a label. Only speed and words depend on it: an engine that says nothing is asked.
 */
export async function watchContainers({ docker }: Engine, label: string): Promise<Watch> {
  const waiting = new Map<string, (code: number) => void>();
  const kills = new Map<string, number>();
  const closing = new AbortController();
  let listening = false;
  const take = (event: EngineEvent): void => {
    if (event.what === "oom") kills.set(event.container, (kills.get(event.container) ?? 0) + 1);
    else waiting.get(event.exec)?.(event.code);
  };
  const open = async (): Promise<void> => {
    const options: Docker.GetEventsOptions = {
      filters: { type: ["container"], label: [label], event: ["exec_die", "oom"] },
      abortSignal: closing.signal,
    };
    listening = true;
    const stream = await docker.getEvents(options).catch(() => undefined);
    void listen(stream, take).finally(() => {
      listening = false;
    });
  };
  await open();
  return {
    ending(execId) {
      // Lost with the connection, and to be had again.
      if (!listening && !closing.signal.aborted) void open();
      const { promise: said, resolve } = Promise.withResolvers<void>();
      const ending = {
        code: undefined as number | undefined,
        said,
        forget: () => void waiting.delete(execId),
      };
      waiting.set(execId, (code) => {
        ending.code = code;
        resolve();
      });
      return ending;
    },
    memoryKills: (id) => kills.get(id) ?? 0,
    close: () => closing.abort(),
  };
}

type EngineEvent =
  | { readonly what: "oom"; readonly container: string }
  | { readonly what: "ended"; readonly exec: string; readonly code: number };

/** Never rejects: when the engine has gone, whoever needs it next says so. */
async function listen(
  stream: NodeJS.ReadableStream | undefined,
  take: (event: EngineEvent) => void,
): Promise<void> {
  if (stream === undefined) return;
  let rest = "";
  try {
    for await (const piece of stream) {
      const lines = (rest + String(piece)).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const event = read(line);
        if (event !== undefined) take(event);
      }
    }
  } catch {
    // Closed by us, or lost.
  }
}

function read(line: string): EngineEvent | undefined {
  if (line.trim() === "") return undefined;
  // What an engine says is read at this border; other kinds of events are none of ours.
  const { Action, Actor } = JSON.parse(line) as {
    readonly Action?: string;
    readonly Actor?: { readonly ID?: string; readonly Attributes?: Readonly<Record<string, string>> };
  };
  const { execID, exitCode } = Actor?.Attributes ?? {};
  if (Action === "oom") return { what: "oom", container: Actor?.ID ?? "" };
  if (Action !== "exec_die" || execID === undefined || exitCode === undefined) return undefined;
  return { what: "ended", exec: execID, code: Number(exitCode) };
}
