import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { docker, testImage } from "../docker.ts";
import { has } from "../require.ts";
import { startSshd, type TestSshd } from "../sshd.ts";
import { startE2BStandIn } from "../stand-ins/e2b/stand-in.ts";
import { Playground } from "./toolgate.ts";

let play: Playground;
beforeAll(async () => {
  play = await new Playground().make();
  mkdirSync(join(play.project, "sub"));
  writeFileSync(join(play.project, "sub", "a.txt"), "in the project\n");
});
afterAll(() => play[Symbol.dispose]());

const bash = (command: string): string => JSON.stringify({ command });

describe("--backend", { timeout: 60_000 }, () => {
  it("says what it takes, and takes nothing else", async () => {
    const wrong = await play.run(["call", "Bash", bash("ls"), "--backend", "docker:"]);
    expect(wrong).toMatchObject({ code: 2, stdout: "" });
    expect(wrong.stderr).toMatch(/"docker:" is no backend\. Its form is docker:IMAGE/);
    for (const command of ["call", "explain", "mcp", "serve", "chat"]) {
      const { stdout } = await play.run([command, "--help"]);
      expect(stdout.replaceAll(/\s+/g, " "), command).toContain("local, bubblewrap, docker:IMAGE, ssh:");
    }
  });

  it.skipIf(!has("bwrap"))("bubblewrap: the project is there, and nothing else of the machine", async () => {
    const outside = join(play.root, "secret.txt");
    writeFileSync(outside, "secret");
    const look = bash(`cat sub/a.txt; cat ${outside}; ls ${play.home}`);
    const ended = await play.run(["call", "Bash", look, "--backend", "bubblewrap", "--mode", "bypass"]);
    expect(ended.stdout).toMatch(/^in the project\n/);
    expect(ended.stdout).not.toMatch(/^secret/m);
    const write = await play.run([
      "call",
      "Bash",
      bash("echo x > made.txt; pwd"),
      "--backend",
      "bubblewrap",
      "--yes",
    ]);
    expect(write.code).toBe(0);
    expect(readFileSync(join(play.project, "made.txt"), "utf8")).toBe("x\n");
    const below = await play.run([
      "call",
      "Read",
      '{"file_path":"a.txt"}',
      "--backend",
      "bubblewrap",
      "--cwd",
      join(play.project, "sub"),
    ]);
    expect(below.stdout).toContain("in the project");
  });

  it.skipIf(!has("bwrap"))(
    "is judged in the place: its own home, and rules of the project's own paths",
    async () => {
      const explained = await play.run([
        "explain",
        "cat ~/.ssh/id_ed25519",
        "--backend",
        "bubblewrap",
        "--json",
      ]);
      expect(JSON.stringify(JSON.parse(explained.stdout).effects)).not.toContain(play.home);
      for (const path of ["sub/**", `/${join(play.project, "sub")}/**`]) {
        const rule = ["--rule", `deny:Read(${path})`];
        const look = bash("cat sub/a.txt");
        expect((await play.run(["call", "Bash", look, "--backend", "bubblewrap", ...rule])).code, path).toBe(
          3,
        );
      }
    },
  );

  it.skipIf(!has("bwrap"))(
    "a session stays where it was begun, and a question that waits runs there",
    async () => {
      const session = ["--session", "s1"];
      const first = await play.run([
        "call",
        "Bash",
        bash("cd sub && pwd"),
        "--backend",
        "bubblewrap",
        ...session,
        "--mode",
        "bypass",
      ]);
      expect(first.code).toBe(0);
      const elsewhere = await play.run(["call", "Bash", bash("pwd"), ...session]);
      expect(elsewhere.code).toBe(2);
      expect(elsewhere.stderr).toMatch(
        /was begun in bubblewrap, and can't go on in local\. Add --backend bubblewrap/,
      );
      const asked = await play.run(["call", "Bash", bash("touch asked.txt"), "--backend", "bubblewrap"]);
      expect(asked.code).toBe(4);
      const [, rest = ""] =
        /toolgate (approvals approve \S+ --run --backend bubblewrap.*)/.exec(asked.stderr) ?? [];
      const [, , id = ""] = rest.split(" ");
      expect((await play.run(["approvals", "show", id])).stdout).toContain(rest.trim());
      const done = await play.run(rest.trim().split(" "));
      expect(done).toMatchObject({ code: 0 });
      expect(existsSync(join(play.project, "asked.txt"))).toBe(true);
    },
  );

  it.skipIf(!has("bwrap"))("comes from the settings, where a project may only tighten", async () => {
    const settings = join(play.project, ".toolgate", "settings.json");
    mkdirSync(join(settings, ".."), { recursive: true });
    writeFileSync(settings, '{ "backend": "bubblewrap" }');
    expect((await play.run(["call", "Bash", bash("echo $HOME"), "--mode", "bypass"])).stdout).not.toContain(
      play.home,
    );
    writeFileSync(settings, '{ "backend": "ssh:evil.example.com/x" }');
    const left = await play.run(["call", "Bash", bash("pwd")]);
    expect(left.stdout.trim()).toBe(play.project);
    expect(left.stderr).toContain("left out until the project is trusted: backend ssh:evil.example.com/x");
    writeFileSync(settings, "{}");
  });

  it.skipIf(!has("docker"))(
    "docker: the project is there under its own path, and the container goes",
    async () => {
      const image = testImage();
      const mine = () => docker(["ps", "-aq", "--filter", `volume=${play.project}`]);
      const args = ["--backend", `docker:${image}`, "--yes"];
      const ended = await play.run([
        "call",
        "Bash",
        bash("pwd; cat sub/a.txt; echo y > there.txt; ls /home"),
        ...args,
      ]);
      expect(ended).toMatchObject({ code: 0, stdout: `${play.project}\nin the project\nsomebody\n` });
      expect(readFileSync(join(play.project, "there.txt"), "utf8")).toBe("y\n");
      expect(mine()).toBe("");
      const asked = await play.run([
        "call",
        "Bash",
        bash("touch asked2.txt"),
        "--backend",
        `docker:${image}`,
      ]);
      const [, rest = ""] = /toolgate (approvals approve \S+ --run --backend \S+)/.exec(asked.stderr) ?? [];
      expect(await play.run(rest.split(" "))).toMatchObject({ code: 0 });
      expect(existsSync(join(play.project, "asked2.txt"))).toBe(true);
    },
  );

  it.skipIf(!has("bwrap"))(
    "e2b: a session with a name finds its sandbox again, against a stand-in of E2B",
    async () => {
      await using standIn = await startE2BStandIn();
      const { apiKey, apiUrl, sandboxUrl } = standIn.options;
      const env = { E2B_API_KEY: apiKey, E2B_API_URL: apiUrl, E2B_SANDBOX_URL: sandboxUrl };
      const visit = [
        "call",
        "Bash",
        bash("echo v >> visits; wc -l < visits; pwd"),
        "--backend",
        "e2b:base",
        "--mode",
        "bypass",
      ];
      expect((await play.run([...visit, "--session", "e"], "", env)).stdout).toBe("1\n/home/user\n");
      expect((await play.run([...visit, "--session", "e"], "", env)).stdout).toBe("2\n/home/user\n");
      expect((await play.run(visit, "", env)).stdout).toBe("1\n/home/user\n");
    },
  );

  it("doctor says of each whether it can be used here", async () => {
    const { checks } = JSON.parse((await play.run(["doctor", "--json"])).stdout);
    const named = new Map(
      checks.map((check: { readonly name: string; readonly detail: string }) => [check.name, check.detail]),
    );
    expect(named.get("e2b")).toMatch(/^not usable here: .*E2B_API_KEY/);
    expect(named.get("k8s")).toMatch(/^not usable here: .*kubeconfig/);
    for (const name of ["bubblewrap", "docker", "ssh"]) expect(named.get(name), name).toBeTypeOf("string");
  });
});

describe.skipIf(!has("sshd"))("--backend ssh", { timeout: 60_000 }, () => {
  let sshd: TestSshd;
  beforeAll(async () => {
    sshd = await startSshd();
    const ssh = join(play.home, ".ssh");
    mkdirSync(ssh, { mode: 0o700 });
    writeFileSync(join(ssh, "id_ed25519"), readFileSync(join(sshd.folder, "client")), { mode: 0o600 });
    writeFileSync(join(ssh, "known_hosts"), readFileSync(join(sshd.folder, "known_hosts")));
  });
  afterAll(() => sshd.dispose());

  it("works in the directory there, with the user's own keys and known hosts", async () => {
    const there = join(play.root, "there");
    mkdirSync(there);
    const place = `ssh:${sshd.user}@127.0.0.1:${sshd.port}${there}`;
    const ended = await play.run([
      "call",
      "Write",
      '{"file_path":"a.txt","content":"over ssh"}',
      "--backend",
      place,
      "--yes",
    ]);
    expect(ended).toMatchObject({ code: 0 });
    expect(readFileSync(join(there, "a.txt"), "utf8")).toBe("over ssh");
    const read = await play.run([
      "call",
      "Bash",
      bash("pwd; cat a.txt; exit 3"),
      "--backend",
      place,
      "--mode",
      "bypass",
    ]);
    expect(read.stdout).toContain(`${there}\nover ssh`);
    expect(read.code).toBe(1);
    writeFileSync(join(play.home, ".ssh", "known_hosts"), "");
    const unknown = await play.run(["call", "Bash", bash("pwd"), "--backend", place]);
    expect(unknown).toMatchObject({ code: 1, stdout: "" });
  });
});
