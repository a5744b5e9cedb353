import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type JobWorld, jobWorld, until } from "../../../test/job-world.ts";
import type { Scripted } from "../../../test/model-server.ts";
import { memoryAuditLog } from "../../audit/memory-log.ts";
import { defineTool } from "../../define-tool.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { ToolResponse } from "../../response.ts";
import type { ApprovalRequest, Approver } from "../../tool.ts";
import { Toolkit } from "../../toolkit/toolkit.ts";
import { codingTools } from "../../tools/presets.ts";
import { tellAnswered } from "../awaited-answers.ts";
import { hasEnded } from "./job-words.ts";

function calls(name: string, args: JsonObject, id?: string): Scripted {
  return { calls: [{ name, arguments: args, ...(id === undefined ? {} : { id }) }] };
}

function spawned({ metadata }: ToolResponse): string {
  return String(metadata.jobId);
}

async function ended({ engine }: JobWorld, id: string): Promise<string> {
  const job = await until(async () => {
    const now = await engine.get(id);
    return now !== undefined && hasEnded(now) ? now : undefined;
  });
  return job.error === undefined ? job.status : `${job.status} ${job.error.code}`;
}

describe("spawn", () => {
  it("answers at once, works with tools, and tells its parent once in its next turn", async () => {
    await using the = await jobWorld({
      "look at a.txt": [calls("Read", { file_path: "a.txt" }), { text: "a.txt says hello." }],
      "start one": [calls("spawn", { task: "look at a.txt", label: "reader" }), { text: "Started." }],
    });
    const first = await the.reply("start one");
    expect(first.text).toBe("Started.");
    const [id = ""] = the.toolkit.state.jobs ?? [];
    expect(await ended(the, id)).toBe("completed");
    await the.reply("and now?");
    await the.reply("and now again?");
    const hints = the.toolkit.state.messages
      .flatMap(({ role, content }) => (role === "user" ? content : []))
      .flatMap((block) => (block.type === "hint" ? [block.hint] : []));
    expect(hints).toHaveLength(1);
    expect(hints[0]).toMatch(/<system-reminder>agent_\w+ \(reader\) completed after .*a\.txt says hello\./s);
    expect(the.toolkit.state.jobs).toBeUndefined();
    await until(() => the.notices.length === 1);
    expect(the.notices[0]).toMatchObject({
      sessionId: the.toolkit.state.sessionId,
      job: { id, status: "completed" },
    });
  });

  it("waits with wait, and shows status and output", async () => {
    await using the = await jobWorld({
      "look at a.txt": [calls("Read", { file_path: "a.txt" }), { text: "a.txt says hello." }],
    });
    const response = await the.toolkit.execute("spawn", { task: "look at a.txt", wait: true });
    expect([response.state, response.text]).toEqual([
      "success",
      expect.stringContaining("a.txt says hello."),
    ]);
    const id = spawned(response);
    expect((await the.toolkit.execute("spawn_status", { id })).text).toMatch(
      /^agent_\w+ "look at a.txt" completed after/,
    );
    expect((await the.toolkit.execute("spawn_output", { id })).text).toContain("\na.txt says hello.");
    expect((await the.toolkit.execute("spawn_output", { id, offset: 6 })).text).toContain("\nsays hello.");
    expect(the.toolkit.state.jobs).toBeUndefined();
  });

  it("has a session and a read cache of its own", async () => {
    await using the = await jobWorld(
      {
        "change a.txt": [
          calls("Read", { file_path: "a.txt" }),
          calls("Edit", { file_path: "a.txt", old_string: "hello", new_string: "bye" }),
          { text: "Changed." },
        ],
      },
      { toolkit: { mode: "acceptEdits" } },
    );
    await the.toolkit.execute("spawn", { task: "change a.txt", wait: true });
    expect(await readFile(join(the.folder, "a.txt"), "utf8")).toBe("bye\n");
    const own = await the.toolkit.execute("Edit", { file_path: "a.txt", old_string: "bye", new_string: "x" });
    expect([own.state, own.metadata.code]).toEqual(["error", "not_read"]);
  });

  const REFUSED: readonly (readonly [string, JsonObject, string, string])[] = [
    ["an empty task", { task: "  " }, "invalid_input", "`task` is empty"],
    [
      "a tool that its parent hasn't",
      { task: "x", tools: ["Read", "Fly"] },
      "unknown_tool",
      "You have no tools Fly",
    ],
    ["a tool for jobs", { task: "x", tools: ["spawn"] }, "unknown_tool", "You have no tools spawn"],
    ["an unknown mode", { task: "x", mode: "wild" }, "invalid_input", "Unknown permission mode"],
    ["a looser mode than its parent's", { task: "x", mode: "bypass" }, "denied", "its parent is in default"],
    ["an unknown model", { task: "x", model: "none" }, "not_found", "There is no model"],
  ];
  it.each(REFUSED)("is refused %s", async (_title, input, code, text) => {
    await using the = await jobWorld({});
    const response = await the.toolkit.execute("spawn", input);
    expect(response.metadata.code).toBe(code);
    expect(response.text).toContain(text);
    expect((await the.engine.list()).items).toEqual([]);
  });

  it("has only the tools that are named", async () => {
    await using the = await jobWorld({
      "try to write": [calls("Write", { file_path: "b", content: "" }), { text: "No." }],
    });
    await the.toolkit.execute("spawn", { task: "try to write", tools: ["Read", "Glob"], wait: true });
    expect(the.server.requests[0]?.tools?.map((tool) => tool.function.name)).toEqual(["Glob", "Read"]);
    expect(JSON.stringify(the.server.requests[1]?.messages.at(-1))).toContain("There is no tool");
  });

  it("may be so many at a time, and so deep", async () => {
    await using the = await jobWorld(
      {
        hang: [{ text: "I think", hang: true }],
        "go deeper": [calls("spawn", { task: "hang" }), { text: "done" }],
      },
      { jobs: { maxOpen: 2 } },
    );
    expect((await the.toolkit.execute("spawn", { task: "hang" })).state).toBe("success");
    const second = await the.toolkit.execute("spawn", { task: "hang" });
    const third = await the.toolkit.execute("spawn", { task: "hang" });
    expect([third.metadata.code, third.text]).toEqual([
      "unsupported",
      expect.stringContaining("2 jobs of yours haven't ended"),
    ]);
    await the.toolkit.execute("spawn_stop", { id: spawned(second) });
    await the.toolkit.execute("spawn", { task: "go deeper", wait: true });
    const deeper = the.server.requests.find(({ messages }) => JSON.stringify(messages).includes("go deeper"));
    expect(deeper?.tools?.map((tool) => tool.function.name)).not.toContain("spawn");
  });

  it("starts others where it may, which end with it", async () => {
    await using the = await jobWorld(
      {
        hang: [{ text: "I think", hang: true }],
        "go deeper": [
          calls("spawn", { task: "hang" }),
          calls("spawn", { task: "hang", wait: true }),
          { text: "done" },
        ],
        neighbour: [{ text: "I think", hang: true }],
      },
      { jobs: { maxDepth: 2 } },
    );
    const id = spawned(await the.toolkit.execute("spawn", { task: "go deeper" }));
    const other = spawned(await the.toolkit.execute("spawn", { task: "neighbour" }));
    await until(async () => (await the.engine.list({ treeOf: id, status: "running" })).items.length === 3);
    const stop = await the.toolkit.execute("spawn_stop", { id, reason: "enough" });
    expect(stop.metadata.stopped).toHaveLength(3);
    expect((await the.engine.list({ treeOf: id })).items.map(({ status }) => status)).toEqual(
      Array(3).fill("cancelled"),
    );
    expect((await the.engine.get(other))?.status).toBe("running");
  });
});

describe("how a sub-agent that doesn't finish is reported", () => {
  const forever = calls("Glob", { pattern: "*" });

  it("cancelled is said as cancelled, with what it said until then", async () => {
    await using the = await jobWorld(
      { "slow work": [{ text: "Halfway there.", ...calls("Bash", { command: "sleep 30" }) }] },
      { toolkit: { rules: ["allow:Bash"] } },
    );
    const waiting = the.toolkit.execute("spawn", { task: "slow work", wait: true });
    const job = await until(async () => (await the.engine.list({ status: "running" })).items[0]);
    await until(async () =>
      (await the.toolkit.execute("spawn_output", { id: job.id })).text.includes("Halfway"),
    );
    await the.toolkit.execute("spawn_stop", { id: job.id });
    const response = await waiting;
    expect(response.state).toBe("interrupted");
    expect(response.text).toMatch(
      /cancelled.*before it had finished.*What it said last, which is no result:\n\nHalfway there\./s,
    );
    expect((await the.toolkit.execute("spawn_status", { id: job.id })).text).toContain("cancelled");
  });

  it("a call that is given up ends the job that it waits for", async () => {
    await using the = await jobWorld({ hang: [{ text: "I think", hang: true }] });
    const stop = new AbortController();
    const waiting = the.toolkit.execute("spawn", { task: "hang", wait: true }, { signal: stop.signal });
    const job = await until(async () => (await the.engine.list({ status: "running" })).items[0]);
    stop.abort();
    expect((await waiting).state).toBe("interrupted");
    expect(await ended(the, job.id)).toBe("cancelled");
  });

  it("a call that has waited long enough leaves the job running", async () => {
    await using the = await jobWorld({ hang: [{ text: "I think", hang: true }] }, { jobs: { waitMs: 50 } });
    const response = await the.toolkit.execute("spawn", { task: "hang", wait: true });
    expect([response.state, response.metadata.status]).toEqual(["success", "running"]);
    expect(response.text).toContain("is still running");
  });

  it.each([
    ["turns", { iterations: 3 }, "failed budget_exceeded", "all its 3 turns"],
    ["tokens", { tokens: 40 }, "failed budget_exceeded", "45 tokens of the 40"],
    ["time", { timeMs: 300 }, "failed timeout", "its time over"],
  ] as const)("its %s used up", async (what, budget, status, text) => {
    const script =
      what === "time" ? [{ text: "I look on.", hang: true }] : [{ text: "I look on.", ...forever }];
    await using the = await jobWorld({ "look for ever": script }, { jobs: { budget } });
    const response = await the.toolkit.execute("spawn", { task: "look for ever", wait: true });
    const id = spawned(response);
    expect(await ended(the, id)).toBe(status);
    expect(response.state).toBe("error");
    expect(response.text).toContain(text);
    expect(response.text).not.toContain("completed");
    if (what !== "time") expect(response.text).toContain("which is no result:\n\nI look on.");
  });

  it.each([
    ["turns", { iterations: 3 }, 3],
    ["tokens", { tokens: 40 }, 3],
  ] as const)("has all its %s again, and no more, each time it is resumed", async (_what, budget, turns) => {
    const script = { "look for ever": [{ text: "I look on.", ...forever }] };
    await using the = await jobWorld(script, { jobs: { budget } });
    const id = spawned(await the.toolkit.execute("spawn", { task: "look for ever", wait: true }));
    for (const times of [1, 2, 3]) {
      expect(await ended(the, id)).toBe("failed budget_exceeded");
      expect(the.server.requests).toHaveLength(times * turns);
      await the.engine.resume(id);
    }
  });

  it("comes to its end when it is resumed after its turns were used up, and says how many it took", async () => {
    const script = { "look on": [forever, forever, forever, { text: "Found." }] };
    await using the = await jobWorld(script, { jobs: { budget: { iterations: 2 } } });
    const id = spawned(await the.toolkit.execute("spawn", { task: "look on", wait: true }));
    expect(await ended(the, id)).toBe("failed budget_exceeded");
    await the.engine.resume(id);
    expect(await ended(the, id)).toBe("completed");
    expect(await the.engine.result(id)).toMatchObject({ text: "Found.", iterations: 4 });
  });

  it("a model that refuses, and a model that is mended, from where it was", async () => {
    let isBroken = true;
    await using the = await jobWorld(
      {
        "write once": [
          calls("Bash", { command: "echo x >> log" }),
          () => (isBroken ? { status: 401 } : { text: "Written." }),
        ],
      },
      { toolkit: { rules: ["allow:Bash"] } },
    );
    const response = await the.toolkit.execute("spawn", { task: "write once", wait: true });
    expect([response.state, response.text]).toEqual(["error", expect.stringContaining("scripted 401")]);
    isBroken = false;
    await the.engine.resume(spawned(response));
    expect(await ended(the, spawned(response))).toBe("completed");
    expect(await readFile(join(the.folder, "log"), "utf8")).toBe("x\n");
  });
});

describe("permissions of a sub-agent", () => {
  const tries = (command: string) => ({ "try it": [calls("Bash", { command }, "c1"), { text: "Tried." }] });
  const asked: ApprovalRequest[] = [];
  const approver =
    (approved: boolean): Approver =>
    (request) => {
      asked.push(request);
      return approved ? { approved, by: "ann" } : { approved, by: "ann", feedback: "Not that." };
    };
  const write = "echo x > new.txt";

  /** What the sub-agent's model was told of its call. */
  async function told(the: JobWorld, input: JsonObject = {}): Promise<string> {
    asked.length = 0;
    await the.toolkit.execute("spawn", { task: "try it", wait: true, ...input });
    return JSON.stringify(the.server.requests.at(-1)?.messages.at(-1)?.content ?? "");
  }

  const ROWS: readonly (readonly [string, Parameters<typeof jobWorld>[1], JsonObject, number, string])[] = [
    [
      "the parent's denies hold",
      { toolkit: { rules: ["deny:Bash(echo:*)"], mode: "bypass" } },
      {},
      0,
      "forbids it",
    ],
    [
      "the parent's denies hold against its own rules",
      { toolkit: { rules: ["deny:Bash(echo:*)"], mode: "bypass" }, below: { rules: ["allow:Bash"] } },
      {},
      0,
      "forbids it",
    ],
    [
      "its own denies hold in a bypassing parent",
      { toolkit: { mode: "bypass" }, below: { rules: ["deny:Bash(echo:*)"] } },
      {},
      0,
      "forbids it",
    ],
    ["its own allows count under the ceiling", { below: { rules: ["allow:Bash(echo:*)"] } }, {}, 0, "exit"],
    [
      "what the parent's configuration allows, it may",
      { toolkit: { rules: ["allow:Bash(echo:*)"] } },
      {},
      0,
      "exit",
    ],
    ["it asks its parent's approver", { toolkit: { approver: approver(true) } }, {}, 1, "exit"],
    [
      "a no of the parent's approver is a no",
      { toolkit: { approver: approver(false) } },
      {},
      1,
      "said no. They said: Not that.",
    ],
    ["without anybody to ask it is denied, and doesn't wait", {}, {}, 0, "nobody"],
    ["a stricter mode", { toolkit: { mode: "bypass" } }, { mode: "explore" }, 0, "explore"],
  ];
  it.each(ROWS)("%s", async (_title, options, input, questions, text) => {
    await using the = await jobWorld(tries(write), options);
    const said = await told(the, input);
    expect(said).toContain(text === "exit" ? "" : text);
    expect(asked).toHaveLength(questions);
    const isWritten = await readFile(join(the.folder, "new.txt"), "utf8").catch(() => undefined);
    expect(isWritten).toBe(text === "exit" ? "x\n" : undefined);
  });

  it("what a person granted the parent's session stays there", async () => {
    await using the = await jobWorld(tries(write), { toolkit: { approver: approver(false) } });
    the.toolkit.addRules("allow:Bash(echo:*)");
    expect((await the.toolkit.execute("Bash", { command: "echo 1 > own.txt" })).state).toBe("success");
    expect(await told(the)).toContain("said no");
  });

  it("asks a person who takes their time once", async () => {
    let times = 0;
    const slow: Approver = async () => {
      times += 1;
      await setTimeout(1500);
      return { approved: true, by: "ann" };
    };
    await using the = await jobWorld(tries(write), { toolkit: { approver: slow } });
    const response = await the.toolkit.execute("spawn", { task: "try it", wait: true });
    await setTimeout(200);
    expect([response.state, times]).toEqual(["success", 1]);
  });

  it("says whose question it is", async () => {
    await using the = await jobWorld(tries(write), { toolkit: { approver: approver(true) } });
    await told(the, { label: "writer" });
    expect(asked[0]).toMatchObject({
      callId: "c1",
      toolName: "Bash",
      input: { command: write },
      from: { label: "writer", sessionId: expect.stringMatching(/^agent_/) },
    });
    expect(asked[0]?.suggestions.length).toBeGreaterThan(0);
  });

  it("a rule given with a yes is the sub-agent's own", async () => {
    const script = {
      "try it": [
        calls("Bash", { command: write }),
        calls("Bash", { command: "echo y > new.txt" }),
        { text: "Tried." },
      ],
    };
    const yes: Approver = (request) => {
      asked.push(request);
      return {
        approved: true,
        by: "ann",
        rules: [{ toolName: "Bash", ruleContent: "echo:*", behavior: "allow", source: "session" }],
      };
    };
    await using the = await jobWorld(script, { toolkit: { approver: yes } });
    await told(the);
    expect(asked).toHaveLength(1);
    expect(the.toolkit.state.permissions.rules).toEqual([]);
    expect(await readFile(join(the.folder, "new.txt"), "utf8")).toBe("y\n");
  });

  it("waits without a process for an answer in the store, and runs the call once", async () => {
    const audit = memoryAuditLog();
    await using the = await jobWorld(
      { "try it": [calls("Bash", { command: "echo x >> log" }, "c1"), { text: "Tried." }] },
      { withStore: true, below: { audit } },
    );
    const id = spawned(await the.toolkit.execute("spawn", { task: "try it" }));
    const job = await until(async () => {
      const now = await the.engine.get(id);
      return now?.status === "waiting" ? now : undefined;
    });
    expect(job.waiting?.reason).toContain("Bash needs a person's answer");
    const approval = await until(async () => (await the.store?.approvals({ status: "pending" }))?.items[0]);
    expect(approval).toMatchObject({ sessionId: id, callId: "c1", toolName: "Bash" });
    await the.store?.answer(approval.id, { approved: true, by: "bob" });
    expect(await ended(the, id)).toBe("completed");
    expect(await readFile(join(the.folder, "log"), "utf8")).toBe("x\n");
    expect((await the.store?.approval(approval.id))?.status).toBe("consumed");
    const events = audit.records.filter(({ callId }) => callId === "c1").map(({ event }) => event);
    expect(events.filter((event) => event === "started" || event === "finished")).toEqual([
      "started",
      "finished",
    ]);
    expect((await the.store?.load(id))?.state.messages.length).toBeGreaterThan(2);
  });

  it("goes on at once when it is told of the answer", async () => {
    await using the = await jobWorld(tries(write), { withStore: true });
    const id = spawned(await the.toolkit.execute("spawn", { task: "try it" }));
    const question = await until(async () => (await the.store?.approvals({ status: "pending" }))?.items[0]);
    await until(async () => (await the.engine.get(id))?.status === "waiting");
    // Told too early, it waits on.
    await tellAnswered(the.engine, id);
    await setTimeout(100);
    await the.store?.answer(question.id, { approved: true, by: "bob" });
    await tellAnswered(the.engine, id);
    expect((await the.engine.get(id))?.status).not.toBe("waiting");
    expect(await ended(the, id)).toBe("completed");
    expect(await readFile(join(the.folder, "new.txt"), "utf8")).toBe("x\n");
  });

  it.each(["by the approver", "in the store, the later one first"])(
    "asks about several calls of one turn, answered %s",
    async (how) => {
      const reads = [".env", ".env.local"].map((name, at) => ({
        name: "Read",
        arguments: { file_path: name },
        id: `c${at}`,
      }));
      const yes: Approver = async () => ({ approved: true, by: "ann" });
      const isStored = how !== "by the approver";
      await using the = await jobWorld(
        { "read both": [{ calls: reads }, { text: "Read." }] },
        isStored ? { withStore: true } : { toolkit: { approver: yes } },
      );
      for (const name of [".env", ".env.local"]) await writeFile(join(the.folder, name), `KEY=${name}\n`);
      const id = spawned(await the.toolkit.execute("spawn", { task: "read both" }));
      if (isStored) {
        const open = await until(async () => {
          const { items = [] } = (await the.store?.approvals({ sessionId: id, status: "pending" })) ?? {};
          return items.length === 2 ? items : undefined;
        });
        for (const { id: question } of open.toReversed())
          await the.store?.answer(question, { approved: true, by: "bob" });
      }
      expect(await ended(the, id)).toBe("completed");
      const told = JSON.stringify(the.server.requests.at(-1)?.messages);
      expect([told.includes("KEY=.env"), told.includes("KEY=.env.local")]).toEqual([true, true]);
    },
  );

  it("ends the wait of its parent's call while its question waits in the store", async () => {
    await using the = await jobWorld(tries(write), { withStore: true });
    const response = await the.toolkit.execute("spawn", { task: "try it", wait: true });
    const [question] = (await the.store?.approvals({ status: "pending" }))?.items ?? [];
    expect([response.state, response.text]).toEqual([
      "success",
      expect.stringMatching(/is still waiting: Bash needs a person's answer.*You will be told/s),
    ]);
    expect(response.metadata).toMatchObject({ status: "waiting", approvalIds: [question?.id] });
    await the.store?.answer(question?.id ?? "", { approved: true, by: "bob" });
    expect(await ended(the, spawned(response))).toBe("completed");
  });

  it("takes its question back when it is stopped", async () => {
    await using the = await jobWorld(tries(write), { withStore: true });
    const id = spawned(await the.toolkit.execute("spawn", { task: "try it" }));
    const question = await until(async () => (await the.store?.approvals({ status: "pending" }))?.items[0]);
    await until(async () => (await the.engine.get(id))?.status === "waiting");
    await the.toolkit.execute("spawn_stop", { id });
    expect((await the.store?.approval(question.id))?.status).toBe("withdrawn");
  });

  it("is stopped while it waits: nobody is asked any more", async () => {
    const open = Promise.withResolvers<AbortSignal>();
    const never: Approver = (_request, signal) => {
      open.resolve(signal);
      return new Promise(() => undefined);
    };
    await using the = await jobWorld(tries(write), { toolkit: { approver: never } });
    const id = spawned(await the.toolkit.execute("spawn", { task: "try it" }));
    const signal = await open.promise;
    await the.toolkit.execute("spawn_stop", { id });
    await until(() => signal.aborted);
    expect(await ended(the, id)).toBe("cancelled");
  });
});

describe("two sessions at once", () => {
  it("never mix: jobs, questions, news and files", async () => {
    const asked: string[] = [];
    const approverOf =
      (name: string): Approver =>
      (request) => {
        asked.push(`${name}: ${JSON.stringify(request.input)}`);
        return { approved: true, by: name };
      };
    const script = {
      "for ann": [calls("Bash", { command: "echo ann > ann.txt" }, "c1"), { text: "Ann's." }],
      "for bob": [calls("Bash", { command: "echo bob > bob.txt" }, "c1"), { text: "Bob's." }],
    };
    await using the = await jobWorld(script);
    const [ann, bob] = [
      the.session({ approver: approverOf("ann") }),
      the.session({ approver: approverOf("bob") }),
    ];
    const [first, second] = await Promise.all([
      ann.execute("spawn", { task: "for ann", wait: true }, { id: "same" }),
      bob.execute("spawn", { task: "for bob", wait: true }, { id: "same" }),
    ]);
    expect([first.text.includes("Ann's."), second.text.includes("Bob's.")]).toEqual([true, true]);
    expect(asked.toSorted()).toEqual([
      `ann: ${JSON.stringify({ command: "echo ann > ann.txt" })}`,
      `bob: ${JSON.stringify({ command: "echo bob > bob.txt" })}`,
    ]);
    for (const tool of ["spawn_output", "spawn_stop", "spawn_status"]) {
      const other = await ann.execute(tool, { id: spawned(second) });
      expect([other.metadata.code, other.text.includes("Bob's")]).toEqual(["not_found", false]);
    }
    expect((await ann.execute("spawn_status", {})).text).not.toContain(spawned(second));
  });
});

describe("what a sub-agent does is done once", () => {
  it("a job that waits again and again replays its calls from their records", async () => {
    let runs = 0;
    const count = defineTool({
      name: "count",
      description: "Counts.",
      input: { type: "object", properties: { n: { type: "integer" } } },
      call() {
        runs += 1;
        return `${runs}`;
      },
    });
    const script = {
      "count twice": [
        calls("count", { n: 1 }),
        calls("Read", { file_path: "a.txt" }),
        calls("count", { n: 2 }),
        calls("Edit", { file_path: "a.txt", old_string: "hello", new_string: "bye" }),
        { text: "Counted." },
      ],
    };
    const yes: Approver = async () => ({ approved: true, by: "ann" });
    await using the = await jobWorld(script, {
      toolkit: { tools: [...codingTools(), count], approver: yes },
      below: { tools: [...codingTools(), count] },
    });
    const response = await the.toolkit.execute("spawn", { task: "count twice", wait: true });
    expect([response.state, runs]).toEqual(["success", 2]);
    // Three waits, four runs of the handler; each of the five model calls was made once, and the read cache was kept.
    expect(the.server.requests).toHaveLength(5);
    expect(await readFile(join(the.folder, "a.txt"), "utf8")).toBe("bye\n");
  });
});

it("is used outside an agent as well", async () => {
  await using the = await jobWorld({ "say yes": [{ text: "Yes." }] });
  await using plain = new Toolkit({ cwd: the.folder });
  plain.register(the.jobs.tools(plain));
  expect((await plain.execute("spawn", { task: "say yes", wait: true })).text).toContain("Yes.");
});
