import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "vitest";
import { storeContract } from "../testing/store-contract.ts";
import { sqliteStore } from "./sqlite.ts";

storeContract({
  name: "sqlite",
  runner: { describe, it },
  create() {
    const folder = mkdtempSync(join(tmpdir(), "toolgate-store-"));
    const path = join(folder, ".toolgate", "state.db");
    return {
      open: (clock) => sqliteStore({ path, clock }),
      execute(sql) {
        const database = new DatabaseSync(path);
        database.exec(sql);
        database.close();
      },
      dispose: () => rmSync(folder, { recursive: true, force: true }),
    };
  },
});
