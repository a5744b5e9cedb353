import { loadPg } from "./database.ts";
import { DEFAULT_SCHEMA } from "./options.ts";

const PATIENCE_MS = 5000;

/**
 * Whether any job in a database waits for something, as far as can be told at once: for who has news for them, and would open an engine
 * only then. Makes no tables, and takes a database that can't be reached for an empty one.
 */
export async function hasWaitingJobs(databaseUrl: string, schema: string = DEFAULT_SCHEMA): Promise<boolean> {
  const { Client } = await loadPg();
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: PATIENCE_MS });
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ readonly here: boolean }>(
      `SELECT EXISTS (SELECT FROM ${schema}.jobs WHERE status = 'waiting') AS here`,
    );
    return rows[0]?.here === true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
