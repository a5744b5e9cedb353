import { randomHex } from "../../lib/random-hex.ts";
import { type Crew, DEFAULT_PER_WORKER, type TakeUp } from "../core/crew.ts";
import type { QueueLimits } from "../engine.ts";
import type { Ticket } from "../ledger.ts";

/** Tickets of one queue and depth. */
interface Line {
  /** By priority; the first of the lowest goes first. */
  readonly waiting: Map<number, Ticket[]>;
  readonly limit: number;
  running: number;
}

/** Hands tickets out in the process that made them. */
export class LocalCrew implements Crew {
  readonly worker: string = `local-${randomHex(6)}`;
  readonly #lines = new Map<string, Line>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #early: Ticket[] = [];
  #queues: Readonly<Record<string, QueueLimits>> | undefined;
  #takeUp: TakeUp | undefined;

  /** Puts a ticket in its line. */
  put(ticket: Ticket): void {
    const delayMs = (ticket.notBeforeMs ?? 0) - Date.now();
    if (delayMs > 0) {
      const timer = setTimeout(
        () => {
          this.#timers.delete(timer);
          this.put(ticket);
        },
        Math.min(delayMs, 2 ** 31 - 1),
      );
      timer.unref();
      this.#timers.add(timer);
      return;
    }
    if (this.#queues === undefined) {
      this.#early.push(ticket);
      return;
    }
    const limits = this.#queues[ticket.queue];
    if (limits === undefined) return; // Nobody runs this queue.
    const name = `${ticket.queue}\n${ticket.depth}`;
    const { perWorker = DEFAULT_PER_WORKER, total = perWorker } = limits;
    const line = this.#lines.get(name) ?? {
      waiting: new Map(),
      limit: Math.min(perWorker, total),
      running: 0,
    };
    this.#lines.set(name, line);
    const bucket = line.waiting.get(ticket.priority);
    if (bucket === undefined) line.waiting.set(ticket.priority, [ticket]);
    else bucket.push(ticket);
    // Not in the turn of whoever put it: they may have more to put, of a lower priority.
    setImmediate(() => this.#hand(line));
  }

  async start(queues: Readonly<Record<string, QueueLimits>>, takeUp: TakeUp): Promise<void> {
    this.#queues = queues;
    this.#takeUp = takeUp;
    for (const ticket of this.#early.splice(0)) this.put(ticket);
  }

  async stop(): Promise<void> {
    this.#takeUp = undefined;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  dispose(): Promise<void> {
    return this.stop();
  }

  #hand(line: Line): void {
    while (line.running < line.limit) {
      const takeUp = this.#takeUp;
      const ticket = takeUp === undefined ? undefined : next(line);
      if (takeUp === undefined || ticket === undefined) return;
      line.running += 1;
      void takeUp(ticket).finally(() => {
        line.running -= 1;
        this.#hand(line);
      });
    }
  }
}

function next({ waiting }: Line): Ticket | undefined {
  const priority = Math.min(...waiting.keys());
  const bucket = waiting.get(priority);
  const ticket = bucket?.shift();
  if (bucket?.length === 0) waiting.delete(priority);
  return ticket;
}
