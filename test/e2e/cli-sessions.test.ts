import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { exitOf, Playground, PROGRAM, until } from "./toolgate.ts";

let play: Playground;
beforeEach(async () => {
  play = await new Playground().make();
});
afterEach(() => play[Symbol.dispose]());

function task(subject: string) {
  const input = JSON.stringify({ subject, description: `${subject} it is.` });
  return play.run(["call", "TaskCreate", input, "--session", "new"]);
}

async function tasks(): Promise<string> {
  return (await play.run(["call", "TaskList", "{}", "--session", "new"])).stdout;
}

function bash(command: string) {
  return play.start(["call", "Bash", JSON.stringify({ command }), "--session", "new", "--mode", "bypass"]);
}

describe("calls of one session at the same time", () => {
  it("each find what the others have changed, and nothing is lost", { timeout: 60_000 }, async () => {
    const names = ["Ada", "Bea", "Cy", "Dan"];
    const ended = await Promise.all(names.map(task));
    for (const { code, stderr } of ended)
      expect([code, stderr]).toEqual([0, expect.not.stringContaining("not kept")]);
    const list = await tasks();
    for (const name of names) expect(list).toContain(name);
    expect(new Set(ended.map(({ stdout }) => /\b(\d+)\b/.exec(stdout)?.[1])).size).toBe(names.length);
  });

  it("wait for a long one, and say so", { timeout: 60_000 }, async () => {
    const long = bash("touch begun; sleep 3; cd /tmp");
    await until(() => existsSync(join(play.project, "begun")));
    const { code, stderr } = await task("Later");
    expect(code).toBe(0);
    expect(stderr).toMatch(/waits for another call of the session new \(process \d+\) to end/);
    expect(await exitOf(long)).toBe(0);
    expect(await tasks()).toContain("Later");
  });

  it("don't wait for one that was killed", { timeout: 60_000 }, async () => {
    const long = bash("touch begun; sleep 30");
    await until(() => existsSync(join(play.project, "begun")));
    long.kill("SIGKILL");
    await exitOf(long);
    const began = performance.now();
    expect((await task("After")).code).toBe(0);
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it("are refused inside of one of them, which would wait for itself", { timeout: 60_000 }, async () => {
    const own = [process.execPath, PROGRAM, "call", "TaskList", "{}", "--session", "new"];
    const long = bash(`${own.map((word) => `'${word}'`).join(" ")} 2> inside.txt`);
    await exitOf(long);
    expect(readFileSync(join(play.project, "inside.txt"), "utf8")).toContain(
      "The session new is busy with the call that this runs in.",
    );
  });
});
