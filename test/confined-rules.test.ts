import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Backend } from "../src/backend.ts";
import { localBackend } from "../src/backends/local.ts";
import type { ToolResponse } from "../src/response.ts";
import { Toolkit } from "../src/toolkit/toolkit.ts";
import { Bash } from "../src/tools/bash.ts";
import { has } from "./require.ts";
import { testFolder } from "./test-folder.ts";

describe("what a rule confines is confined when it runs", () => {
  let project = "";
  let outside = "";
  let backend: Backend;
  let server: Server;
  let remove: () => Promise<void>;

  beforeAll(async () => {
    const made = await testFolder();
    remove = made.remove;
    project = join(made.folder, "project");
    outside = join(made.folder, "outside");
    await mkdir(project);
    await mkdir(outside);
    await writeFile(join(project, "write.sh"), 'echo x > "$1/in"; echo x > "$2/out"; true\n');
    server = createServer((socket) => socket.end("hello\n"));
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    await writeFile(join(project, "net.sh"), `exec 3<> /dev/tcp/127.0.0.1/${port} && head -1 <&3\n`);
    backend = localBackend({ cwd: project });
  });
  afterAll(async () => {
    await backend[Symbol.asyncDispose]();
    server.close();
    await remove();
  });

  const run = (
    rule: string,
    command: string,
    confine: "auto" | "require" | "off" = "auto",
  ): Promise<ToolResponse> => {
    const toolkit = new Toolkit({
      tools: [new Bash()],
      backend,
      cwd: project,
      rules: [`allow:${rule}`],
      confine,
    });
    return toolkit.execute("Bash", { command });
  };
  const written = async (rule: string, name: string): Promise<readonly boolean[]> => {
    const inside = join(project, name);
    const elsewhere = join(outside, name);
    await mkdir(inside);
    await mkdir(elsewhere);
    await run(rule, `sh write.sh ${inside} ${elsewhere}`);
    return [existsSync(join(inside, "in")), existsSync(join(elsewhere, "out"))];
  };

  it.skipIf(!has("bwrap")).each([
    ["Bash(sh write.sh:*)", [true, true]],
    ["Bash(sh write.sh:*) confined", [true, false]],
    ["Bash(sh write.sh:*) confined(network)", [true, false]],
    ["Bash(sh write.sh:*) confined(read-only)", [false, false]],
  ])("%s writes inside and outside: %j", async (rule, expected) => {
    expect(await written(rule, `w${rule.length}`)).toEqual(expected);
  });

  it.skipIf(!has("bwrap")).each([
    ["Bash(bash net.sh)", "hello"],
    ["Bash(bash net.sh) confined(network)", "hello"],
    ["Bash(bash net.sh) confined", "no answer"],
  ])("%s connects: %s", async (rule, expected) => {
    const { text, state } = await run(rule, "bash net.sh");
    expect(state === "success" ? text.trim() : "no answer").toBe(expected);
  });

  it("is said aloud where it can't be enforced, and refused where it must be", async () => {
    await using free = localBackend({ cwd: project, bwrap: false });
    const answer = (confine: "auto" | "require"): Promise<ToolResponse> =>
      new Toolkit({
        tools: [new Bash()],
        backend: free,
        cwd: project,
        rules: ["allow:Bash(sh write.sh:*) confined"],
        confine,
      }).execute("Bash", { command: `sh write.sh ${project} ${project}` });
    expect((await answer("auto")).metadata.confined).toEqual({
      enforced: false,
      why: "Confinement is switched off.",
    });
    expect((await answer("require")).state).toBe("denied");
  });
});
