import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Backend } from "../../backend.ts";
import { localBackend } from "../../backends/local.ts";
import { Toolkit } from "../../toolkit/toolkit.ts";
import { Bash } from "../bash.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "no-bash-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** This machine as it would be without bash: what a small image is like. */
function withoutBash(): Backend {
  const local = localBackend({ cwd: folder });
  const hidden: Pick<Backend, "id" | "stat" | "exec"> = {
    id: "no-bash",
    stat: (path) => local.stat(path.endsWith("/bash") ? "/nowhere" : path),
    exec: (argv, options) =>
      argv.at(-1)?.startsWith("command -v bash") === true
        ? local.exec(["false"], options)
        : local.exec(argv, options),
  };
  return new Proxy(local, {
    get: (target, name) => Reflect.get(name in hidden ? hidden : target, name),
  });
}

describe("Bash where there is no bash", () => {
  const toolkit = new Toolkit({
    tools: [new Bash()],
    backend: withoutBash(),
    cwd: folder,
    mode: "acceptEdits",
  });
  const run = (command: string) => toolkit.execute("Bash", { command });

  const rows: readonly (readonly [string, string])[] = [
    ["echo a; echo b >&2; echo c", "a\nb\nc"],
    ["printf '%s\\n' \"$# $0\"", "0 sh"],
    ["mkdir -p sub && cd sub && pwd", `${folder}/sub`],
    ["pwd", `${folder}/sub`],
    ["cd ..; false", "Exit code 1"],
    ["pwd", folder],
    ["(cd sub); pwd", folder],
    ["set -e; false; echo never", "Exit code 1"],
    ["cat <<'E' | wc -l\na\nb\nE", "2"],
    ['set -u; echo "${x:-unset}"', "unset"],
    ["x=$(ls -d sub); echo $x", "sub"],
  ];
  it.each(rows)("%s", async (command, expected) => {
    const { text } = await run(command);
    expect(text).toContain(expected);
    expect(text).not.toContain("toolgate-");
  });

  it.each(["echo {a,b}", "cat <(ls)", "ls &> sub/x", "[[ -d sub ]]", "ls $'sub'"])(
    "asks before %s, which sh reads otherwise",
    async (command) => {
      const { state, text } = await run(command);
      expect(state).toBe("denied");
      expect(text).toContain("sh");
    },
  );

  it("runs in the background too", async () => {
    const { text, state } = await toolkit.execute("Bash", { command: "sleep 0.01", run_in_background: true });
    expect([state, text]).toEqual(["success", expect.stringContaining("Started in the background")]);
  });
});
