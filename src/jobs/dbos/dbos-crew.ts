import type { DBOSClient } from "@dbos-inc/dbos-sdk";
import { ToolgateError } from "../../errors.ts";
import { randomHex } from "../../lib/random-hex.ts";
import { type Crew, DEFAULT_PER_WORKER, type TakeUp } from "../core/crew.ts";
import type { QueueLimits } from "../engine.ts";
import type { Ticket } from "../ledger.ts";
import { openDatabase, type Transaction } from "../postgres/database.ts";
import { Line } from "../postgres/line.ts";
import type { PostgresJobsOptions } from "../postgres/options.ts";
import type { HeldTicket } from "../postgres/parts.ts";
import type { OpenParts } from "../postgres/postgres-ledger.ts";
import { loadSdk, migrateDispatch, SILENT } from "./sdk.ts";
import { sweepTickets } from "./sweep.ts";

/** The application that owns the tickets, and the workflow that takes one up. */
const APPLICATION = "toolgate";
const WORKFLOW = "toolgate.run";
/** Tickets mean the same to all versions that read them; another meaning needs another number. */
const VERSION = "1";
/**
 * How often a queue is asked for tickets, by the depth of its jobs; deeper ones wait in the last. Milliseconds. Each depth has a queue and
 * places of its own, so that children never wait for the place that their parent has.
 */
const POLL_MS: readonly number[] = [150, 150, 300, 1000, 1000];

/** Hands tickets out by the queues of DBOS. */
export class DbosCrew implements Crew {
  readonly worker: string = `w-${randomHex(8)}`;
  readonly #options: PostgresJobsOptions;
  #opening: Promise<OpenParts> | undefined;
  #client: DBOSClient | undefined;
  #shutdown: ((withinMs: number) => Promise<void>) | undefined;
  #stopping: Promise<void> | undefined;
  readonly #stopped = new AbortController();

  constructor(options: PostgresJobsOptions) {
    this.#options = options;
  }

  /** The database with the dispatch's tables, opened once. */
  open(): Promise<OpenParts> {
    if (this.#opening !== undefined) return this.#opening;
    const opening = this.#open();
    this.#opening = opening;
    // What failed may work the next time.
    opening.catch(() => {
      this.#opening = undefined;
    });
    return opening;
  }

  async #open(): Promise<OpenParts> {
    const { databaseUrl } = this.#options;
    const { DBOSClient: Client } = await loadSdk();
    const database = await openDatabase(this.#options, (schemaName) =>
      migrateDispatch(databaseUrl, schemaName),
    );
    const client = await Client.create({
      systemDatabaseUrl: databaseUrl,
      systemDatabasePool: database.pool,
      systemDatabaseSchemaName: `${database.schema}_dbos`,
      applicationName: APPLICATION,
      logger: SILENT,
    });
    this.#client = client;
    const line = new Line(databaseUrl, database.schema, this.worker, database);
    return {
      database,
      line,
      dispatch: (transaction, ticket) => dispatch(client, transaction, ticket),
      tickets: () => heldTickets(client),
      forget: (tickets) => client.cancelWorkflows(tickets.map(({ name }) => name)),
      async close() {
        await line[Symbol.asyncDispose]();
        await client.destroy();
        await database.pool.end();
      },
    };
  }

  async start(queues: Readonly<Record<string, QueueLimits>>, takeUp: TakeUp): Promise<void> {
    const parts = await this.open();
    const client = this.#client;
    if (Object.keys(queues).length === 0 || client === undefined) return;
    const { DBOS } = await loadSdk();
    if (DBOS.isInitialized()) {
      throw new ToolgateError("unsupported", "This process has a DBOS that runs, and can have only one.", {
        hint: "Run the jobs in a process of their own (toolgate worker), and launch this engine with queues: {}.",
      });
    }
    await parts.line.open();
    await registerQueues(client, queues);
    DBOS.setConfig({
      name: APPLICATION,
      systemDatabaseUrl: this.#options.databaseUrl,
      systemDatabasePool: parts.database.pool,
      systemDatabaseSchemaName: `${parts.database.schema}_dbos`,
      applicationVersion: VERSION,
      executorID: this.worker,
      listenQueues: Object.keys(queues).flatMap((queue) => POLL_MS.map((_ms, depth) => lineOf(queue, depth))),
      useListenNotify: false,
      runMigrations: false,
      logger: SILENT,
    });
    // A ticket that is handed out is spent: whoever lost it has their jobs given new ones.
    DBOS.registerWorkflow((ticket: Ticket) => this.#take(takeUp, ticket), {
      name: WORKFLOW,
      maxRecoveryAttempts: 1,
    });
    await DBOS.launch();
    this.#shutdown = (withinMs) => DBOS.shutdown({ workflowCompletionTimeoutMS: withinMs, deregister: true });
    sweepTickets({
      client,
      queries: parts.database,
      workflowName: WORKFLOW,
      signal: this.#stopped.signal,
    });
  }

  async stop(withinMs: number): Promise<void> {
    this.#stopped.abort();
    // Hands out nothing from here on, and waits for what runs.
    this.#stopping ??= this.#shutdown?.(withinMs);
  }

  async dispose(): Promise<void> {
    await this.stop(0);
    await this.#stopping;
  }

  async #take(takeUp: TakeUp, ticket: Ticket): Promise<void> {
    await takeUp(ticket);
  }
}

async function dispatch(
  client: DBOSClient,
  { client: connection }: Transaction,
  ticket: Ticket,
): Promise<void> {
  const { queue, depth, priority, notBeforeMs } = ticket;
  const delayMs = notBeforeMs === undefined ? 0 : notBeforeMs - Date.now();
  await client.enqueueInTransaction(
    connection,
    {
      queueName: lineOf(queue, depth),
      workflowName: WORKFLOW,
      workflowID: ticketId(ticket),
      appVersion: VERSION,
      priority,
      ...(delayMs <= 0 ? {} : { delaySeconds: delayMs / 1000 }),
    },
    ticket,
  );
}

async function registerQueues(
  client: DBOSClient,
  queues: Readonly<Record<string, QueueLimits>>,
): Promise<void> {
  for (const [queue, limits] of Object.entries(queues)) {
    for (const [depth, minPollingIntervalMs] of POLL_MS.entries()) {
      const { perWorker: workerConcurrency = DEFAULT_PER_WORKER, total: globalConcurrency } = limits;
      await client.registerQueue(lineOf(queue, depth), {
        applicationName: APPLICATION,
        minPollingIntervalMs,
        workerConcurrency: Math.min(workerConcurrency, globalConcurrency ?? workerConcurrency),
        ...(globalConcurrency === undefined ? {} : { globalConcurrency }),
      });
    }
  }
}

async function heldTickets(client: DBOSClient): Promise<readonly HeldTicket[]> {
  const held = await client.listWorkflows({
    workflowName: WORKFLOW,
    status: "PENDING",
    loadInput: false,
    loadOutput: false,
  });
  return held.flatMap(({ workflowID: name, executorId: worker }) => {
    const at = name.lastIndexOf("#");
    if (worker === undefined) return [];
    return { name, id: name.slice(0, at), run: Number.parseInt(name.slice(at + 1), 10), worker };
  });
}

/** A name that was used is never handed out again, also when the id is: by its number, the job is another one. */
function ticketId({ id, run, number }: Ticket): string {
  return `${id}#${run}.${number}`;
}

function lineOf(queue: string, depth: number): string {
  return `${queue}@${Math.min(depth, POLL_MS.length - 1)}`;
}
