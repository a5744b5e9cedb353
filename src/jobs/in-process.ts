import { LedgerEngine } from "./core/ledger-engine.ts";
import { IN_MEMORY, retentionOf } from "./core/retention.ts";
import type { JobEngine, RetentionOptions } from "./engine.ts";
import { LocalCrew } from "./memory/local-crew.ts";
import { MemoryLedger } from "./memory/memory-ledger.ts";

/**
 * Runs jobs in this process and keeps them in its memory. It needs nothing, and its jobs are lost with the process: queued and
 * waiting ones, schedules, and what came of those that have ended. Of the latter, the latest are kept for a while.
 * @throws ToolgateError `usage` for a time that is none
 */
export function inProcess(options: RetentionOptions = {}): JobEngine {
  const crew = new LocalCrew();
  const ledger = new MemoryLedger((ticket) => crew.put(ticket), retentionOf(options, IN_MEMORY));
  return new LedgerEngine({ kind: "in-process", isDurable: false, ledger, crew });
}
