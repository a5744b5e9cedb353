import { describe, it } from "vitest";
import { storeContract } from "../testing/store-contract.ts";
import { memoryStore } from "./memory.ts";

const own = "A memory store is its process's own.";

storeContract({
  name: "memory",
  runner: { describe, it },
  create: () => ({ open: (clock) => memoryStore({ clock }) }),
  without: { shared: own, damage: own },
});
