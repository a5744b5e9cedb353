import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, it } from "vitest";
import { has } from "../../test/require.ts";
import { type E2BStandIn, startE2BStandIn } from "../../test/stand-ins/e2b/stand-in.ts";
import { backendContract } from "../testing/backend-contract.ts";
import { e2bBackend } from "./e2b.ts";

describe.skipIf(!has("bwrap"))("E2B, against a stand-in of it", () => {
  let standIn: E2BStandIn;

  beforeAll(async () => {
    standIn = await startE2BStandIn();
  });
  afterAll(() => standIn[Symbol.asyncDispose]());

  backendContract({
    name: "The E2B backend",
    runner: { describe, it },
    async create() {
      const cwd = `/home/user/${randomUUID()}`;
      const backend = await e2bBackend({ ...standIn.options, name: "contract", onDispose: "leave", cwd });
      return { backend, root: cwd };
    },
  });
});
