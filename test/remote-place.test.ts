import { mkdir, readFile, symlink, utimes, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Backend } from "../src/backend.ts";
import type { JsonObject } from "../src/lib/json.ts";
import type { ToolResponse } from "../src/response.ts";
import type { ToolkitOptions } from "../src/toolkit/options.ts";
import { Toolkit } from "../src/toolkit/toolkit.ts";
import { codingTools } from "../src/tools/presets.ts";
import { type BusyboxRoot, busyboxRoot } from "./busybox-root.ts";
import { has } from "./require.ts";
import { testFolder } from "./test-folder.ts";

/**
 * Judgement and tools over a place whose paths exist on this machine too, with another content, other times and other links:
 * whoever asks this machine about a path of the place is found out.
 */
describe.skipIf(!has("busybox") || !has("bwrap"))("A remote place and this machine's own files", () => {
  let root: BusyboxRoot | undefined;
  let host: Awaited<ReturnType<typeof testFolder>> | undefined;
  beforeAll(async () => {
    root = await busyboxRoot();
    host = await testFolder();
  });
  afterAll(async () => {
    await root?.remove();
    await host?.remove();
  });

  /** A session in the place, in a directory that this machine has too. */
  async function session(name: string, options: Partial<ToolkitOptions> = {}): Promise<Session> {
    if (root === undefined || host === undefined) throw new Error("not set up");
    const { backend } = await root.place();
    const cwd = join(host.folder, name);
    await mkdir(cwd);
    await backend.mkdir(cwd);
    const toolkit = new Toolkit({ tools: codingTools(), backend, cwd, mode: "dontAsk", ...options });
    return {
      backend,
      cwd,
      toolkit,
      call: (tool, input) => toolkit.execute(tool, input),
      async [Symbol.asyncDispose]() {
        await toolkit[Symbol.asyncDispose]();
        await backend[Symbol.asyncDispose]();
      },
    };
  }

  it("edits what was read there, whatever has become of the same path here", async () => {
    await using s = await session("edit");
    const file_path = join(s.cwd, "file");
    await s.backend.writeFile(file_path, Buffer.from("one\n"));
    await writeFile(file_path, "here\n");
    expect((await s.call("Read", { file_path })).text).toContain("one");
    await writeFile(file_path, "here, changed\n");
    await utimes(file_path, 1, 1);
    const edit = { file_path, old_string: "one", new_string: "two" };
    expect(await s.call("Edit", edit)).toMatchObject({ state: "success" });
    expect(await s.call("Write", { file_path, content: "three\n" })).toMatchObject({ state: "success" });
    expect(Buffer.from(await s.backend.readFile(file_path)).toString()).toBe("three\n");
    expect(await readFile(file_path, "utf8")).toBe("here, changed\n");
  });

  it("notices a change there that isn't one here", async () => {
    await using s = await session("stale");
    const file_path = join(s.cwd, "file");
    await s.backend.writeFile(file_path, Buffer.from("one\n"));
    await writeFile(file_path, "one\n");
    await s.call("Read", { file_path });
    await s.backend.writeFile(file_path, Buffer.from("two\n"));
    const edit = await s.call("Edit", { file_path, old_string: "two", new_string: "x" });
    expect(edit.metadata.code).toBe("stale");
  });

  it("follows the links of the place and none of this machine's", async () => {
    await using s = await session("links");
    const outside = join(dirname(s.cwd), "links-outside");
    await mkdir(outside);
    await s.backend.mkdir(outside);
    // Here it leads out, there it is a directory like any other; and the other way about.
    await symlink(outside, join(s.cwd, "plain"));
    await s.backend.mkdir(join(s.cwd, "plain"));
    await mkdir(join(s.cwd, "link"));
    await s.backend.exec(["ln", "-s", outside, join(s.cwd, "link")], { cwd: "/" });
    const plain = await s.call("Write", { file_path: join(s.cwd, "plain/new"), content: "x" });
    expect(plain).toMatchObject({ state: "success" });
    const link = await s.call("Write", { file_path: join(s.cwd, "link/new"), content: "x" });
    expect(link.state).toBe("denied");
  });

  it("takes home, secrets and what a path is from the place", async () => {
    await using s = await session("home", { rules: ["deny:Read(~/private/**)"] });
    expect(s.backend.home).toBe("/root");
    await s.backend.writeFile("/root/private/file", Buffer.from("private\n"), { parents: true });
    expect((await s.call("Read", { file_path: "/root/private/file" })).state).toBe("denied");
    expect((await s.toolkit.judge("Bash", { command: "cat ~/private/file" })).behavior).toBe("deny");
    expect((await s.toolkit.judge("Bash", { command: "cat ~/.ssh/id_rsa" })).behavior).not.toBe("allow");
    expect((await s.call("Read", { file_path: "/root/.ssh/id_rsa" })).state).toBe("denied");
    if (homedir() === "/root") return;
    const rule = await s.toolkit.judge("Read", { file_path: join(homedir(), "private/file") });
    expect(rule.behavior).toBe("allow");
  });

  it("leaves out of a search what may not be shown there, and asks about all of it at once", async () => {
    const rules = ["deny:Read(private/**)", "ask:Read(~/notes/**)"] as const;
    await using s = await session("search", { rules });
    const { backend, cwd } = s;
    const files = ["a", "private/b", ".env", "/root/.ssh/id_rsa", "/root/notes/d"].map((name) =>
      resolve(cwd, name),
    );
    for (const path of files) await backend.writeFile(path, Buffer.from("needle\n"), { parents: true });
    const links = { twin: "/root/.ssh/id_rsa", note: "/root/notes/d", mine: join(cwd, "private/b") };
    for (const [name, target] of Object.entries(links)) {
      await backend.exec(["ln", target, join(cwd, name)], { cwd: "/" });
    }
    for (let file = 0; file < 300; file += 1) {
      await backend.writeFile(join(cwd, `file${file}`), Buffer.from("needle\n"));
    }
    const asked: string[] = [];
    const counting: Backend = {
      ...backend,
      realpath(path) {
        asked.push(`realpath ${path}`);
        return backend.realpath(path);
      },
      fileId(path) {
        asked.push(`fileId ${path}`);
        return backend.fileId?.(path);
      },
      async resolveAll(paths) {
        asked.push(`resolveAll ${paths.length}`);
        return (await backend.resolveAll?.(paths)) ?? [];
      },
    };
    await using toolkit = new Toolkit({
      tools: codingTools(),
      backend: counting,
      cwd,
      mode: "dontAsk",
      rules,
    });
    const { text } = await toolkit.execute("Grep", { pattern: "needle", head_limit: 0 });
    const shown = text.split("\n").map((line) => line.replace(`${cwd}/`, ""));
    expect(shown.filter((name) => !/^file\d+$/.test(name))).toEqual(["a"]);
    expect(shown).toHaveLength(301);
    // To judge the call; of what it names; of ignore files; of its results; of what hard links may be another name of.
    expect(asked.map((line) => line.replace(/\d+$/, "n"))).toEqual(Array(5).fill("resolveAll n"));
  });

  it("begins where the backend begins when nothing else is said", async () => {
    if (root === undefined) throw new Error("not set up");
    const { backend } = await root.place();
    await using toolkit = new Toolkit({ tools: codingTools(), backend, mode: "dontAsk" });
    expect(toolkit.state.cwd).toBe(backend.cwd);
    await backend.writeFile(`${backend.cwd}/file`, Buffer.from("there\n"));
    expect((await toolkit.execute("Read", { file_path: "file" })).text).toContain("there");
    expect((await toolkit.execute("Write", { file_path: "new", content: "x" })).state).toBe("success");
    expect((await toolkit.execute("Write", { file_path: "/place/outside", content: "x" })).state).toBe(
      "denied",
    );
    await backend[Symbol.asyncDispose]();
  });
});

interface Session extends AsyncDisposable {
  readonly backend: Backend;
  readonly cwd: string;
  readonly toolkit: Toolkit;
  readonly call: (tool: string, input: JsonObject) => Promise<ToolResponse>;
}
