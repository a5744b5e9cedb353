import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { openSession, sqliteStore } from "../../../src/index.ts";
import type { ToolResultBlock } from "../../../src/message.ts";
import { ModelServer, type Scripted, type SeenRequest } from "../../model-server.ts";

const CHILD = resolve(import.meta.dirname, "agent-child.ts");
/** More of them where there is time: `AGENT_KILLS=60`. */
const KILLS = Number(process.env.AGENT_KILLS ?? 6);
const ROUNDS = Math.ceil(KILLS / 3);
/** Events that the child gets to show before it is killed, at most. */
const REACH = 16;

/** One free and one asked call in each round, by how many results there are already. */
function nextTurn({ messages }: SeenRequest): Scripted {
  const done = messages.filter(({ role }) => role === "tool").length / 2;
  if (done >= ROUNDS) return { text: "All marked." };
  const call = (name: string) => ({ id: `${name}${done}`, name, arguments: { mark: `${name}${done}` } });
  return { calls: [call("free"), call("asked")] };
}

/** Numbers that look random and are the same in each run. */
function* numbers(seed: number): Generator<number, never, undefined> {
  for (let at = seed; ; ) {
    at = (at * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield at;
  }
}

/** Runs the child until it has shown so many events, and kills it then; answers its last line when it ended by itself. */
async function live(folder: string, url: string, events: number): Promise<string | undefined> {
  const child = spawn(process.execPath, [CHILD, folder, url], { stdio: ["ignore", "pipe", "inherit"] });
  const gone = new Promise((settle) => child.once("exit", settle));
  let seen = 0;
  let ended: string | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    seen += 1;
    if (line.startsWith("ENDED")) ended = line;
    if (seen === events) child.kill("SIGKILL");
  }
  await gone;
  return ended;
}

it("an agent that is killed again and again ends its work, and does nothing twice", {
  timeout: 60_000 + KILLS * 10_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), "toolgate-agent-crash-"));
  await using server = await ModelServer.answering(nextTurn);
  try {
    const moments = numbers(7);
    for (let kill = 0; kill < KILLS; kill++) {
      await live(folder, server.url, 1 + (moments.next().value % REACH));
    }
    const last = await live(folder, server.url, Number.POSITIVE_INFINITY);
    const store = sqliteStore({ path: join(folder, "state.db") });
    const { state } = await openSession(store, { sessionId: "s", cwd: folder });
    const results = state.messages
      .flatMap(({ role, content }) => (role === "tool" ? content : []))
      .map(({ id, state: how, metadata }: ToolResultBlock) => ({ id, how, code: metadata.code }));
    expect(last).toMatch(/^ENDED (?:completed|before)/);
    expect(new Set(results.map(({ id }) => id)).size).toBe(ROUNDS * 2);
    for (const { id, how, code } of results) {
      const mark = await readFile(join(folder, id), "utf8").catch(() => "");
      // What was done was done once; where nobody knows, the answer says so.
      expect(mark === "x" || (mark === "" && code === "unknown_outcome"), `${id}: ${how}, ${mark}`).toBe(
        true,
      );
      if (how === "success") expect(mark).toBe("x");
    }
    expect((await store.approvals({ status: ["pending", "approved"] })).items).toEqual([]);
    expect((await readdir(folder)).filter((name) => /^(?:free|asked)\d/.test(name)).length).toBeGreaterThan(
      0,
    );
    await store[Symbol.asyncDispose]();
  } finally {
    await rm(folder, { recursive: true });
  }
});
