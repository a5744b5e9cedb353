import { describe, expect, it } from "vitest";
import { has } from "../require.ts";
import { tryLaws } from "./laws.ts";
import { Sandbox } from "./sandbox.ts";
import { vocabulary } from "./vocabulary.ts";

describe.skipIf(!has("bwrap") || !has("bash") || !has("git"))("laws that hold for all commands", () => {
  it("hold for a few hundred", async () => {
    using sandbox = new Sandbox();
    const verbs = await vocabulary(sandbox);
    const results = await tryLaws({ seed: 20240601, runs: 300, verbs, sandbox });
    const broken = results.flatMap(({ law, failures }) => failures.map((failure) => `${law}: ${failure}`));
    expect(broken).toEqual([]);
  }, 120_000);
});
