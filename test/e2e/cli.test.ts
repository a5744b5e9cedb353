import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { exitOf, isRunning, Playground, PROGRAM, until } from "./toolgate.ts";

let play: Playground;
beforeEach(async () => {
  play = await new Playground().make();
});
afterEach(() => play[Symbol.dispose]());

const bash = (command: string) => JSON.stringify({ command });
const touch = bash("touch made.txt");

describe("toolgate call", () => {
  it.each<[string, string[], number, string]>([
    ["a call that only reads", ["Bash", bash("echo hello")], 0, "hello\n"],
    ["a tool that fails", ["Bash", bash("exit 3"), "--mode", "bypass"], 1, ""],
    ["bad JSON", ["Bash", "nonsense"], 2, ""],
    ["a parameter that is missing", ["Bash", "{}"], 2, ""],
    ["an unknown tool", ["Nothing", "{}"], 2, ""],
    ["an unknown option", ["Bash", touch, "--nonsense"], 2, ""],
    ["an unknown mode", ["Bash", touch, "--mode", "nonsense"], 2, ""],
    ["an unknown backend", ["Bash", touch, "--backend", "docker"], 2, ""],
    ["a rule without what it does", ["Bash", touch, "--rule", "Bash(touch:*)"], 2, ""],
    ["a directory that is missing", ["Bash", touch, "--cwd", "nowhere"], 2, ""],
    ["a deny rule", ["Bash", touch, "--rule", "deny:Bash(touch:*)"], 3, ""],
    ["a deny rule against --yes", ["Bash", touch, "--rule", "deny:Bash(touch:*)", "--yes"], 3, ""],
    ["a mode that never asks", ["Bash", touch, "--mode", "dontAsk", "--rule", "ask:Bash(touch:*)"], 3, ""],
    ["a call that has to be asked", ["Bash", touch], 4, ""],
    ["what no rule may allow, against --yes", ["Bash", bash("echo x > .git/config"), "--yes"], 4, ""],
  ])("%s", async (_name, args, code, stdout) => {
    const ended = await play.run(["call", ...args]);
    expect({ code: ended.code, stdout: ended.stdout }, ended.stderr).toMatchObject(
      code === 1 ? { code } : { code, stdout },
    );
    if (code !== 0) expect(ended.stderr + ended.stdout).not.toBe("");
    expect(existsSync(join(play.project, "made.txt"))).toBe(false);
    expect(existsSync(join(play.project, ".git/config"))).toBe(false);
  });

  it.each([["--yes"], ["--rule=allow:Bash(touch:*)"], ["--mode=bypass"]])(
    "runs what is allowed by %s",
    async (flag) => {
      const ended = await play.run(["call", "Bash", touch, flag]);
      expect(ended.code, ended.stderr).toBe(0);
      expect(existsSync(join(play.project, "made.txt"))).toBe(true);
    },
  );

  it("reads its input from standard input for -", async () => {
    expect(await play.run(["call", "Bash", "-"], bash("echo from stdin"))).toMatchObject({
      code: 0,
      stdout: "from stdin\n",
    });
  });

  it("says on standard error what would settle an ask", async () => {
    const { stderr } = await play.run(["call", "Bash", touch]);
    expect(stderr).toContain("touch made.txt");
    expect(stderr).toMatch(/Bash\(touch/);
    expect(stderr).toContain("--yes");
  });

  it.each<[string, string[], string, number]>([
    ["success", ["Bash", bash("echo hello")], "success", 0],
    ["an ask", ["Bash", touch], "denied", 4],
    ["an unknown tool", ["Nothing", "{}"], "error", 2],
  ])("--json gives one JSON value for %s", async (_name, args, state, code) => {
    const ended = await play.run(["call", ...args, "--json"]);
    expect(ended.code).toBe(code);
    expect(JSON.parse(ended.stdout)).toMatchObject({ state, text: expect.any(String) });
  });

  it("goes on with a named session: what was read may be edited", async () => {
    const file = join(play.project, "a.txt");
    writeFileSync(file, "one\n");
    const edit = JSON.stringify({ file_path: file, old_string: "one", new_string: "two" });
    const flags = ["--mode", "acceptEdits", "--session", "s"];
    expect((await play.run(["call", "Edit", edit, ...flags])).code).toBe(1);
    expect((await play.run(["call", "Read", JSON.stringify({ file_path: file }), ...flags])).code).toBe(0);
    expect((await play.run(["call", "Edit", edit, ...flags])).code).toBe(0);
    expect(readFileSync(file, "utf8")).toBe("two\n");
  });

  it.each<[string, (path: string) => void]>([
    ["a directory", (path) => mkdirSync(path)],
    ["a link to a device", (path) => symlinkSync("/dev/zero", path)],
    ["a pipe", (path) => execFileSync("mkfifo", [path])],
  ])("runs nothing where a settings file is %s, and doesn't wait", async (_what, make) => {
    const path = join(play.project, ".toolgate", "settings.json");
    mkdirSync(join(play.project, ".toolgate"));
    make(path);
    expect(await play.run(["call", "Bash", bash("pwd")])).toEqual({
      code: 2,
      stdout: "",
      stderr: `toolgate: ${path} can't be read: it is no plain file.\n`,
    });
  });

  it("loses no edit when several processes edit one file at once: who comes late is told to read again", async () => {
    const file = join(play.project, "a.txt");
    const names = ["a", "b", "c"];
    writeFileSync(file, names.map((name) => `old ${name};\n`).join(""));
    const input = { file_path: file };
    for (const session of names) {
      await play.run(["call", "Read", JSON.stringify(input), "--session", session]);
    }
    const ended = await Promise.all(
      names.map((name) => {
        const edit = { ...input, old_string: `old ${name};`, new_string: `new ${name};` };
        return play.run([
          "call",
          "Edit",
          JSON.stringify(edit),
          "--session",
          name,
          "--mode=acceptEdits",
          "--json",
        ]);
      }),
    );
    const done = ended.map(({ stdout }) => JSON.parse(stdout));
    expect(readFileSync(file, "utf8")).toBe(
      names.map((name, at) => `${done[at].state === "success" ? "new" : "old"} ${name};\n`).join(""),
    );
    expect(done.filter(({ state }) => state === "success").length).toBeGreaterThan(0);
    for (const { state, metadata } of done) if (state !== "success") expect(metadata.code).toBe("stale");
  });

  it.each(["SIGINT", "SIGTERM"] as const)(
    "%s stops the command's whole tree and ends with 130",
    async (signal) => {
      const pidFile = join(play.project, "pid");
      const command = bash(`sleep 300 & echo $! > ${pidFile}; wait`);
      const child = play.start(["call", "Bash", command, "--mode", "bypass"]);
      await until(() => existsSync(pidFile) && readFileSync(pidFile, "utf8").endsWith("\n"));
      const pid = Number(readFileSync(pidFile, "utf8"));
      expect(isRunning(pid)).toBe(true);
      child.kill(signal);
      expect(await exitOf(child)).toBe(130);
      expect(isRunning(pid)).toBe(false);
    },
  );

  it("ends in silence when its reader goes away", async () => {
    const child = play.start(["tools", "--format", "json"]);
    child.stdout.destroy();
    let stderr = "";
    child.stderr.on("data", (text) => {
      stderr += text;
    });
    expect(await exitOf(child)).toBe(0);
    expect(stderr).toBe("");
  });

  it("runs nothing when nothing can be recorded", async () => {
    mkdirSync(join(play.project, "data"));
    writeFileSync(join(play.project, "data", "audit_logs"), "a file is in the way");
    const ended = await play.run(["call", "Bash", touch, "--yes"]);
    expect(ended.code).toBe(1);
    expect(ended.stderr + ended.stdout).toContain("record");
    expect(existsSync(join(play.project, "made.txt"))).toBe(false);
  });
});

describe("toolgate explain", () => {
  it.each([
    ["ls -la | head -5", "allow"],
    ["touch x", "ask"],
  ])("explains %s and is done whatever the verdict is", async (command, decision) => {
    const text = await play.run(["explain", command]);
    expect(text.code, text.stderr).toBe(0);
    expect(text.stdout).toContain(command);
    expect(text.stdout).toContain(decision);
    const json = await play.run(["explain", command, "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ decision, bypassImmune: false });
  });

  it("leaves no trace", async () => {
    await play.run(["explain", "touch x"]);
    expect(readdirSync(play.project)).toEqual([".git"]);
  });

  it("--batch answers each line in order, and goes on after bad ones", async () => {
    const lines = [
      '{"id":1,"command":"ls"}',
      "nonsense",
      '{"id":"two","command":"touch x"}',
      '{"id":3}',
      '{"id":4,"tool":"Nothing","input":{}}',
      "",
      '{"id":5,"tool":"Read","input":{"file_path":"/etc/hosts"}}',
      '{"id":6,"command":"echo x > .git/config"}',
    ];
    const ended = await play.run(["explain", "--batch"], lines.join("\n"));
    expect(ended.code, ended.stderr).toBe(0);
    const answers = ended.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(answers).toMatchObject([
      {
        id: 1,
        decision: "allow",
        bypassImmune: false,
        readOnly: true,
        reason: expect.any(String),
        suggestions: [],
      },
      { id: null, error: { code: "invalid_input" } },
      { id: "two", decision: "ask", bypassImmune: false, readOnly: false },
      { id: 3, error: { code: "invalid_input" } },
      { id: 4, error: { code: "unknown_tool" } },
      { id: 5, decision: "allow" },
      { id: 6, decision: "ask", bypassImmune: true },
    ]);
    expect(answers[0].effects.length).toBeGreaterThan(0);
    expect(answers[2].suggestions).toContain("Bash(touch:*)");
  });

  it("--batch answers each line as it comes", async () => {
    const child = play.start(["explain", "--batch"]);
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    for (const id of [1, 2]) {
      child.stdin.write(`{"id":${id},"command":"ls"}\n`);
      await until(() => stdout.includes(`{"id":${id},`));
    }
    child.stdin.end();
    expect(await exitOf(child)).toBe(0);
  });
});

describe("toolgate audit", () => {
  it("tells what ran, and finds that the record was changed", async () => {
    expect((await play.run(["audit", "verify"])).code).toBe(1);
    await play.run(["call", "Bash", bash("echo password=hunter2")]);
    await play.run(["call", "Bash", touch]);
    await play.run(["call", "Bash", touch, "--rule", "deny:Bash(touch:*)"]);

    const tail = await play.run(["audit", "tail"]);
    expect(tail.stdout).toContain("echo password=[redacted]");
    expect(tail.stdout).not.toContain("hunter2");
    const stats = JSON.parse((await play.run(["audit", "stats", "--json"])).stdout);
    expect(stats).toMatchObject({ calls: 3, tools: { Bash: 3 }, decisions: { allow: 1, ask: 1, deny: 1 } });
    expect(JSON.parse((await play.run(["audit", "export"])).stdout)).toHaveLength(stats.records);
    const csv = await play.run(["audit", "export", "--format", "csv"]);
    expect(csv.stdout.trimEnd().split("\r\n")).toHaveLength(stats.records + 1);

    const before = JSON.parse((await play.run(["audit", "verify", "--json"])).stdout);
    expect(before).toMatchObject({ ok: true, records: stats.records, findings: [] });
    const folder = join(play.project, "data", "audit_logs");
    const file = readdirSync(folder).find((name) => name.endsWith(".jsonl")) ?? "";
    const text = readFileSync(join(folder, file), "utf8");
    writeFileSync(join(folder, file), text.replace("echo", "ohce"));
    const after = await play.run(["audit", "verify"]);
    expect(after.code).toBe(1);
    expect(after.stdout).toContain("edited");
    expect(after.stdout).toContain(`${file}:1`);
  });
});

describe("toolgate rules", () => {
  it("adds, lists and removes rules, which count at once, and keeps comments", async () => {
    expect((await play.run(["call", "Bash", touch])).code).toBe(4);
    mkdirSync(join(play.home, ".toolgate"), { recursive: true });
    const settings = join(play.home, ".toolgate", "settings.json");
    writeFileSync(
      settings,
      '{\n  // mine\n  "permissions": {\n    "allow": [\n      // none yet\n    ]\n  }\n}\n',
    );
    expect((await play.run(["rules", "add", "allow:Bash(touch:*)"])).code).toBe(0);
    expect((await play.run(["rules", "add", "allow:Bash(npm test:*)"])).code).toBe(0);
    expect(readFileSync(settings, "utf8")).toContain("// mine");
    expect((await play.run(["call", "Bash", touch])).code).toBe(0);
    const list = JSON.parse((await play.run(["rules", "list", "--json"])).stdout);
    expect(list.rules).toEqual([
      { tier: "user", behavior: "allow", rule: "Bash(touch:*)" },
      { tier: "user", behavior: "allow", rule: "Bash(npm test:*)" },
    ]);
    for (const rule of ["allow:Bash(touch:*)", "allow:Bash(npm test:*)"]) {
      expect((await play.run(["rules", "remove", rule])).code).toBe(0);
      expect((await play.run(["rules", "remove", rule])).code).toBe(2);
    }
    expect(readFileSync(settings, "utf8")).toContain("// mine");
    expect((await play.run(["call", "Bash", touch])).code).toBe(4);
  });

  it("says of a rule in a project that nobody has trusted that it doesn't count yet", async () => {
    const added = await play.run(["rules", "add", "allow:Bash(touch:*)", "--tier", "project"]);
    expect(added).toMatchObject({ code: 0, stderr: expect.stringContaining("trustedProjects") });
    expect((await play.run(["call", "Bash", touch])).code).toBe(4);
  });

  it.each(["allow:Bash(", "Bash(ls)", "permit:Bash(ls)"])("refuses %s", async (rule) => {
    expect((await play.run(["rules", "add", rule])).code).toBe(2);
  });

  it("tests a policy file and shows what is otherwise than it must be", async () => {
    const policy = join(play.project, "policy.yaml");
    const cases = "cases:\n  - command: touch x\n    decision: allow\n  - command: ls\n    decision: allow\n";
    writeFileSync(policy, `rules:\n  allow: ["Bash(touch:*)"]\n${cases}`);
    expect(await play.run(["rules", "test", "policy.yaml"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("2 of 2"),
    });
    writeFileSync(policy, cases);
    const failed = await play.run(["rules", "test", "policy.yaml"]);
    expect(failed.code).toBe(1);
    expect(failed.stdout).toContain("- must be allow");
    expect(failed.stdout).toContain("+ is ask");
    writeFileSync(policy, "cases: 5\n");
    expect((await play.run(["rules", "test", "policy.yaml"])).code).toBe(2);
  });
});

describe("the program", () => {
  it.each<[string[], number]>([
    [["--version"], 0],
    [["--help"], 0],
    [["call", "--help"], 0],
    [[], 2],
    [["nonsense"], 2],
    [["audit", "nonsense"], 2],
    [["chat"], 2],
    [["approvals"], 2],
    [["approvals", "list"], 0],
    [["mcp", "--preset", "nonsense"], 2],
    [["serve", "--port", "x"], 2],
  ])("%j ends with %i", async (args, code) => {
    expect((await play.run(args)).code).toBe(code);
  });

  it("lists its tools for reading and for each provider", async () => {
    expect((await play.run(["tools"])).stdout).toMatch(/^Bash \{ command, /m);
    const all = (await play.run(["tools", "--preset", "all"])).stdout;
    expect(all).toMatch(/^ {2}Finds files and directories .* upper and lower case .*\.$/m);
    for (const format of ["json", "openai", "anthropic", "mcp"]) {
      const list = JSON.parse((await play.run(["tools", "--format", format])).stdout);
      expect(list).toHaveLength(8);
    }
  });

  it("doctor checks the machine and init never overwrites", async () => {
    const { checks } = JSON.parse((await play.run(["doctor", "--json"])).stdout);
    const names = checks.map(({ name }: { name: string }) => name);
    expect(names).toEqual([
      "toolgate",
      "project",
      "bash",
      "ripgrep",
      "confinement",
      "settings",
      "MCP servers",
      "channels",
      "audit log",
      "store",
      "model",
      "bubblewrap",
      "docker",
      "ssh",
      "e2b",
      "k8s",
    ]);
    expect((await play.run(["init"])).code).toBe(0);
    expect((await play.run(["rules", "list"])).code).toBe(0);
    expect((await play.run(["init"])).code).toBe(2);
    writeFileSync(join(play.project, ".toolgate", "settings.json"), "{ nonsense");
    const doctor = await play.run(["doctor"]);
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toContain("settings.json");
  });

  it("says so when the folder that it is started in was removed", async () => {
    const { spawnSync } = await import("node:child_process");
    const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$1" call Bash "{}" --cwd /';
    const args = ["-c", script, process.execPath, PROGRAM];
    const ended = spawnSync("bash", args, { cwd: play.project, env: play.env, encoding: "utf8" });
    expect({ code: ended.status, stdout: ended.stdout, stderr: ended.stderr }).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "toolgate: The current directory doesn't exist any more. Go to one that does (cd), then try again.\n",
    });
  });

  it("works through a symlink and from any folder", async () => {
    const link = join(play.root, "tg");
    symlinkSync(PROGRAM, link);
    const { spawnSync } = await import("node:child_process");
    const ended = spawnSync(process.execPath, [link, "--version"], {
      cwd: "/",
      env: play.env,
      encoding: "utf8",
    });
    expect(ended).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });
});
