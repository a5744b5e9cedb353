import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type JobWorld, jobWorld, type Script, until } from "../../../test/job-world.ts";
import type { Scripted, SeenRequest } from "../../../test/model-server.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { ToolResponse } from "../../response.ts";
import { hasEnded } from "../agents/job-words.ts";
import { inProcess } from "../in-process.ts";
import { workflowView } from "./view.ts";

const says = (text: string): readonly Scripted[] => [{ text }];
const fails: readonly Scripted[] = [{ status: 400 }];
const hangs: readonly Scripted[] = [{ text: "I think", hang: true }];

function task(id: string, more: JsonObject = {}): JsonObject {
  return { id, task: `task of ${id}`, ...more };
}

/** What an agent's model was told to do. */
function promptOf(the: JobWorld, mark: string): string {
  const seen = the.server.requests.find((request) => firstMessage(request).includes(mark));
  return seen === undefined ? "" : firstMessage(seen);
}

function firstMessage({ messages }: SeenRequest): string {
  const content = messages.find(({ role }) => role === "user")?.content;
  return typeof content === "string" ? content : JSON.stringify(content);
}

/** How each agent of a workflow ended. */
async function statuses(
  the: JobWorld,
  { metadata }: ToolResponse,
): Promise<Readonly<Record<string, string>>> {
  const job = await the.engine.get(String(metadata.jobId));
  if (job === undefined) return {};
  return Object.fromEntries((await workflowView(the.engine, job)).map(({ id, status }) => [id, status]));
}

async function workflow(
  the: JobWorld,
  mode: string,
  agents: readonly JsonObject[],
  more: JsonObject = {},
): Promise<ToolResponse> {
  return the.toolkit.execute("workflow_run", { goal: "Ship it", mode, agents, ...more });
}

describe("what is refused before anything runs", () => {
  const ROWS: readonly (readonly [string, JsonObject, string])[] = [
    ["no goal", { mode: "graph", agents: [task("a")] }, "no goal"],
    ["no agents", { goal: "x", mode: "graph" }, "neither agents nor a team_name"],
    ["no mode", { goal: "x", agents: [task("a")] }, "no mode"],
    ["an unknown mode", { goal: "x", mode: "wave", agents: [task("a")] }, "`mode`"],
    [
      "a field that isn't known",
      { goal: "x", mode: "graph", agents: [task("a", { depends: ["b"] })] },
      "depends",
    ],
    ["no id in a graph", { goal: "x", mode: "graph", agents: [{ task: "t" }] }, "agents[0] has no id"],
    ["an id with a blank", { goal: "x", mode: "graph", agents: [task("a b")] }, "agents[0].id"],
    ["no task", { goal: "x", mode: "pipeline", agents: [{ id: "a" }] }, "a has no task"],
    [
      "an id twice",
      { goal: "x", mode: "pipeline", agents: [task("a"), task("a")] },
      'agents[0] and agents[1] are both "a"',
    ],
    [
      "a role twice",
      { goal: "x", mode: "council", agents: [{ role: "Judge" }, { role: "Judge" }] },
      'both "Judge"',
    ],
    [
      "an unknown dependency",
      { goal: "x", mode: "graph", agents: [task("alpha"), task("b", { depends_on: ["alpa"] })] },
      'b depends on "alpa", which isn\'t there before it. Did you mean alpha?',
    ],
    [
      "a circle",
      {
        goal: "x",
        mode: "graph",
        agents: [
          task("a", { depends_on: ["c"] }),
          task("b", { depends_on: ["a"] }),
          task("c", { depends_on: ["b"] }),
        ],
      },
      "circle: a → c → b → a",
    ],
    [
      "a circle through a condition",
      {
        goal: "x",
        mode: "graph",
        agents: [
          task("a", { condition: { type: "output_contains", node: "b", text: "x" } }),
          task("b", { depends_on: ["a"] }),
        ],
      },
      "circle: a → b → a",
    ],
    [
      "a condition on itself",
      {
        goal: "x",
        mode: "graph",
        agents: [task("a", { condition: { type: "output_contains", node: "a", text: "x" } })],
      },
      "about its own output",
    ],
    [
      "a condition of an unknown type",
      {
        goal: "x",
        mode: "graph",
        agents: [task("a"), task("b", { condition: { type: "is", node: "a", text: "x" } })],
      },
      "condition.type",
    ],
    [
      "a condition on a later stage",
      {
        goal: "x",
        mode: "pipeline",
        agents: [task("a", { condition: { type: "output_contains", node: "b", text: "x" } }), task("b")],
      },
      'a has a condition on "b"',
    ],
    [
      "dependencies in a pipeline",
      { goal: "x", mode: "pipeline", agents: [task("a"), task("b", { depends_on: ["a"] })] },
      "which a pipeline doesn't know",
    ],
    [
      "a perspective in a graph",
      { goal: "x", mode: "graph", agents: [task("a", { perspective: "p" })] },
      "which only a council knows",
    ],
    [
      "rounds without review",
      { goal: "x", mode: "council", agents: [{ id: "a" }], rounds: 3, cross_review: false },
      "cross_review is false",
    ],
    [
      "a tool that isn't there",
      { goal: "x", mode: "graph", agents: [task("a", { tools: ["Fly"] })] },
      "You have no tools Fly",
    ],
    [
      "a model that isn't there",
      { goal: "x", mode: "graph", agents: [task("a", { model: "none" })] },
      "no model",
    ],
    ["an unknown team", { goal: "x", team_name: "nobody" }, 'no team "nobody"'],
    ["a resume with more", { resume: "workflow_1", goal: "x" }, "nothing but wait goes with it"],
    ["a resume of nothing", { resume: "workflow_1" }, "No job of yours"],
  ];
  it.each(ROWS)("%s", async (_title, input, text) => {
    await using the = await jobWorld({});
    const response = await the.toolkit.execute("workflow_run", input);
    expect(response.state).toBe("error");
    expect(response.text).toContain(text);
    expect((await the.engine.list()).items).toEqual([]);
  });
});

describe("a pipeline", () => {
  it("gives each stage the outputs of all before it", async () => {
    const script = {
      "task of one": says("first output"),
      "task of two": says("second output"),
      "task of three": says("third output"),
    };
    await using the = await jobWorld(script);
    const response = await workflow(the, "pipeline", [
      task("one"),
      task("two"),
      task("three", { role: "Editor" }),
    ]);
    expect(response.state).toBe("success");
    const prompt = promptOf(the, "task of three");
    expect(prompt).toContain("Ship it");
    expect(prompt).toMatch(/<output of="one">\nfirst output\n<\/output>\n\n<output of="two">\nsecond output/);
    for (const text of ["first output", "second output", "third output"]) {
      expect(response.text.split(text)).toHaveLength(2);
    }
  });

  it("keeps what was done when a stage fails, says what it blocks, and goes on from there", async () => {
    let isBroken = true;
    const script: Script = {
      "task of one": says("first output"),
      "task of two": [() => (isBroken ? { status: 400 } : { text: "second output" })],
      "task of three": says("third output"),
    };
    await using the = await jobWorld(script);
    const response = await workflow(the, "pipeline", [task("one"), task("two"), task("three")]);
    expect([response.state, response.metadata.code]).toEqual(["error", "agent_failed"]);
    expect(response.text).toContain("first output");
    expect(response.text).toMatch(/## two: failed, .*scripted 400/);
    expect(response.text).toContain("## three: blocked (by two), it needs two");
    expect(await statuses(the, response)).toEqual({ one: "done", two: "failed", three: "blocked" });
    const id = String(response.metadata.jobId);
    expect(response.text).toContain(`workflow_run {"resume": "${id}"}`);
    isBroken = false;
    const resumed = await the.toolkit.execute("workflow_run", { resume: id });
    expect([resumed.state, resumed.metadata.jobId]).toEqual(["success", id]);
    expect(await statuses(the, resumed)).toEqual({ one: "done", two: "done", three: "done" });
    expect(
      the.server.requests.filter((seen) => firstMessage(seen).includes("Your task: task of one")),
    ).toHaveLength(1);
    expect(promptOf(the, "Your task: task of three")).toContain("second output");
    const again = await the.toolkit.execute("workflow_run", { resume: id });
    expect([again.metadata.code, again.text]).toEqual(["stale", expect.stringContaining("completed")]);
  });

  it("bounds what a prompt and a report hold; the whole is read by the job's id", async () => {
    const long = `${"x".repeat(89_999)}!`;
    await using the = await jobWorld({ "task of one": says(long), "task of two": says("short") });
    const response = await workflow(the, "pipeline", [task("one"), task("two")]);
    expect(response.text.length).toBeLessThan(24_000);
    expect(response.text).toContain("short");
    const id = `${response.metadata.jobId}.one`;
    expect(response.text).toContain(`of 90000 characters; spawn_output {"id": "${id}"} shows all`);
    expect(promptOf(the, "task of two").length).toBeLessThan(62_000);
    expect(promptOf(the, "task of two")).toContain(
      `60000 of 90000 characters; spawn_output {"id": "${id}", "offset": 60000}`,
    );
    const rest = await the.toolkit.execute("spawn_output", { id, offset: 80_000 });
    expect(rest.text).toMatch(/x!$/);
  });

  it("lets a later stage read an earlier one's whole output, and nobody else's", async () => {
    const reads = (id: (seen: SeenRequest) => string) => (seen: SeenRequest) => ({
      calls: [{ name: "spawn_output", arguments: { id: id(seen) } }],
    });
    const idIn = (seen: SeenRequest): string => /workflow_\w+\.one/.exec(firstMessage(seen))?.[0] ?? "none";
    let stranger = "";
    await using the = await jobWorld({
      secret: says("top secret"),
      "task of one": says("y".repeat(70_000)),
      "task of two": [reads(idIn), reads(() => stranger), { text: "read" }],
    });
    stranger = String((await the.toolkit.execute("spawn", { task: "secret", wait: true })).metadata.jobId);
    const response = await workflow(the, "pipeline", [task("one"), task("two")]);
    expect(response.state).toBe("success");
    const [, own, other] = the.server.requests.filter((seen) => firstMessage(seen).includes("task of two"));
    expect(JSON.stringify(own?.messages.at(-1))).toContain("Characters 0 to 20000 of 70000");
    expect(JSON.stringify(other?.messages.at(-1))).toContain("No job of yours");
  });
});

describe("a graph", () => {
  it("begins an agent when its own inputs are there, not when a whole wave is", async () => {
    const late = Promise.withResolvers<void>();
    const order: string[] = [];
    const script: Script = {
      "Your task: task of slow": hangs,
      "Your task: task of quick": [() => ({ text: "quick output" })],
      "Your task: task of after": [
        (seen) => {
          order.push(firstMessage(seen).includes("quick output") ? "after had quick" : "after had nothing");
          late.resolve();
          return { text: "after output" };
        },
      ],
    };
    await using the = await jobWorld(script);
    const running = workflow(the, "graph", [
      task("slow"),
      task("quick"),
      task("after", { depends_on: ["quick"] }),
    ]);
    await late.promise;
    expect(order).toEqual(["after had quick"]);
    const slow = await until(async () =>
      (await the.engine.list({ status: "running" })).items.find(({ id }) => id.endsWith(".slow")),
    );
    await the.toolkit.execute("spawn_stop", { id: slow.id });
    const response = await running;
    expect(await statuses(the, response)).toEqual({ slow: "cancelled", quick: "done", after: "done" });
    expect(response.text).toContain("after output");
  });

  it("says what is blocked by what, through as many as there are, and runs the rest", async () => {
    const script = {
      "Your task: task of bad": fails,
      "Your task: task of lone": says("lone output"),
      "Your task: task of c": says("c output"),
    };
    await using the = await jobWorld(script);
    const response = await workflow(the, "graph", [
      task("d", { depends_on: ["c", "b"] }),
      task("b", { depends_on: ["a"] }),
      task("a", { depends_on: ["bad"] }),
      task("bad"),
      task("lone"),
      task("c", { depends_on: ["lone"] }),
    ]);
    expect(await statuses(the, response)).toEqual({
      a: "blocked",
      b: "blocked",
      bad: "failed",
      c: "done",
      d: "blocked",
      lone: "done",
    });
    expect(response.text).toContain("## d: blocked (by bad), it needs b, which bad kept from running");
    expect(response.text).toContain("c output");
    expect((await the.engine.get(String(response.metadata.jobId)))?.error?.message).toMatch(
      /^2 of 6 agents are done\. Not done: d blocked by bad; b blocked by bad; a blocked by bad; bad failed: .*scripted 400/,
    );
  });

  const condition = (type: string, node: string, text: string): JsonObject => ({
    condition: { type, node, text },
  });
  const SKIPS: readonly (readonly [
    string,
    readonly JsonObject[],
    Readonly<Record<string, string>>,
    string,
  ])[] = [
    [
      "contains",
      [task("a"), task("b", condition("output_contains", "a", "yes"))],
      { a: "done", b: "done" },
      "",
    ],
    [
      "contains not",
      [task("a"), task("b", condition("output_contains", "a", "no"))],
      { a: "done", b: "skipped" },
      `the output of a doesn't contain "no"`,
    ],
    [
      "not contains",
      [task("a"), task("b", condition("output_not_contains", "a", "yes"))],
      { a: "done", b: "skipped" },
      `the output of a contains "yes"`,
    ],
    [
      "is forwarded to who needs nothing else",
      [task("a"), task("b", condition("output_contains", "a", "no")), task("c", { depends_on: ["b"] })],
      { a: "done", b: "skipped", c: "skipped" },
      "all that it needs was skipped: b",
    ],
    [
      "isn't forwarded to who has other inputs",
      [task("a"), task("b", condition("output_contains", "a", "no")), task("c", { depends_on: ["a", "b"] })],
      { a: "done", b: "skipped", c: "done" },
      "",
    ],
    [
      "a condition on what was skipped can't hold",
      [
        task("a"),
        task("b", condition("output_contains", "a", "no")),
        task("c", condition("output_not_contains", "b", "no")),
      ],
      { a: "done", b: "skipped", c: "skipped" },
      "its condition can't be looked at: b was skipped",
    ],
  ];
  it.each(SKIPS)("a condition: %s", async (_title, agents, expected, text) => {
    await using the = await jobWorld({ "Ship it": says("yes indeed") });
    const response = await workflow(the, "graph", agents);
    expect([response.state, await statuses(the, response)]).toEqual(["success", expected]);
    expect(response.text).toContain(text);
  });

  it("a completed one says how each agent ended when what led to it is forgotten", async () => {
    const options = { engine: inProcess({ keepHistoryMs: 0 }) };
    await using the = await jobWorld({ "Ship it": says("yes indeed") }, options);
    const agents = [task("a"), task("b", condition("output_contains", "a", "no"))];
    const response = await workflow(the, "graph", agents);
    const id = String(response.metadata.jobId);
    await until(async () => {
      for await (const _event of the.engine.events(id)) return false;
      return true;
    });
    expect(await statuses(the, response)).toEqual({ a: "done", b: "skipped" });
  });

  it("a condition's agent that failed blocks who looks at it", async () => {
    await using the = await jobWorld({ "Your task: task of a": fails });
    const response = await workflow(the, "graph", [
      task("a"),
      task("b", condition("output_contains", "a", "x")),
    ]);
    expect(await statuses(the, response)).toEqual({ a: "failed", b: "blocked" });
  });

  it("tries an agent again as often as it says, and gives it no more time than it has", async () => {
    let tries = 0;
    const script: Script = {
      "Your task: task of again": [
        () => {
          tries += 1;
          return tries < 3 ? { status: 400 } : { text: "at last" };
        },
      ],
      "Your task: task of late": hangs,
    };
    await using the = await jobWorld(script);
    const response = await workflow(the, "graph", [
      task("again", { retries: 2 }),
      task("late", { timeout: 0.2 }),
    ]);
    expect(await statuses(the, response)).toEqual({ again: "done", late: "failed" });
    expect(response.text).toContain("at last");
    expect(response.text).toMatch(/## late: failed, It was not done by/);
  });

  it("gives each agent its tools and its role", async () => {
    await using the = await jobWorld({ "Ship it": says("ok") });
    await workflow(the, "graph", [task("a", { tools: ["Read"], role: "Reviewer" })]);
    const [seen] = the.server.requests;
    expect(seen?.tools?.map((tool) => tool.function.name)).toEqual(["Read", "spawn_output"]);
    expect(JSON.stringify(seen?.messages[0]?.content)).toContain("You are: Reviewer.");
  });
});

describe("a council", () => {
  const members = [{ id: "ann", perspective: "a lawyer" }, { id: "bob" }];

  it("has positions, reviews of each other's, and one answer", async () => {
    const script: Script = {
      "Make one answer": says("the one answer"),
      "see those of the others": [
        (seen) => ({ text: firstMessage(seen).includes("position of the lawyer") ? "revised" : "?" }),
      ],
      "State your position": [
        (seen) => ({
          text: JSON.stringify(seen.messages[0]).includes("a lawyer")
            ? "position of the lawyer"
            : "position of the analyst",
        }),
      ],
    };
    await using the = await jobWorld(script);
    const response = await workflow(the, "council", members);
    expect(await statuses(the, response)).toEqual({
      "ann@1": "done",
      "bob@1": "done",
      "ann@2": "done",
      "bob@2": "done",
      synthesis: "done",
    });
    expect(response.text).toMatch(/## synthesis: done\n\nthe one answer/);
    const prompt = promptOf(the, "Make one answer");
    expect(prompt.split("<output").length - 1).toBe(2);
    expect(prompt).not.toContain("position of");
  });

  it("goes on without a member that fails", async () => {
    const script: Script = {
      "Make one answer": says("the one answer"),
      "see those of the others": says("revised"),
      "State your position": [
        (seen) =>
          JSON.stringify(seen.messages[0]).includes("a lawyer") ? { status: 400 } : { text: "position" },
      ],
    };
    await using the = await jobWorld(script);
    const response = await workflow(the, "council", members);
    expect(response.state).toBe("success");
    expect(await statuses(the, response)).toEqual({
      "ann@1": "failed",
      "bob@1": "done",
      "ann@2": "blocked",
      "bob@2": "done",
      synthesis: "done",
    });
    expect(response.text).toMatch(/## ann@1.*: failed/);
    expect(promptOf(the, "see those of the others")).toContain("(none: it was failed");
  });

  it("fails when no member is left", async () => {
    await using the = await jobWorld({ "State your position": fails });
    const response = await workflow(the, "council", members, { cross_review: false });
    expect(response.state).toBe("error");
    expect(await statuses(the, response)).toEqual({
      "ann@1": "failed",
      "bob@1": "failed",
      synthesis: "blocked",
    });
    expect(response.text).toContain("synthesis: blocked (by ann@1, bob@1), none of those before it is done");
  });

  it("has as many rounds as are asked for", async () => {
    await using the = await jobWorld({ "Ship it": says("word") });
    const response = await workflow(the, "council", members, { rounds: 3 });
    expect(Object.keys(await statuses(the, response))).toEqual([
      "ann@1",
      "bob@1",
      "ann@2",
      "bob@2",
      "ann@3",
      "bob@3",
      "synthesis",
    ]);
  });
});

describe("a workflow that is stopped", () => {
  it("ends its own agents and no neighbour, keeps what was done, and can be resumed", async () => {
    let isHanging = true;
    const script: Script = {
      "Your task: task of one": says("first output"),
      "Your task: task of two": [
        () => (isHanging ? { text: "I think", hang: true } : { text: "second output" }),
      ],
      neighbour: hangs,
    };
    await using the = await jobWorld(script);
    const other = String((await the.toolkit.execute("spawn", { task: "neighbour" })).metadata.jobId);
    const started = await workflow(the, "pipeline", [task("one"), task("two")], { wait: false });
    const id = String(started.metadata.jobId);
    expect(started.text).toContain("You will be told");
    await until(async () => (await the.engine.get(`${id}.two`))?.status === "running");
    await the.toolkit.execute("spawn_stop", { id });
    expect(await statuses(the, started)).toEqual({ one: "done", two: "cancelled" });
    expect((await the.engine.get(other))?.status).toBe("running");
    expect((await the.toolkit.execute("spawn_output", { id })).text).toContain("first output");
    isHanging = false;
    const resumed = await the.toolkit.execute("workflow_run", { resume: id });
    expect(resumed.text).toContain("second output");
    expect(resumed.state).toBe("success");
  });

  it("is told of in the next turn when it went on by itself", async () => {
    await using the = await jobWorld({ "task of one": says("first output"), "start it": [{ text: "ok" }] });
    const started = await workflow(the, "pipeline", [task("one")], { wait: false });
    await until(async () => {
      const job = await the.engine.get(String(started.metadata.jobId));
      return job !== undefined && hasEnded(job);
    });
    await the.reply("start it");
    const said = JSON.stringify(the.toolkit.state.messages);
    expect(said).toMatch(/workflow_\w+ \(Ship it\) completed after .*first output/);
  });
});

describe("saved teams", () => {
  const team = { mode: "pipeline", agents: [{ id: "one", task: "task of one" }] } as const;
  const run = (the: JobWorld, name: string): Promise<ToolResponse> =>
    the.toolkit.execute("workflow_run", {
      goal: "Ship it",
      team_name: name,
      mode: "council",
      agents: [{ id: "x" }],
    });

  it("given in code, count instead of what is given along", async () => {
    await using the = await jobWorld(
      { "task of one": says("first output") },
      { jobs: { teams: { mine: team } } },
    );
    expect((await run(the, "mine")).text).toContain("first output");
    const unknown = await run(the, "mien");
    expect([unknown.metadata.code, unknown.text]).toEqual([
      "not_found",
      expect.stringContaining("There are: mine."),
    ]);
  });

  it("read from files, JSON and YAML", async () => {
    const folder = await import("node:fs/promises").then((fs) =>
      fs.mkdtemp(join(process.env.TMPDIR ?? "/tmp", "toolgate-teams-")),
    );
    try {
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, "json.json"), JSON.stringify(team));
      await writeFile(
        join(folder, "yaml.yaml"),
        "mode: pipeline\nagents:\n  - id: one\n    task: task of one\n",
      );
      await writeFile(join(folder, "bad.yml"), "mode: pipeline\nagents: 3\n");
      await writeFile(join(folder, "broken.json"), "{");
      await writeFile(join(folder, "twice.json"), JSON.stringify(team));
      await writeFile(join(folder, "twice.yml"), "mode: graph\n");
      await using the = await jobWorld(
        { "task of one": says("first output") },
        { jobs: { teams: { folder } } },
      );
      const rows: readonly (readonly [string, string])[] = [
        ["json", "first output"],
        ["yaml", "first output"],
        ["bad", "`agents`"],
        ["broken", "neither JSON nor YAML"],
        ["twice", "several files"],
        ["../json", "no team"],
      ];
      for (const [name, text] of rows) expect((await run(the, name)).text).toContain(text);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe("two workflows at once", () => {
  it("of two sessions never mix", async () => {
    const writes = (name: string): readonly Scripted[] => [
      { calls: [{ name: "Bash", arguments: { command: `echo ${name} >> ${name}.txt` }, id: "c1" }] },
      { text: `${name} wrote` },
    ];
    await using the = await jobWorld(
      { "for ann": writes("ann"), "for bob": writes("bob") },
      { toolkit: { rules: ["allow:Bash"] } },
    );
    const [ann, bob] = [the.session(), the.session()];
    const graph = (name: string): JsonObject => ({
      goal: `for ${name}`,
      mode: "graph",
      agents: [task("a"), task("b", { depends_on: ["a"] })],
    });
    const [first, second] = await Promise.all([
      ann.execute("workflow_run", graph("ann"), { id: "same" }),
      bob.execute("workflow_run", graph("bob"), { id: "same" }),
    ]);
    expect([first.text.includes("bob"), second.text.includes("ann")]).toEqual([false, false]);
    expect(await readFile(join(the.folder, "ann.txt"), "utf8")).toBe("ann\nann\n");
    expect(await readFile(join(the.folder, "bob.txt"), "utf8")).toBe("bob\nbob\n");
    expect((await ann.execute("spawn_output", { id: `${second.metadata.jobId}.a` })).metadata.code).toBe(
      "not_found",
    );
  });
});
