import type { AuditEntry, AuditLog } from "../audit.ts";
import { ToolgateError } from "../errors.ts";
import type { MaybePromise } from "../lib/json.ts";

/** A project's log, loaded with its first entry: starting the program doesn't wait for what only calls need. @throws ToolgateError `usage` */
export function lazyAuditLog(project: string): AuditLog {
  const answerCharacters = recordedAnswers();
  let log: AuditLog | undefined;
  let loading: Promise<AuditLog> | undefined;
  const load = async (): Promise<AuditLog> => {
    const { auditDirectory, jsonlAuditLog } = await import("../audit/jsonl-log.ts");
    log = jsonlAuditLog({ directory: auditDirectory(project), answerCharacters });
    return log;
  };
  return {
    answerCharacters,
    append(entry: AuditEntry): MaybePromise<void> {
      if (log !== undefined) return log.append(entry);
      loading ??= load();
      // Entries that come meanwhile follow in the order they came in.
      return loading.then((loaded) => loaded.append(entry));
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await (await loading)?.[Symbol.asyncDispose]();
    },
  };
}

/**
 * How much of each answer a project's records keep: `TOOLGATE_AUDIT_ANSWERS`, characters, else nothing.
 * @throws ToolgateError `usage` when it isn't a number
 */
function recordedAnswers(): number {
  const named = process.env.TOOLGATE_AUDIT_ANSWERS ?? "";
  if (/^\d*$/.test(named)) return Number(named);
  throw new ToolgateError(
    "usage",
    `TOOLGATE_AUDIT_ANSWERS is ${JSON.stringify(named)}: a number of characters is expected.`,
  );
}
