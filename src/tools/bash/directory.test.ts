import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commandWorld } from "../../../test/command-world.ts";
import { has } from "../../../test/require.ts";
import { Bash } from "../bash.ts";

describe.skipIf(!has("bash"))("Bash's working directory", () => {
  const files = { "a/b/file": "", "c/file": "" };

  it.each([
    ["cd", "cd a", "a"],
    ["cd before a failure", "cd a && exit 3", "a"],
    ["cd under set -e", "set -e; cd a; false", "a"],
    ["cd under set -x", "set -x; cd a", "a"],
    ["cd with an EXIT trap", "trap 'echo bye' EXIT; cd a", "a"],
    ["cd with output sent to a file", "exec > out 2>&1; cd a; echo hi", "a"],
    ["cd before a syntax error", "cd a\n)", "a"],
    ["pushd", "pushd a/b > /dev/null", "a/b"],
    ["cd in a function", "f() { cd a; }; f", "a"],
    ["cd in a subshell doesn't count", "(cd a); true", ""],
    ["cd in a pipeline doesn't count", "cd a | cat", ""],
    ["cd in the background doesn't count", "cd a & wait", ""],
    ["cd behind a closed descriptor is lost, and the old one stays", "exec 99>&-; cd a", ""],
  ])("%s", async (_title, command, expected) => {
    await using world = await commandWorld(files);
    await world.call(new Bash(), { command });
    expect(world.state.cwd).toBe(join(world.folder, expected));
    const { text } = await world.call(new Bash(), { command: "pwd" });
    expect(text).toBe(join(world.folder, expected));
  });

  it("is said when it changes, and nothing else carries over", async () => {
    await using world = await commandWorld(files);
    const bash = new Bash();
    const { text } = await world.call(bash, {
      command: "cd a; x=1; export y=2; f() { :; }; alias z=ls; umask 077",
    });
    expect(text).toBe(`[The working directory is now ${world.folder}/a.]`);
    expect((await world.call(bash, { command: 'echo "$x$y"; type f z; umask' })).text).not.toMatch(
      /12|function|alias|077/,
    );
  });

  it("is real: links are resolved, and a link to where it already is doesn't count as a change", async () => {
    await using world = await commandWorld(files);
    await symlink(join(world.folder, "a"), join(world.folder, "link"));
    world.state.cwd = join(world.folder, "link");
    expect((await world.call(new Bash(), { command: "echo hi; cd ." })).text).toBe("hi");
    await world.call(new Bash(), { command: "cd b" });
    expect(world.state.cwd).toBe(join(world.folder, "a/b"));
  });

  it("that a command removed is replaced by the project's, and said so", async () => {
    await using world = await commandWorld(files);
    const { text, state } = await world.call(new Bash(), { command: "mkdir gone; cd gone; rmdir ../gone" });
    expect({ text, state }).toEqual({
      text: `[The working directory is gone; the next command starts in ${world.folder}.]`,
      state: "success",
    });
    expect(world.state.cwd).toBe(world.folder);
  });

  it("that is missing at the start stops the command: it was judged for that place", async () => {
    await using world = await commandWorld(files);
    world.state.cwd = join(world.folder, "nowhere");
    const outcome = await world.call(new Bash(), { command: "touch made" });
    expect(outcome).toMatchObject({
      text: `The working directory ${world.folder}/nowhere doesn't exist or can't be entered; nothing was run. The next command starts in ${world.folder}.`,
      code: "not_found",
    });
    expect(world.state.cwd).toBe(world.folder);
  });

  it("stays where it was when the shell was replaced, and that is said", async () => {
    await using world = await commandWorld(files);
    const { text } = await world.call(new Bash(), { command: "cd a; exec true" });
    expect(text).toContain(`The working directory is still ${world.folder}`);
  });

  it("stays where it was after a timeout", async () => {
    await using world = await commandWorld(files);
    await world.call(new Bash(), { command: "cd a; sleep 307", timeout: 300 });
    expect(world.state.cwd).toBe(world.folder);
  });
});
