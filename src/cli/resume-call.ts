import { resolve } from "node:path";
import type { Approval } from "../approval.ts";
import { ToolgateError } from "../errors.ts";
import type { Store } from "../store.ts";
import { CallCourse } from "./call-course.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { onInterrupt } from "./interrupt.ts";
import { keepSession } from "./keep-session.ts";
import { LOCAL } from "./local-place.ts";
import { serversFor } from "./mcp-servers.ts";
import { note } from "./output.ts";
import { projectOf } from "./project.ts";
import { originOf } from "./saved-session.ts";
import { openSession } from "./session.ts";
import { sessionTurn } from "./session-turn.ts";
import { quoted, storeFlags, storePlace } from "./store-place.ts";
import { waitingLines } from "./waiting-lines.ts";

/** What going on with a parked call needs. */
export interface ResumeOptions {
  readonly cwd: string;
  readonly store?: string;
  readonly backend?: string;
  readonly json?: boolean;
}

/**
 * Runs the call of an approval, and nothing else: once, whoever asks how often. One that ran before gives its recorded answer.
 * @throws ToolgateError `not_found`, `stale` when it is no longer asked, `unsupported` for another program's call
 */
export async function resumeCall(id: string, options: ResumeOptions): Promise<ExitCode> {
  const here = projectOf(resolve(options.cwd));
  const place = await storePlace(here, options.store);
  await using store = place.open();
  const approval = await approvalNamed(store, id);
  const cwd = await startOf(store, approval);
  if (approval.status === "consumed") note("toolgate: this call was run before; what is recorded of it:");
  const { sessionId, status } = approval;
  const signal = onInterrupt();
  await using _turn = await sessionTurn({ where: place.where, sessionId, signal });
  await using session = await openSession({ cwd, preset: "all", backend: options.backend, store, sessionId });
  await using _servers = await serversFor(approval.toolName, session);
  const course = new CallCourse(options.json === true, status);
  for await (const event of session.toolkit.resume(approval.id, { signal })) await course.show(event);
  await keepSession(session);
  const flags = storeFlags(place, here, projectOf(process.cwd()));
  const { parkedId } = course;
  const code = await course.conclude(parkedId === undefined ? [] : waitingLines(parkedId, flags, session));
  return signal.aborted ? EXIT.interrupted : code;
}

/** An approval by its id, or by the beginning of one that is still of use. @throws ToolgateError `not_found` */
export async function approvalNamed(store: Store, id: string): Promise<Approval> {
  const exact = await store.approval(id);
  if (exact !== undefined) return exact;
  const { items } = await store.approvals({ status: ["pending", "approved"], limit: 1000 });
  const [found, other] = items.filter((one) => id.length >= 4 && one.id.startsWith(id));
  if (found !== undefined && other === undefined) return found;
  throw new ToolgateError("not_found", `There is no approval ${JSON.stringify(id)} in this store.`, {
    hint: "See `toolgate approvals list`; another project's or database's are found with --cwd or --store.",
  });
}

/** The part of a command line that leads to the place where a call waits to be run; empty for this machine. */
export async function placeFlags(store: Store, { sessionId }: Approval): Promise<string> {
  const saved = await store.load(sessionId);
  const backend = (saved === undefined ? undefined : originOf(saved)?.backend) ?? LOCAL;
  return backend === LOCAL ? "" : ` --backend ${quoted(backend)}`;
}

/** Where the session of a call was begun. One that was never kept was begun where its call was to run. */
async function startOf(store: Store, { sessionId, cwd, id }: Approval): Promise<string> {
  const saved = await store.load(sessionId);
  if (saved === undefined) return cwd;
  const origin = originOf(saved);
  if (origin !== undefined) return origin.cwd;
  throw new ToolgateError(
    "unsupported",
    `The call of ${id} belongs to another program, which has to go on with it.`,
    {
      hint: "Approve it without running it; the program that asked runs it.",
    },
  );
}
