import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Effect } from "../../src/effect.ts";
import { corpusRows } from "../corpus/score.ts";
import { has } from "../require.ts";
import { check } from "./check.ts";
import { generate } from "./generate.ts";
import { runOracle } from "./oracle.ts";
import { Sandbox } from "./sandbox.ts";
import { type Verb, vocabulary } from "./vocabulary.ts";

const SEED = 20240601;

describe.skipIf(!has("bwrap") || !has("strace") || !has("git"))("what commands really do", () => {
  let sandbox: Sandbox;
  let verbs: readonly Verb[];
  beforeAll(async () => {
    sandbox = new Sandbox();
    verbs = await vocabulary(sandbox);
  }, 60_000);
  afterAll(() => sandbox[Symbol.dispose]());

  // The oracle has to see what it is there to see: these say nothing of what they do.
  it.each([
    ["write", "echo x > made.txt"],
    ["write", "rm notes.txt"],
    ["write", "mv notes.txt n.txt"],
    ["write", "mkdir made"],
    ["write", "chmod 600 notes.txt"],
    ["write", "touch notes.txt"],
    ["write", "truncate -s 0 notes.txt"],
    ["write", "ln -s a b"],
    ["write", "cd src && sed -i s/a/b/ main.c"],
    ["write", "git status; git add src/main.c"],
    ["write", "echo x > /tmp/elsewhere"],
    ["write", "echo x > /etc/motd"],
    ["program", "ls; sort data.csv"],
    ["program", "ls & wait; ./x.sh"],
    ["program", "PATH=bin:$PATH ls"],
    ["program", "(ls; ./x.sh) | cat"],
    ["connection", "exec 4<>/dev/tcp/127.0.0.1/9"],
    ["read", "cat link-env"],
    ["read", "cat config/.env.production | head -1"],
    ["system", "sleep 1 & kill $!; sh -c 'kill -TERM $$'"],
  ])("sees an unstated %s in %j", async (kind, command) => {
    const [ran] = await sandbox.run([command], { hostile: false, seconds: 5 });
    const effects: Effect[] = ["ls", "cat", "sh"].map((program) => ({
      kind: "execute",
      program,
      argv: [program],
      opaque: false,
    }));
    const { violations } = check({ command, verdict: "reads", effects, tookMs: 0 }, ran?.trace ?? "");
    expect(violations.map((violation) => violation.kind)).toContain(kind);
  });

  it("sees nothing in commands that only read", async () => {
    const { violations, ranReads } = await runOracle(
      [
        "ls -la",
        "grep -rn foo src | head -3",
        "git log --oneline | cat",
        "sort data.csv | uniq -c",
        "cat <<< x",
      ],
      { sandbox },
    );
    expect({ violations, ranReads }).toEqual({ violations: [], ranReads: 5 });
  });

  it("agrees with the effects of labelled commands", async () => {
    const rows = corpusRows().filter(({ must }, index) => must === "allow" && index % 6 === 0);
    const report = await runOracle(
      rows.map(({ command }) => command),
      { sandbox, batch: 40 },
    );
    expect(report.violations).toEqual([]);
    expect(report.ranReads).toBeGreaterThan(20);
  }, 120_000);

  it("agrees with the effects of made commands", async () => {
    const report = await runOracle(generate(SEED, 400, verbs), { sandbox, batch: 40 });
    expect(report.violations).toEqual([]);
    expect(report.ranReads).toBeGreaterThan(50);
  }, 120_000);

  it("makes the same commands for the same seed", () => {
    expect([...generate(7, 50, verbs)]).toEqual([...generate(7, 50, verbs)]);
    expect([...generate(7, 50, verbs)]).not.toEqual([...generate(8, 50, verbs)]);
  });
});
