import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startPostgres } from "../postgres.ts";
import { has } from "../require.ts";
import { call, stdioClient } from "./mcp-client.ts";
import { Playground, PROGRAM } from "./toolgate.ts";

const require = createRequire(import.meta.url);

let play: Playground;
beforeEach(async () => {
  play = await new Playground().make();
});
afterEach(() => play[Symbol.dispose]());

const touch = JSON.stringify({ command: "touch made.txt" });
const isMade = (name = "made.txt") => existsSync(join(play.project, name));

/** Parks a call and gives its approval's id. */
async function park(input = touch, args: readonly string[] = []): Promise<string> {
  const { code, stdout } = await play.run(["call", "Bash", input, "--json", ...args]);
  expect(code).toBe(4);
  return JSON.parse(stdout).metadata.approvalId;
}

async function listed(...args: string[]): Promise<Record<string, string>[]> {
  const { stdout } = await play.run(["approvals", "list", "--json", ...args]);
  return JSON.parse(stdout).approvals;
}

describe("toolgate approvals", () => {
  it("parks a call that nobody can be asked about, and says how to answer", async () => {
    const { code, stderr } = await play.run(["call", "Bash", touch]);
    expect(code).toBe(4);
    const [approval] = await listed();
    expect(approval).toMatchObject({ toolName: "Bash", status: "pending", cwd: play.project });
    expect(stderr).toContain(`toolgate approvals approve ${approval?.id} --run`);
    expect(readFileSync(join(play.project, ".toolgate", ".gitignore"), "utf8")).toContain("state.*");
  });

  it("shows the call, why it is asked, and what the answer binds", async () => {
    const id = await park();
    const { stdout, code } = await play.run(["approvals", "show", id.slice(0, 8)]);
    expect(code).toBe(0);
    for (const part of ["touch made.txt", "effects", "Bash(touch:*)", play.project, "not there", "expires"])
      expect(stdout).toContain(part);
    expect(JSON.parse((await play.run(["approvals", "show", id, "--json"])).stdout)).toMatchObject({ id });
  });

  it("runs an approved call once, and gives its recorded answer afterwards", async () => {
    const counted = JSON.stringify({ command: "echo again >> count.txt; echo ran" });
    const id = await park(counted);
    expect((await play.run(["approvals", "approve", id])).code).toBe(0);
    expect(isMade("count.txt")).toBe(false);
    for (let round = 0; round < 2; round++) {
      const { code, stdout } = await play.run(["call", "--resume", id]);
      expect({ code, stdout }).toEqual({ code: 0, stdout: "ran\n" });
    }
    expect(readFileSync(join(play.project, "count.txt"), "utf8")).toBe("again\n");
    expect(await listed()).toEqual([]);
  });

  it.each<[string, string[], number]>([
    ["approved and run at once", ["approve", "ID", "--run"], 0],
    ["approved with another input", ["approve", "ID", "--run", "--edit", '{"command":"touch other.txt"}'], 0],
    ["approved with a rule", ["approve", "ID", "--run", "--rule", "Bash(touch:*)"], 0],
    ["bad JSON", ["approve", "ID", "--edit", "{"], 2],
    ["an input that is no object", ["approve", "ID", "--edit", "5"], 2],
    ["a bad rule", ["approve", "ID", "--rule", "Bash("], 2],
    ["rejected", ["reject", "ID", "--feedback", "no"], 0],
    ["an unknown id", ["approve", "00000000-0000-4000-8000-000000000000"], 1],
  ])("%s", async (name, args, code) => {
    const id = await park();
    const ended = await play.run(["approvals", ...args.map((arg) => (arg === "ID" ? id : arg))]);
    expect(ended.code, ended.stderr).toBe(code);
    expect(isMade()).toBe(code === 0 && args.includes("--run") && !args.includes("--edit"));
    expect(isMade("other.txt")).toBe(name === "approved with another input");
  });

  it("tells a call that goes on that it was refused, with what was said", async () => {
    const id = await park();
    await play.run(["approvals", "reject", id, "--feedback", "use another name"]);
    const { code, stderr } = await play.run(["call", "--resume", id]);
    expect(code).toBe(3);
    expect(stderr).toContain("use another name");
    expect(isMade()).toBe(false);
  });

  it("asks again when a file that the call changes has changed since", async () => {
    const file = join(play.project, "a.txt");
    writeFileSync(file, "one\n");
    const id = await park(JSON.stringify({ command: "sed -i s/one/two/ a.txt" }));
    writeFileSync(file, "one and one\n");
    const { code, stderr } = await play.run(["approvals", "approve", id, "--run"]);
    expect(code).toBe(4);
    expect(stderr).toContain("a.txt has changed");
    expect(readFileSync(file, "utf8")).toBe("one and one\n");
    expect(await listed()).toHaveLength(1);
  });

  it("lets one of several answers at the same time win, and runs once", async () => {
    const id = await park(JSON.stringify({ command: "echo x >> count.txt" }));
    const all = await Promise.all(
      Array.from({ length: 4 }, () => play.run(["approvals", "approve", id, "--run"])),
    );
    expect(all.map(({ code }) => code).sort()).toEqual([0, 1, 1, 1]);
    const losers = all.filter(({ code }) => code === 1);
    for (const { stderr } of losers) expect(stderr).toContain("can't be answered or used any more");
    expect(readFileSync(join(play.project, "count.txt"), "utf8")).toBe("x\n");
  });

  it("lets no tool call answer questions, whatever its mode and whatever it hides", async () => {
    const id = await park();
    const toolgate = `${process.execPath} ${PROGRAM}`;
    for (const command of [
      `${toolgate} approvals approve ${id} --run`,
      `env -u TOOLGATE_RUN_ID -u TOOLGATE_CALL_ID ${toolgate} approvals approve ${id} --run`,
      `env -u TOOLGATE_RUN_ID TOOLGATE_RESTARTED=1 ${toolgate} approvals approve ${id} --run`,
      `${toolgate} rules add 'allow:Bash(touch:*)'`,
      `${toolgate} call Bash '${touch}' --yes`,
    ]) {
      const { stdout } = await play.run(["call", "Bash", JSON.stringify({ command }), "--mode", "bypass"]);
      expect(stdout).toContain("is for a person");
    }
    expect(await listed()).toMatchObject([{ id, status: "pending" }]);
    expect(isMade()).toBe(false);
  });

  it("lets a person answer also where an old Node has to bring the program to a newer one", async () => {
    const id = await park();
    expect(await play.underOldNode(["approvals", "approve", id, "--run"])).toMatchObject({ code: 0 });
    expect(isMade()).toBe(true);
  });

  it("goes on with the session that asked: its reads count", async () => {
    const file = join(play.project, "a.txt");
    writeFileSync(file, "one\n");
    const session = ["--session", "s"];
    expect((await play.run(["call", "Read", JSON.stringify({ file_path: file }), ...session])).code).toBe(0);
    const edit = JSON.stringify({ file_path: file, old_string: "one", new_string: "two" });
    expect((await play.run(["call", "Edit", edit, ...session])).code).toBe(4);
    const [approval] = await listed();
    expect((await play.run(["approvals", "approve", approval?.id ?? "", "--run"])).code).toBe(0);
    expect(readFileSync(file, "utf8")).toBe("two\n");
  });

  it("keeps sessions and questions where --store says", async () => {
    const store = ["--store", join(play.root, "elsewhere.db")];
    const id = await park(touch, store);
    expect(existsSync(join(play.project, ".toolgate"))).toBe(false);
    expect((await play.run(["approvals", "show", id])).code).toBe(1);
    expect((await play.run(["approvals", "approve", id, "--run", ...store])).code).toBe(0);
    expect(isMade()).toBe(true);
  });

  it.skipIf(!has("postgres"))(
    "keeps them in Postgres where the user's settings name one",
    async () => {
      await using postgres = await startPostgres();
      const url = new URL(postgres.url);
      url.password = "hunter2";
      mkdirSync(join(play.home, ".toolgate"));
      writeFileSync(join(play.home, ".toolgate", "settings.json"), JSON.stringify({ databaseUrl: url.href }));
      const id = await park();
      expect(existsSync(join(play.project, ".toolgate"))).toBe(false);
      const doctor = (await play.run(["doctor"])).stdout;
      expect(doctor).toContain("1 question waits");
      expect(doctor).not.toContain("hunter2");
      expect((await play.run(["approvals", "approve", id, "--run"])).code).toBe(0);
      expect(isMade()).toBe(true);
    },
    60_000,
  );

  it("calls a tool of an MCP server, and runs a parked call of one", async () => {
    const program = join(
      dirname(require.resolve("@modelcontextprotocol/server-filesystem/package.json")),
      "dist/index.js",
    );
    const files = { command: process.execPath, args: [program, play.project], trusted: true };
    mkdirSync(join(play.home, ".toolgate"));
    writeFileSync(join(play.home, ".toolgate", "settings.json"), JSON.stringify({ mcpServers: { files } }));
    writeFileSync(join(play.project, "a.txt"), "needle\n");
    const path = JSON.stringify({ path: join(play.project, "a.txt") });
    const read = await play.run(["call", "mcp__files__read_text_file", path]);
    expect(read, read.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining("needle") });
    const made = JSON.stringify({ path: join(play.project, "made.txt"), content: "x" });
    expect((await play.run(["call", "mcp__files__write_file", made])).code).toBe(4);
    const [approval] = await listed();
    const ended = await play.run(["approvals", "approve", approval?.id ?? "", "--run"]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(isMade()).toBe(true);
  });

  it("takes a database's address from the user's own settings only", async () => {
    await play.run(["init"]);
    writeFileSync(join(play.project, ".toolgate", "settings.json"), '{ "databaseUrl": "postgres://x/y" }');
    const { code, stderr } = await play.run(["approvals", "list"]);
    expect(code).toBe(2);
    expect(stderr).toContain("counts only in the user's own settings");
  });

  it("an MCP client that can't ask makes the same call again when it was approved", async () => {
    const { client } = await stdioClient(play);
    const again = () => call(client, "Bash", { command: "touch made.txt" });
    const refused = await again();
    expect(refused.state).toBe("denied");
    const [approval] = await listed();
    expect(refused.text).toContain(`toolgate approvals approve ${approval?.id}`);
    await again();
    expect(await listed()).toHaveLength(1);
    await play.run(["approvals", "approve", approval?.id ?? ""]);
    expect((await again()).state).toBe("success");
    expect(isMade()).toBe(true);
    await client.close();
  });
});
