import { afterEach, describe, expect, it } from "vitest";
import { memoryBackend } from "../../backends/memory.ts";
import type { PermissionMode } from "../../rule.ts";
import { Toolkit } from "../../toolkit/toolkit.ts";
import { inProcess } from "../in-process.ts";
import { scheduleTools } from "./schedule-tools.ts";

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});

function world(mode: PermissionMode = "acceptEdits") {
  const engine = inProcess();
  const session = () => {
    const toolkit = new Toolkit({
      tools: scheduleTools(engine),
      backend: memoryBackend(),
      mode,
      rules: ["allow:schedule_create"],
    });
    toolkit.addRules("deny:Bash(rm:*)");
    open.push(toolkit);
    return toolkit;
  };
  open.push(engine);
  return { engine, session };
}

const DAILY = { name: "news", task: "Read the news.", cron: "30 9 * * 1-5", time_zone: "Europe/Berlin" };

describe("schedule tools", () => {
  it("start an agent at times, in a mode in which nobody is asked, with what its session denies", async () => {
    const { engine, session } = world();
    const toolkit = session();
    const made = await toolkit.execute("schedule_create", DAILY);
    expect(made.text).toMatch(/^news: 30 9 \* \* 1-5 \(Europe\/Berlin\); next \d{4}-/);
    // What this engine keeps ends with its process, and nobody is left to believe otherwise.
    expect(made.text).toMatch(/\nIt is lost when this process ends\.$/);
    const [schedule] = await engine.schedules();
    expect(schedule).toMatchObject({
      missed: "skip",
      job: {
        kind: "agent",
        sessionId: toolkit.state.sessionId,
        input: {
          prompt: "Read the news.",
          mode: "dontAsk",
          cwd: toolkit.state.cwd,
          rules: ["deny:Bash(rm:*)"],
        },
      },
    });
    expect((await toolkit.execute("schedule_list", {})).text).toBe(made.text.split("\n")[0]);
    expect((await toolkit.execute("schedule_delete", { name: "news" })).state).toBe("success");
    expect((await toolkit.execute("schedule_list", {})).text).toBe("There are no schedules.");
  });

  it("keep a session's schedules its own", async () => {
    const { engine, session } = world();
    const [one, other] = [session(), session()];
    await one.execute("schedule_create", DAILY);
    expect((await other.execute("schedule_list", {})).text).toBe("There are no schedules.");
    expect((await other.execute("schedule_delete", { name: "news" })).metadata.code).toBe("not_found");
    expect((await other.execute("schedule_create", DAILY)).metadata.code).toBe("already_exists");
    expect(await engine.schedules()).toHaveLength(1);
  });

  it.each([
    ["a looser mode than the session's", { ...DAILY, mode: "bypass" }, "invalid_input"],
    ["no time", { name: "n", task: "t" }, "invalid_input"],
    ["two times", { ...DAILY, at: "2030-01-01T00:00:00Z" }, "invalid_input"],
    ["a time that is none", { name: "n", task: "t", cron: "never" }, "invalid_input"],
  ])("refuse %s", async (_what, input, code) => {
    const { session } = world();
    expect((await session().execute("schedule_create", input)).metadata.code).toBe(code);
  });

  it("take the session's own mode", async () => {
    const { engine, session } = world("acceptEdits");
    await session().execute("schedule_create", { ...DAILY, mode: "acceptEdits" });
    expect((await engine.schedules())[0]?.job.input).toMatchObject({ mode: "acceptEdits" });
  });

  it("are asked about before something is started by itself", async () => {
    const engine = inProcess();
    await using toolkit = new Toolkit({ tools: scheduleTools(engine), backend: memoryBackend() });
    open.push(engine);
    expect((await toolkit.execute("schedule_create", DAILY)).metadata.code).toBe("approval_required");
    expect((await toolkit.execute("schedule_list", {})).state).toBe("success");
  });
});
