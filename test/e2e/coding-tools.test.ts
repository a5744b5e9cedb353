import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Toolkit } from "../../src/toolkit/toolkit.ts";
import { codingTools } from "../../src/tools/presets.ts";
import { commandWorld } from "../command-world.ts";
import { has } from "../require.ts";

const files = { ".env": "needle=1\n", "private/a.txt": "needle\n", "b.txt": "needle\n" };

describe.skipIf(!has("bash"))("the coding tools behind the gate", () => {
  it("search a project with secrets and denied files in it, and leave those out", async () => {
    await using world = await commandWorld(files);
    const tools = codingTools();
    await using toolkit = new Toolkit({ tools, cwd: world.folder, rules: ["deny:Read(private/**)"] });
    const response = await toolkit.execute("Grep", { pattern: "needle" });
    expect({ text: response.text, state: response.state }).toEqual({
      text: join(world.folder, "b.txt"),
      state: "success",
    });
    const named = await toolkit.execute("Grep", { pattern: "needle", path: "private/a.txt" });
    expect(named.state).toBe("denied");
  });

  it("go on from the directory that a command ended in, and judge there", async () => {
    await using world = await commandWorld();
    await mkdir(join(world.folder, "sub"));
    await writeFile(join(world.folder, "sub/x.txt"), "here\n");
    await using toolkit = new Toolkit({ tools: codingTools(), cwd: world.folder });
    await toolkit.execute("Bash", { command: "cd sub" });
    expect((await toolkit.execute("Bash", { command: "cat x.txt" })).text).toBe("here");
    expect((await toolkit.execute("Grep", { pattern: "here" })).text).toBe(join(world.folder, "sub/x.txt"));
    expect((await toolkit.execute("Glob", { pattern: "*.txt" })).text).toBe(join(world.folder, "sub/x.txt"));
  });

  it("run a background command from start to stop in one session", async () => {
    await using world = await commandWorld();
    await using toolkit = new Toolkit({ tools: codingTools(), cwd: world.folder, mode: "bypass" });
    const started = await toolkit.execute("Bash", {
      command: "echo ready; sleep 318",
      run_in_background: true,
    });
    expect(started.text).toMatch(/^Started in the background as bash_1/);
    const read = await toolkit.execute("BashOutput", { id: "bash_1", wait_ms: 5000 });
    expect(read.text).toMatch(/^ready\n\[bash_1 running for \d s\.\]$/);
    const stopped = await toolkit.execute("BashStop", { id: "bash_1" });
    expect(stopped.text).toMatch(/^\(no new output\)\n\[bash_1 stopped\.\]/);
  });
});
