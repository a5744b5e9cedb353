import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { ToolgateError } from "../../errors.ts";
import { userName } from "../../lib/user-name.ts";
import type { Approver } from "../../tool.ts";
import { CallCourse } from "../call-course.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { onInterrupt } from "../interrupt.ts";
import type { JudgeOptions } from "../judge-options.ts";
import { keepSession } from "../keep-session.ts";
import { serversFor } from "../mcp-servers.ts";
import { personsOnly } from "../persons-only.ts";
import { presetWith } from "../preset.ts";
import { projectOf } from "../project.ts";
import { openSession } from "../session.ts";
import { leaveOutOfGit, storeFlags, storePlace } from "../store-place.ts";
import { waitingLines } from "../waiting-lines.ts";

/** Options of `toolgate call`. */
export interface CallOptions extends JudgeOptions {
  readonly backend?: string;
  readonly yes?: boolean;
  readonly session?: string;
  readonly store?: string;
  /** An approval's id. */
  readonly resume?: string;
}

/** `toolgate call`: one call through the gate, its answer on standard output as it comes. */
export async function call(
  tool: string | undefined,
  input: string | undefined,
  options: CallOptions,
): Promise<ExitCode> {
  if (options.resume !== undefined) {
    if (tool !== undefined)
      throw new ToolgateError("usage", "A resumed call has its tool and its input already.");
    return (await import("../resume-call.ts")).resumeCall(options.resume, options);
  }
  if (options.yes === true) personsOnly("--yes");
  if (tool === undefined) throw new ToolgateError("usage", "Name the tool, or an approval with --resume.");
  if (options.session !== undefined) (await import("../saved-session.ts")).checkSessionName(options.session);
  const given = input === "-" ? await text(process.stdin) : (input ?? "{}");
  const course = new CallCourse(options.json === true);
  const approver: Approver = (request) => {
    // A yes to everything is no yes to what no rule may allow.
    if (options.yes && request.decision.bypassImmune !== true) {
      return { approved: true, by: `cli:${userName()}` };
    }
    course.refuse();
    return undefined;
  };
  const here = projectOf(resolve(options.cwd));
  const place = await storePlace(here, options.store);
  await using store = place.open();
  const signal = onInterrupt();
  await using _turn = await turnIn(options.session, place.where, signal);
  await using session = await openSession({
    ...options,
    preset: presetWith(tool),
    approver,
    store,
    ...(options.session === undefined ? {} : { sessionId: options.session }),
  });
  await using _servers = await serversFor(tool, session);
  const request = { id: crypto.randomUUID(), name: tool, input: given };
  for await (const event of session.toolkit.run(request, { signal })) await course.show(event);
  const { parkedId } = course;
  if (options.session !== undefined || parkedId !== undefined) await keepSession(session);
  leaveOutOfGit(session.project);
  const flags = storeFlags(place, here, projectOf(process.cwd()));
  const once = course.asked?.decision.bypassImmune === true ? [] : ["  or once    add --yes to this command"];
  const code = await course.conclude(
    parkedId === undefined ? [] : [...once, ...waitingLines(parkedId, flags, session)],
  );
  return signal.aborted ? EXIT.interrupted : code;
}

/** A named session is one call's at a time. */
async function turnIn(
  sessionId: string | undefined,
  where: string,
  signal: AbortSignal,
): Promise<AsyncDisposable | undefined> {
  if (sessionId === undefined) return undefined;
  return (await import("../session-turn.ts")).sessionTurn({ where, sessionId, signal });
}
