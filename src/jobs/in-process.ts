import { LedgerEngine } from "./core/ledger-engine.ts";
import type { JobEngine } from "./engine.ts";
import { LocalCrew } from "./memory/local-crew.ts";
import { MemoryLedger } from "./memory/memory-ledger.ts";

/**
 * Runs jobs in this process and keeps them in its memory. It needs nothing, and its jobs are lost with the process: queued and
 * waiting ones, schedules, and what came of those that have ended.
 */
export function inProcess(): JobEngine {
  const crew = new LocalCrew();
  const ledger = new MemoryLedger((ticket) => crew.put(ticket));
  return new LedgerEngine({ kind: "in-process", isDurable: false, ledger, crew });
}
