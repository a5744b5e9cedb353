import { LedgerEngine } from "./core/ledger-engine.ts";
import { ON_DISK, retentionOf } from "./core/retention.ts";
import { DbosCrew } from "./dbos/dbos-crew.ts";
import type { JobEngine } from "./engine.ts";
import type { PostgresJobsOptions } from "./postgres/options.ts";
import { PostgresLedger } from "./postgres/postgres-ledger.ts";

/**
 * Runs jobs that outlive every process, on Postgres and DBOS, in as many processes and on as many machines as have the same database.
 * Needs the packages `@dbos-inc/dbos-sdk` and `pg`. Connects when it is first used. A process can launch one such engine, since
 * there is one DBOS in it; any number of engines can start jobs and look after them.
 * @throws ToolgateError `usage` for a time that is none
 */
export function dbosEngine(options: PostgresJobsOptions): JobEngine {
  const crew = new DbosCrew(options);
  const ledger = new PostgresLedger(() => crew.open(), retentionOf(options, ON_DISK));
  return new LedgerEngine({ kind: "dbos", isDurable: true, ledger, crew });
}
