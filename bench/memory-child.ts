import { join } from "node:path";
import { localBackend } from "../src/backends/local.ts";
import { LongTermMemory } from "../src/memory/long-term-memory.ts";
import { reportOf } from "./child.ts";

/** Indexes the memory of a folder, and says how long that took and how much memory. */
const [folder = ""] = process.argv.slice(2);
const memory = new LongTermMemory({
  backend: localBackend({ cwd: folder }),
  path: join(folder, "memory", "MEMORY.md"),
  indexDirectory: join(folder, "index"),
});
const query = { keywords: "needle", mode: "or" } as const;
console.log(
  JSON.stringify(
    await reportOf(async () => void (await memory.search(query, 15, new AbortController().signal))),
  ),
);
