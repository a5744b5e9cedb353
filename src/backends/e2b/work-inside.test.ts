import { randomUUID } from "node:crypto";
import { Sandbox } from "e2b";
import { afterAll, beforeAll, describe, it } from "vitest";
import { has } from "../../../test/require.ts";
import { type E2BStandIn, startE2BStandIn } from "../../../test/stand-ins/e2b/stand-in.ts";
import { type EscapeWorld, escapeContract } from "../../testing/escape-contract.ts";
import { toolContract } from "../../testing/tool-contract.ts";
import { e2bBackend } from "../e2b.ts";

describe.skipIf(!has("bwrap"))("Work inside E2B, against a stand-in of it", () => {
  let standIn: E2BStandIn;

  beforeAll(async () => {
    standIn = await startE2BStandIn();
  });
  afterAll(() => standIn[Symbol.asyncDispose]());

  /** A directory in the one sandbox, or in a new one when a row has taken it away. No limits: a real sandbox has its machine's. */
  const create = async (): Promise<EscapeWorld> => {
    const cwd = `/home/user/${randomUUID()}`;
    const backend = await e2bBackend({ ...standIn.options, name: "work", onDispose: "leave", cwd });
    const id = backend.id.slice("e2b:".length);
    return {
      backend,
      root: cwd,
      apart: true,
      small: "/mnt/small",
      loseConnection: () => standIn.cut(id),
      removePlace: async () => void (await Sandbox.kill(id, standIn.options)),
    };
  };
  toolContract({ name: "an E2B sandbox", runner: { describe, it }, create });
  escapeContract({
    name: "an E2B sandbox",
    runner: { describe, it },
    create,
    lacks: {
      outsideView: "nobody looks into a sandbox from outside",
      processLimit: "the stand-in sets none",
      memoryLimit: "the stand-in sets none",
    },
  });
});
