// Stands for a person at another process: answers what is parked, a no to every fourth. Killed at any moment. Arguments: folder, name.
import { writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { answerApproval, isToolgateError, sqliteStore } from "../../../src/index.ts";

const [folder = "", by = ""] = process.argv.slice(2);
await using store = sqliteStore({ path: join(folder, "state.db") });

for (;;) {
  const { items } = await store.approvals({ status: "pending" });
  for (const { id, callId } of items) {
    await delay(Math.random() * 100); // Somebody thinks, and others may be faster.
    const approved = Number(callId.slice(1)) % 4 !== 0;
    try {
      await answerApproval(store, id, { approved, by });
      writeSync(1, `${JSON.stringify({ answered: id, call: callId })}\n`);
    } catch (error) {
      if (!isToolgateError(error, "stale")) throw error; // Somebody was faster.
    }
  }
  await delay(15);
}
