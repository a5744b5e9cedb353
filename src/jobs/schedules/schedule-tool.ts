import { ToolBase } from "../../tool-base.ts";
import type { JobEngine } from "../engine.ts";

/** What the tools for schedules are made from. */
export abstract class ScheduleTool extends ToolBase {
  override readonly isStateInjected = true;
  protected readonly engine: JobEngine;

  constructor(engine: JobEngine) {
    super();
    this.engine = engine;
  }
}
