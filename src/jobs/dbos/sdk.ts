import { ToolgateError } from "../../errors.ts";

/** The package, as far as it is used here. */
export type Sdk = Pick<typeof import("@dbos-inc/dbos-sdk"), "DBOS" | "DBOSClient">;

/** @throws ToolgateError `missing_dependency` */
export async function loadSdk(): Promise<Sdk> {
  try {
    return (await import("@dbos-inc/dbos-sdk")).default;
  } catch (error) {
    throw new ToolgateError("missing_dependency", "Durable jobs need the package @dbos-inc/dbos-sdk.", {
      hint: "Install it: npm install @dbos-inc/dbos-sdk pg.",
      cause: error,
    });
  }
}

/** Says nothing: what goes wrong is in the jobs' own records. */
export const SILENT: {
  readonly info: () => void;
  readonly debug: () => void;
  readonly warn: () => void;
  readonly error: () => void;
} = { info() {}, debug() {}, warn() {}, error() {} };

/** Makes or brings forward the dispatch's tables. */
export async function migrateDispatch(databaseUrl: string, schemaName: string): Promise<void> {
  const { DBOS } = await loadSdk();
  let quietly: (() => Promise<void>) | undefined;
  try {
    // The public way says on standard output that it migrates, where a program's answer belongs.
    const { migrateSystemDatabase } = await import("@dbos-inc/dbos-sdk/internal/system_database");
    const { GlobalLogger } = await import("@dbos-inc/dbos-sdk/internal/telemetry/logs");
    const logger = new GlobalLogger(undefined, { logger: SILENT });
    quietly = () => migrateSystemDatabase(databaseUrl, logger, schemaName);
  } catch {
    // Another version keeps these elsewhere.
  }
  await (quietly === undefined ? DBOS.migrate(databaseUrl, { schemaName }) : quietly());
}
