import { createHash } from "node:crypto";
import type { Effect } from "../../effect.ts";
import type { CallContext } from "../../tool.ts";
import { ToolBase } from "../../tool-base.ts";
import type { JobDesk } from "./job-desk.ts";
import type { Parent } from "./parent.ts";

/** What the tools that start jobs and look after them are made from. */
export abstract class JobTool extends ToolBase {
  protected readonly desk: JobDesk;
  protected readonly parent: Parent;

  constructor(desk: JobDesk, parent: Parent) {
    super();
    this.desk = desk;
    this.parent = parent;
  }

  /** Starting a job, looking at it and ending it change nothing by themselves; what the job then does is judged call by call. */
  override effects(): readonly Effect[] {
    return [];
  }
}

/** A part of a job's id: the same call starts the same job, also when it is made again after a crash. */
export function callMark({ callId, sessionId = "" }: CallContext): string {
  return createHash("sha256").update(`${sessionId}\n${callId}`).digest("hex").slice(0, 10);
}
