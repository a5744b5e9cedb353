import { setTimeout as sleep } from "node:timers/promises";
import type { JobEngine } from "../../jobs/engine.ts";
import { planIn, type SlotView, workflowView } from "../../jobs/workflow/view.ts";
import { note, painter } from "../output.ts";
import { slotLine, treeLines } from "./tree.ts";

const LOOK_EVERY_MS = 150;

/** Shows on standard error how a workflow gets on: as a tree that is drawn anew at a terminal, else a line for each change. */
export class Progress {
  readonly #engine: JobEngine;
  readonly #stream: NodeJS.WriteStream = process.stderr;
  readonly #over = new AbortController();
  #drawn: readonly string[] = [];
  readonly #said = new Map<string, string>();
  #pauses = 0;

  constructor(engine: JobEngine) {
    this.#engine = engine;
  }

  /** Shows a workflow until it is told to end. */
  async follow(id: string): Promise<void> {
    const { signal } = this.#over;
    while (!signal.aborted) {
      await this.#show(id);
      await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
    await this.#show(id);
  }

  /** Nothing more comes. */
  end(): void {
    this.#over.abort();
  }

  /** Leaves the screen to a question while `ask` works. */
  async pausedFor<T>(ask: () => T | Promise<T>): Promise<T> {
    this.#pauses += 1;
    this.#drawn = [];
    try {
      return await ask();
    } finally {
      this.#pauses -= 1;
    }
  }

  async #show(id: string): Promise<void> {
    const job = await this.#engine.get(id);
    if (job === undefined || this.#pauses > 0) return;
    const views = await workflowView(this.#engine, job);
    if (!this.#stream.isTTY) return this.#tell(views);
    const paint = painter(this.#stream);
    const lines = treeLines(planIn(job).slots, views, { paint, columns: this.#stream.columns ?? 80 });
    // What has left the screen can't be drawn anew. A question may have come up meanwhile.
    if (this.#pauses === 0) this.#draw(lines.slice(-Math.max((this.#stream.rows ?? 24) - 2, 1)));
  }

  #draw(lines: readonly string[]): void {
    if (lines.every((line, at) => line === this.#drawn[at])) return;
    const up = this.#drawn.length === 0 ? "" : `\u001b[${this.#drawn.length}A`;
    this.#stream.write(`${up}${lines.map((line) => `\r\u001b[2K${line}\n`).join("")}`);
    this.#drawn = lines;
  }

  #tell(views: readonly SlotView[]): void {
    for (const view of views) {
      if (view.status === "not begun" || view.status === this.#said.get(view.id)) continue;
      this.#said.set(view.id, view.status);
      const { why: _doing, ...running } = view;
      note(slotLine(view.status === "running" ? running : view));
    }
  }
}
