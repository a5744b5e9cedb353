import { type Errand, type Job, Runner, settle } from "./runner.ts";
import type { Transport, TransportEnd } from "./transport.ts";

/** Of so many new shells the first run has not begun yet. What waits for one also takes another that has become free. */
const MOST_NEW = 8;
/** As many stay when there is nothing to do, for so long. */
const MOST_IDLE = 6;
const IDLE_MS = 10_000;
/** What the place gives to a new session, such as the user's groups, is taken up after so long at most. */
const OLDEST_MS = 60_000;

/** One that has nothing to do. */
interface Idle {
  readonly runner: Runner;
  readonly timer: NodeJS.Timeout;
  /** Gives it a run; nothing at all sends it home. */
  readonly give: (errand?: Errand) => void;
}

/**
 * The shells in a place that run programs. One that has done with a run serves the next, since what costs most of a short command is
 * to get a shell for it.
 */
export class Runners {
  readonly #transport: Transport;
  readonly #all = new Set<Runner>();
  readonly #new = new Set<Runner>();
  #waiting: Errand[] = [];
  #idle: Idle[] = [];
  #closed = false;

  constructor(transport: Transport) {
    this.#transport = transport;
    // Whoever waits for a session goes before a shell that has nothing to do.
    transport.onScarce?.(() => this.#dismiss(1));
  }

  /**
   * Has a run served by the next shell that is free. Resolves when that has done with it, or with how the shell ended before.
   * @throws ToolgateError `backend_unavailable`
   */
  serve(job: Job): Promise<TransportEnd | undefined> {
    const over = Promise.withResolvers<TransportEnd | undefined>();
    this.#waiting.push({ job, over });
    this.#pump();
    return over.promise;
  }

  /** Takes back a run that no shell has begun with; `false` when one has. */
  recall(job: Job): boolean {
    const found = this.#waiting.find((one) => one.job === job);
    this.#waiting = this.#waiting.filter((one) => one !== found);
    found?.over.resolve(undefined);
    return found !== undefined;
  }

  /** Sends all home, and waits until they are gone. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#dismiss(this.#idle.length);
    await Promise.all([...this.#all].map((runner) => runner.end()));
  }

  #pump(): void {
    while (this.#waiting.length > 0 && this.#idle.length > 0) {
      // The one that has been at work last: the others may go home.
      const idle = this.#idle.pop();
      clearTimeout(idle?.timer);
      idle?.give(this.#waiting.shift());
    }
    while (this.#waiting.length > this.#coming && this.#new.size < MOST_NEW) this.#open();
  }

  /** Each of those that aren't there yet is for one of the waiting. */
  get #coming(): number {
    return [...this.#new].filter((one) => !one.isThere).length;
  }

  #open(): void {
    const runner = new Runner();
    this.#all.add(runner);
    this.#new.add(runner);
    void runner
      .start(this.#transport, (one) => this.#next(one))
      .then((end) => {
        this.#all.delete(runner);
        this.#forget(runner);
        this.#new.delete(runner);
        // It was to serve somebody.
        const errand = runner.isThere ? undefined : this.#waiting.shift();
        if (errand !== undefined) settle(errand, end);
        this.#pump();
      });
  }

  async #next(runner: Runner): Promise<Errand | undefined> {
    const errand = this.#waiting.shift();
    if (errand !== undefined) {
      void errand.job.begun.then(() => this.#isNewNoMore(runner));
      return errand;
    }
    this.#isNewNoMore(runner);
    const isOld = performance.now() - runner.born > OLDEST_MS;
    if (this.#closed || isOld || this.#idle.length >= MOST_IDLE) return undefined;
    const given = Promise.withResolvers<Errand | undefined>();
    const timer = setTimeout(() => this.#forget(runner), IDLE_MS);
    timer.unref();
    this.#idle.push({ runner, timer, give: given.resolve });
    return given.promise;
  }

  #isNewNoMore(runner: Runner): void {
    if (this.#new.delete(runner)) this.#pump();
  }

  #forget(runner: Runner): void {
    const found = this.#idle.find((one) => one.runner === runner);
    this.#idle = this.#idle.filter((one) => one !== found);
    clearTimeout(found?.timer);
    found?.give();
  }

  #dismiss(count: number): void {
    for (const { runner } of this.#idle.slice(0, count)) this.#forget(runner);
  }
}
