// The same work by DBOS alone: one workflow of one step a job. Arguments: address of the database, folder, jobs at a time.
import sdk from "@dbos-inc/dbos-sdk";
import { postgresStore } from "../../../src/index.ts";
import { subAgent } from "./sub-agent.ts";

const { DBOS } = sdk;
const [databaseUrl = "", folder = "", workerConcurrency = "8"] = process.argv.slice(2);
const store = postgresStore({ url: databaseUrl, maxConnections: 4 });

async function agent(mark: string): Promise<string> {
  return DBOS.runStep(
    async () => {
      await using opened = await subAgent(store, folder, `bare-${mark}`);
      return (await opened.agent.reply(mark)).text;
    },
    { name: "reply" },
  );
}

async function small(input: string): Promise<string> {
  return DBOS.runStep(async () => input, { name: "only" });
}

DBOS.setConfig({
  name: "bare",
  systemDatabaseUrl: databaseUrl,
  systemDatabaseSchemaName: "bare",
  systemDatabasePoolSize: 8,
  applicationVersion: "1",
  executorID: `bare-${process.pid}`,
  logLevel: "error",
});
DBOS.registerWorkflow(agent, { name: "agent" });
DBOS.registerWorkflow(small, { name: "small" });
await DBOS.launch();
await DBOS.registerQueue("bare", { workerConcurrency: Number(workerConcurrency), minPollingIntervalMs: 150 });
process.once("SIGTERM", async () => {
  await DBOS.shutdown();
  await store[Symbol.asyncDispose]();
  process.exit();
});
process.once("disconnect", () => process.exit()); // Nobody is left to end it.
process.send?.("runs");
