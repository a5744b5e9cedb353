import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answerTo, type Script } from "../job-world.ts";
import { ModelServer, type Scripted, type SeenRequest } from "../model-server.ts";
import { has } from "../require.ts";
import { atTerminal, type Step } from "./at-terminal.ts";
import { Playground } from "./toolgate.ts";

let play: Playground;
let server: ModelServer;
let script: Script;
beforeEach(async () => {
  play = await new Playground().make();
  server = await ModelServer.answering((seen) => answerTo(script, seen));
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  play[Symbol.dispose]();
});

const chat = () => ["chat", "--model", "openai/scripted", "--base-url", server.url, "--session", "t"];
const at = (steps: readonly Step[]) => atTerminal(play, chat(), steps);
const bash = (command: string): Scripted => ({ calls: [{ name: "Bash", arguments: { command } }] });
const spawn = (...tasks: readonly (readonly [string, string])[]): Scripted => ({
  calls: tasks.map(([task, label]) => ({ name: "spawn", arguments: { task, label } })),
});
const heard =
  (text: string, yes: string) =>
  (seen: SeenRequest): Scripted => ({
    text: JSON.stringify(seen.messages).includes(text) ? yes : "Nothing new.",
  });
const WRITE = (name: string) => `touch ../${name}.txt`;
const isThere = (name: string) => existsSync(join(play.root, `${name}.txt`));

/** A sub-agent that comes to its end after the first turn. */
const SENDS_SOMEBODY: Script = {
  "Look around.": [bash("sleep 1"), { text: "I saw three cats." }],
  "Send somebody.": [
    spawn(["Look around.", "eyes"]),
    { text: "They are on their way." },
    heard("three cats", "There are three cats."),
  ],
};

describe("sub-agents of toolgate chat in a pipe", { timeout: 30_000 }, () => {
  it("come to their end before it ends, and the model tells of it", async () => {
    script = SENDS_SOMEBODY;
    const { code, stdout, stderr } = await play.run(chat(), "Send somebody.\n");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "They are on their way.\nThere are three cats.\n" });
    expect(stderr).toMatch(/● agent_\w+ \(eyes\) completed after .*\n {2}⎿ I saw three cats\./);
  });

  it("take none of its lines for an answer", async () => {
    script = {
      "Make a file.": [bash(WRITE("made")), { text: "I may not." }],
      "Have one made.": [
        spawn(["Make a file.", "maker"]),
        bash("sleep 1"),
        { text: "Wait." },
        { text: "Heard." },
      ],
    };
    const { code, stderr } = await play.run(chat(), "Have one made.\ny\n");
    expect(code).toBe(0);
    expect(stderr).toContain("maker needed an answer, and a pipe has none for it");
    expect(isThere("made")).toBe(false);
    expect(server.requests.some(({ messages }) => messages.at(-1)?.content === "y")).toBe(true);
  });
});

describe.skipIf(!has("python3"))("sub-agents of toolgate chat at a terminal", { timeout: 60_000 }, () => {
  it("have their end shown, and told in the next turn", async () => {
    script = SENDS_SOMEBODY;
    await at([
      { expect: "› " },
      { send: "Send somebody.\r" },
      { expect: "They are on their way." },
      { expect: "› " },
      { send: "half a" },
      { expect: "(eyes) completed after" },
      { expect: "⎿ I saw three cats." },
      // What was being written stands behind it again.
      { expect: "half a" },
      { send: " message\r" },
      { expect: "There are three cats." },
      { expect: "› " },
      { send: "/quit\r" },
    ]);
    const last = JSON.stringify(server.requests.at(-1)?.messages);
    expect(last).toContain("half a message");
    expect(last.match(/completed after/g)).toHaveLength(1);
  });

  it("ask at the prompt, one after the other, by name", async () => {
    script = {
      "Make a.": [bash(WRITE("a")), { text: "Made a." }],
      "Make b.": [bash("sleep 0.5"), bash(WRITE("b")), { text: "Left b." }],
      "Have both made.": [spawn(["Make a.", "first"], ["Make b.", "second"]), { text: "Sent." }],
    };
    const { shown } = await at([
      { expect: "› " },
      { send: "Have both made.\r" },
      { expect: "first: Bash needs your answer" },
      { expect: "answer> " },
      { send: "y\r" },
      { expect: "second: Bash needs your answer" },
      { expect: "answer> " },
      { send: "n not that one\r" },
      { expect: "Left b." },
      { expect: "› " },
      { send: "/quit\r" },
    ]);
    expect(shown.match(/needs your answer/g)).toHaveLength(2);
    expect([isThere("a"), isThere("b")]).toEqual([true, false]);
    expect(JSON.stringify(server.requests.map(({ messages }) => messages.at(-1)))).toContain("not that one");
  });

  it("wait with their question for what is being written", async () => {
    script = {
      "Make a.": [bash("sleep 1.5"), bash(WRITE("a")), { text: "Made a." }],
      "Have it made.": [spawn(["Make a.", "maker"]), { text: "Sent." }, { text: "Heard." }],
    };
    await at([
      { expect: "› " },
      { send: "Have it made.\r" },
      { expect: "Sent." },
      { expect: "› " },
      { send: "y" },
      { expect: "maker needs your answer: it is asked when your line is sent or empty." },
      { expect: "› " },
      // Nothing of it is an answer.
      { send: "es, thanks\r" },
      { expect: "maker: Bash needs your answer" },
      { expect: "answer> " },
      { send: "y\r" },
      { expect: "Made a." },
      { send: "/quit\r" },
    ]);
    expect(isThere("a")).toBe(true);
    const heardIt = server.requests.some(({ messages }) => messages.at(-1)?.content === "yes, thanks");
    expect(heardIt).toBe(true);
  });

  it("ask as soon as the line is empty again", async () => {
    script = {
      "Make a.": [bash("sleep 1.5"), bash(WRITE("a")), { text: "Made a." }],
      "Have it made.": [spawn(["Make a.", "maker"]), { text: "Sent." }],
    };
    await at([
      { expect: "› " },
      { send: "Have it made.\r" },
      { expect: "Sent." },
      { expect: "› " },
      { send: "x" },
      { expect: "maker needs your answer: it is asked" },
      { expect: "› " },
      { send: "\u007f" },
      { expect: "maker: Bash needs your answer" },
      { expect: "answer> " },
      { send: "y\r" },
      { expect: "Made a." },
      { expect: "› " },
      { send: "/quit\r" },
    ]);
    expect(isThere("a")).toBe(true);
  });

  it("go on when a turn is interrupted, and end with the conversation, which says so first", async () => {
    script = {
      "Look around.": [{ text: "I look", hang: true }],
      "Send somebody.": [spawn(["Look around.", "eyes"]), { text: "Now I", hang: true }],
    };
    const { shown } = await at([
      { expect: "› " },
      { send: "Send somebody.\r" },
      { expect: "Now I" },
      { send: "\u0003" },
      { expect: "Interrupted." },
      { expect: "go on: /agents stop ends them." },
      { expect: "› " },
      { send: "/agents\r" },
      { expect: '"eyes" running' },
      { expect: "› " },
      { send: "/quit\r" },
      { expect: "would end with this conversation. Leave once more to end them." },
      { expect: "› " },
      { send: "/quit\r" },
      { expect: "Stopped with the conversation: eyes (agent_" },
    ]);
    expect(shown).not.toContain("completed");
  });

  it("are ended by /agents stop, and by Ctrl-C twice", async () => {
    script = {
      "Look around.": [{ text: "I look", hang: true }],
      "Send somebody.": [
        spawn(["Look around.", "eyes"]),
        { text: "Sent." },
        spawn(["Look around.", "more eyes"]),
        { text: "Sent again." },
      ],
    };
    await at([
      { expect: "› " },
      { send: "Send somebody.\r" },
      { expect: "Sent." },
      { expect: "› " },
      { send: "/agents stop\r" },
      { expect: "Stopped: eyes (agent_" },
      { expect: "(eyes) cancelled" },
      { expect: "› " },
      { send: "And again.\r" },
      { expect: "Sent again." },
      { expect: "› " },
      { send: "\u0003" },
      { expect: "Ctrl-C again" },
      { send: "\u0003" },
      { expect: "Stopped with the conversation: more eyes (agent_" },
    ]);
    expect(readFileSync(join(play.project, ".toolgate", "state.db")).length).toBeGreaterThan(0);
  });
});
