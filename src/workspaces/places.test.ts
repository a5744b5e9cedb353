import { chmod, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { tarGzArchive, zipArchive } from "../../test/archives.ts";
import { type BusyboxRoot, busyboxRoot } from "../../test/busybox-root.ts";
import { testImage } from "../../test/docker.ts";
import { has } from "../../test/require.ts";
import { startSshd } from "../../test/sshd.ts";
import { type E2BStandIn, startE2BStandIn } from "../../test/stand-ins/e2b/stand-in.ts";
import { spawnStandIn } from "../../test/stand-ins/kubernetes/spawn-stand-in.ts";
import { testFolder } from "../../test/test-folder.ts";
import { accessTo } from "../backends/ssh/fixtures/access.ts";
import { defineTool } from "../define-tool.ts";
import { Toolkit } from "../toolkit/toolkit.ts";
import { BubblewrapWorkspace } from "./bubblewrap.ts";
import { DockerWorkspace } from "./docker.ts";
import { E2BWorkspace } from "./e2b.ts";
import { KubernetesWorkspace } from "./kubernetes.ts";
import { LocalWorkspace } from "./local.ts";
import { SshWorkspace } from "./ssh.ts";
import { Workspace } from "./workspace.ts";

const FIXTURES = resolve(import.meta.dirname, "fixtures");

/** What a place is made with, before all and after all. */
interface World extends AsyncDisposable {
  workspace(): Workspace;
}

interface Row {
  readonly name: string;
  /** A place that starts empty is empty again after a reset. */
  readonly isOwn: boolean;
  readonly isHere: () => boolean;
  readonly world: () => Promise<World>;
}

const none = async (): Promise<void> => undefined;

const PLACES: readonly Row[] = [
  {
    name: "this machine",
    isOwn: true,
    isHere: () => true,
    world: async () => ({ workspace: () => new LocalWorkspace(), [Symbol.asyncDispose]: none }),
  },
  {
    name: "bubblewrap",
    isOwn: true,
    isHere: () => has("bwrap"),
    world: async () => ({ workspace: () => new BubblewrapWorkspace(), [Symbol.asyncDispose]: none }),
  },
  {
    name: "a place with nothing but busybox",
    isOwn: true,
    isHere: () => has("bwrap") && has("busybox"),
    async world() {
      const root: BusyboxRoot = await busyboxRoot();
      return {
        workspace: () => new Workspace({ open: async () => (await root.place()).backend }),
        [Symbol.asyncDispose]: () => root.remove(),
      };
    },
  },
  {
    name: "Docker",
    isOwn: true,
    isHere: () => has("docker"),
    world: async () => {
      const name = `toolgate-places-${process.pid}`;
      const { removeDockerContainer } = await import("../backends/docker/remove.ts");
      return {
        workspace: () => new DockerWorkspace({ image: testImage(), name, memoryMiB: 256 }),
        [Symbol.asyncDispose]: () => removeDockerContainer(name),
      };
    },
  },
  {
    name: "a machine over SSH",
    isOwn: false,
    isHere: () => has("sshd"),
    async world() {
      const [sshd, { folder, remove }] = await Promise.all([startSshd(), testFolder()]);
      return {
        workspace: () => new SshWorkspace({ ...accessTo(sshd), path: folder }),
        async [Symbol.asyncDispose]() {
          await sshd.dispose();
          await remove();
        },
      };
    },
  },
  {
    name: "E2B, against its stand-in",
    isOwn: true,
    isHere: () => has("bwrap"),
    async world() {
      const standIn: E2BStandIn = await startE2BStandIn();
      return {
        workspace: () => new E2BWorkspace({ ...standIn.options, name: "places" }),
        [Symbol.asyncDispose]: () => standIn[Symbol.asyncDispose](),
      };
    },
  },
  {
    name: "Kubernetes, against its stand-in",
    isOwn: true,
    isHere: () => has("bwrap"),
    async world() {
      const { kubeconfig, ...standIn } = await spawnStandIn();
      return {
        workspace: () =>
          new KubernetesWorkspace({ kubeconfig, image: "debian:12", name: "places", keep: true }),
        [Symbol.asyncDispose]: () => standIn[Symbol.asyncDispose](),
      };
    },
  },
];

const SKILL = "---\nname: greet\ndescription: Greets.\n---\nRun greet.sh.\n";

describe.each(PLACES)("a workspace in $name", { timeout: 60_000 }, ({ isHere, isOwn, world }) => {
  const skipped = !isHere();
  let folder = "";
  let remove: () => Promise<void>;
  let made: World;
  let workspace: Workspace;

  beforeAll(async () => {
    if (skipped) return;
    ({ folder, remove } = await testFolder());
    made = await world();
    workspace = made.workspace();
    await workspace.initialize();
  }, 60_000);
  afterAll(async () => {
    if (skipped) return;
    await workspace.reset();
    await workspace.close();
    await made[Symbol.asyncDispose]();
    await remove();
  }, 60_000);

  it.skipIf(skipped)("takes a folder and gives it back", async () => {
    const from = join(folder, "from");
    await mkdir(join(from, "bin/empty"), { recursive: true });
    await writeFile(join(from, "bin/run.sh"), "#!/bin/sh\necho it runs\n");
    await chmod(join(from, "bin/run.sh"), 0o750);
    await writeFile(join(from, "big"), Buffer.alloc(3_000_001, "abcdefg"));
    await writeFile(join(from, "ein schöner Name"), "");
    await symlink("bin/run.sh", join(from, "run"));
    await symlink("/etc/passwd", join(from, "outside"));
    const up = await workspace.upload(from, "sub/project");
    expect(up).toEqual({ entries: 7, bytes: 3_000_024, skipped: [] });
    const { workdir } = workspace;
    let said = "";
    await workspace.getBackend().exec(["./run"], {
      cwd: `${workdir}/sub/project`,
      onOutput: (bytes) => {
        said += Buffer.from(bytes);
      },
    });
    expect(said).toBe("it runs\n");
    const down = await workspace.download("sub/project", join(folder, "back"));
    expect(down.skipped).toEqual(["outside leads outside, to /etc/passwd"]);
    expect((await readdir(join(folder, "back"))).sort()).toEqual(["big", "bin", "ein schöner Name", "run"]);
    const [sent, received] = await Promise.all(
      [from, join(folder, "back")].map((at) => readFile(join(at, "big"))),
    );
    expect(sent?.equals(received ?? Buffer.alloc(0))).toBe(true);
    expect(await readlink(join(folder, "back/run"))).toBe("bin/run.sh");
    expect((await stat(join(folder, "back/bin/run.sh"))).mode & 0o777).toBe(0o750);
    await expect(workspace.upload(from, "sub/project")).rejects.toMatchObject({ code: "already_exists" });
    await expect(workspace.upload(from, "more", { maxBytes: 1000 })).rejects.toMatchObject({
      code: "too_large",
    });
    expect((await workspace.getBackend().list(workdir)).map(({ name }) => name)).not.toContain("more");
  });

  it.skipIf(skipped)("takes skills and shows them", async () => {
    const entries = [
      { name: "greet/SKILL.md", content: SKILL },
      { name: "greet/greet.sh", content: "echo hello\n", mode: 0o755 },
    ];
    const skill = await workspace.addSkillArchive(tarGzArchive(entries));
    expect(skill.directory).toBe(`${workspace.workdir}/.toolgate/workspace/skills/greet`);
    await workspace.addSkillArchive(zipArchive(entries), { replace: true });
    const evil = [...entries, { name: "greet/l", type: "2", link: "/" }];
    await expect(workspace.addSkillArchive(tarGzArchive(evil))).rejects.toMatchObject({
      code: "invalid_input",
    });
    await using toolkit = new Toolkit({ backend: workspace.getBackend(), skills: [workspace] });
    expect((await toolkit.execute("Skill", { skill: "greet" })).text).toContain("Run greet.sh.");
  });

  it.skipIf(skipped)("runs MCP servers inside, and keeps what a conversation is too small for", async () => {
    await workspace.upload(FIXTURES, "servers");
    await workspace.addMcp("inside", { command: "sh", args: ["mcp-server.sh"], cwd: "servers" });
    expect(workspace.listMcp()).toMatchObject([{ name: "inside", status: "ready", problems: [] }]);
    await using toolkit = new Toolkit({ backend: workspace.getBackend(), mode: "bypass" });
    using _attached = workspace.attachMcp(toolkit);
    const answer = await toolkit.execute("mcp__inside__where", {});
    expect(answer.text.split(" ")[0]).toBe(`${workspace.workdir}/servers`);
    await workspace.restartMcp("inside");
    expect((await toolkit.execute("mcp__inside__where", {})).state).toBe("success");
    expect(await workspace.removeMcp("inside")).toBe(true);

    const { url } = await workspace.offloadToolResult("s", "c", "kept text");
    expect(Buffer.from(await workspace.readOffloaded(url, { offset: 5 })).toString()).toBe("text");
    expect(await workspace.getInstructions()).toMatch(/Programs: .*tar/);
  });

  it.skipIf(skipped)("keeps an answer that is too long in the place", async () => {
    const backend = workspace.getBackend();
    const call = async (): Promise<string> => "a line of text\n".repeat(50_000);
    const long = defineTool({ name: "long", description: "d", input: z.object({}), isReadOnly: true, call });
    await using toolkit = new Toolkit({ backend, tools: [long] });
    const { text } = await toolkit.execute("long", {});
    const path = /\S*answer-\S+\.txt/.exec(text)?.[0] ?? "";
    expect(path.startsWith(backend.scratch)).toBe(true);
    expect((await backend.stat(path)).size).toBe(750_000);
    await backend.remove(path);
  });

  it.skipIf(skipped)("is made anew by a reset, and its backend goes on", async () => {
    const backend = workspace.getBackend();
    await backend.writeFile(`${workspace.workdir}/left`, Buffer.from("x"));
    await workspace.offloadToolResult("s", "c", "text");
    await workspace.reset();
    const { workdir } = workspace;
    expect((await backend.list(workdir)).map(({ name }) => name).includes("left")).toBe(!isOwn);
    await expect(backend.stat(`${workdir}/.toolgate/workspace`)).rejects.toMatchObject({ code: "not_found" });
    expect(await workspace.isAlive()).toBe(true);
    await workspace.close();
    await workspace.initialize();
    expect(await workspace.isAlive()).toBe(true);
  });
});
