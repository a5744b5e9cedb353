// A worker that runs sub-agents and small jobs, until it is killed or told to stop. Arguments: address of the database, folder, jobs at a time.
import { agentJob, agentSessionId, dbosEngine, postgresStore } from "../../../src/index.ts";
import { subAgent } from "./sub-agent.ts";

const [databaseUrl = "", folder = "", perWorker = "8"] = process.argv.slice(2);
const store = postgresStore({ url: databaseUrl, maxConnections: 4 });
const engine = dbosEngine({ databaseUrl, maxConnections: 8 });
const agent = agentJob({
  store,
  open: (job, input) => subAgent(store, folder, agentSessionId(job, input)),
});
engine.register("agent", agent.handler, agent.options);
engine.register("small", (input, { step }) => step("only", () => input, { safe: true }));
await engine.launch({ queues: { default: { perWorker: Number(perWorker) } } });
process.once("SIGTERM", async () => {
  await engine.drain(5000);
  await engine[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  process.exit();
});
process.once("disconnect", () => process.exit()); // Nobody is left to end it.
process.send?.("runs");
