import { existsSync } from "node:fs";
import { join } from "node:path";
import { ToolgateError } from "../../errors.ts";
import { dbosEngine } from "../../jobs/dbos.ts";
import type { JobEngine } from "../../jobs/engine.ts";
import { ownSettings } from "../own-settings.ts";

/** A project's durable job engine, with what was started for it. */
export interface EnginePlace extends AsyncDisposable {
  readonly engine: JobEngine;
  /** For people; without a password. */
  readonly where: string;
  /** Whether it is a database that somebody named: others work on it, too. */
  readonly isShared: boolean;
}

/** What says where jobs are kept. */
export interface EngineOptions {
  /** The root of the project. */
  readonly project: string;
  /** An address that was given. */
  readonly databaseUrl?: string | undefined;
  /** Whether a Postgres of the project's own is made where there is none. */
  readonly makes: boolean;
}

/**
 * The database that was given, else the configured one, else a Postgres of the project's own; `undefined` where there is none and
 * none is made.
 * @throws ToolgateError `invalid_settings`, `missing_dependency`, `store_unavailable`, `usage`
 */
export async function enginePlace({
  project,
  databaseUrl,
  makes,
}: EngineOptions): Promise<EnginePlace | undefined> {
  const given = databaseUrl ?? (await namedDatabase(project));
  if (given !== undefined) {
    if (!/^postgres(?:ql)?:/.test(given)) {
      throw new ToolgateError("usage", "Jobs are kept in Postgres: an address postgres://… is expected.");
    }
    const engine = dbosEngine({ databaseUrl: given });
    return {
      engine,
      where: withoutPassword(given),
      isShared: true,
      [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
    };
  }
  const folder = ownFolder(project);
  if (!makes && !existsSync(folder)) return undefined;
  const { embeddedPostgres } = await import("../../jobs/embedded-postgres.ts");
  const server = await embeddedPostgres(folder);
  const engine = dbosEngine({ databaseUrl: server.databaseUrl });
  return {
    engine,
    where: folder,
    isShared: false,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Tells, whenever it is asked, whether a project may have durable jobs: none were made where this says no. */
export async function jobsLookout(project: string): Promise<() => boolean> {
  if ((await namedDatabase(project)) !== undefined) return () => true;
  const folder = ownFolder(project);
  return () => existsSync(folder);
}

async function namedDatabase(project: string): Promise<string | undefined> {
  return (process.env.TOOLGATE_DATABASE_URL || undefined) ?? (await ownSettings(project)).databaseUrl;
}

function ownFolder(project: string): string {
  return join(project, ".toolgate", "postgres");
}

function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return "(an address that can't be read)";
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
