import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { deployed, manifestsOf, yamlOf } from "../deploy/files.ts";
import { ModelServer } from "../model-server.ts";
import { startPostgres, type TestPostgres } from "../postgres.ts";
import { has } from "../require.ts";
import { type StandIn, startStandIn } from "../stand-ins/kubernetes/stand-in.ts";
import { Playground, PROGRAM, until } from "./toolgate.ts";

const probe = z.looseObject({ httpGet: z.object({ path: z.string() }) });
const rules = z.looseObject({
  kind: z.literal("Role"),
  rules: z.array(
    z.object({ apiGroups: z.array(z.string()), resources: z.array(z.string()), verbs: z.array(z.string()) }),
  ),
});
const workload = z.looseObject({
  kind: z.literal("StatefulSet"),
  spec: z.looseObject({
    template: z.looseObject({
      spec: z.looseObject({
        containers: z.tuple([
          z.looseObject({
            image: z.literal("toolgate"),
            name: z.string(),
            args: z.array(z.string()),
            startupProbe: probe.optional(),
            readinessProbe: probe.optional(),
            livenessProbe: probe.optional(),
          }),
        ]),
      }),
    }),
  }),
});
const containers = manifestsOf("kubernetes", "jobs").flatMap(
  (one) => workload.safeParse(one).data?.spec.template.spec.containers ?? [],
);
const role = manifestsOf("kubernetes").flatMap((one) => rules.safeParse(one).data ?? []);
const { services } = z
  .looseObject({
    services: z.looseObject({
      server: z.looseObject({ healthcheck: z.looseObject({ test: z.array(z.string()) }) }),
    }),
  })
  .parse(yamlOf("compose", "compose.yaml"));

/** What the manifests start, as the image starts it, with a cluster and a model that are stand-ins. */
describe.skipIf(!has("postgres") || !has("bwrap"))("what deploy starts", { timeout: 120_000 }, () => {
  let database: TestPostgres;
  let cluster: StandIn;
  let model: ModelServer;
  let play: Playground;
  const started: ChildProcess[] = [];

  beforeAll(async () => {
    [database, cluster, model, play] = await Promise.all([
      startPostgres(),
      startStandIn({ rules: role.flatMap((one) => one.rules) }),
      ModelServer.start(),
      new Playground().make(),
    ]);
    const secrets = [
      "TOOLGATE_TOKEN=0123456789abcdef-token",
      "TOOLGATE_MODEL=openai/scripted",
      `OPENAI_BASE_URL=${model.url}`,
    ];
    writeFileSync(join(play.root, "toolgate.env"), `${secrets.join("\n")}\n`);
    // The image's way to start the program, for where it is here.
    const starter = deployed("image", "toolgate").replaceAll("/opt/toolgate/bin/toolgate", PROGRAM);
    writeFileSync(join(play.root, "toolgate"), starter.replaceAll("exec node", `exec ${process.execPath}`));
  }, 60_000);

  afterAll(async () => {
    for (const child of started) await stop(child, "SIGKILL");
    await Promise.all([database, cluster, model].map((one) => one[Symbol.asyncDispose]()));
    play[Symbol.dispose]();
  });

  function start(args: readonly string[]): ChildProcess {
    const child = spawn("/bin/sh", [join(play.root, "toolgate"), ...args], {
      cwd: play.project,
      env: {
        ...play.env,
        KUBECONFIG: cluster.kubeconfig,
        TOOLGATE_DATABASE_URL: database.url,
        TOOLGATE_POD_OWNER: "toolgate-worker-0",
        TOOLGATE_ENV_FILE: join(play.root, "toolgate.env"),
        NODE_NO_WARNINGS: "1",
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    started.push(child);
    return child;
  }

  async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
    return child.exitCode;
  }

  /** A container of the manifests, here: its first line, and what it was started with. */
  async function run(name: string, change: (arg: string) => string): Promise<[ChildProcess, unknown]> {
    const args = containers.find((one) => one.name === name)?.args ?? [];
    const child = start([...args.map(change), "--json"]);
    if (child.stdout === null) throw new Error("There is no output.");
    const [line] = await once(createInterface(child.stdout), "line", { signal: AbortSignal.timeout(60_000) });
    return [child, JSON.parse(String(line))];
  }

  async function jobs(...args: string[]): Promise<string> {
    const child = start(["jobs", ...args]);
    let text = "";
    child.stdout?.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
    await once(child, "close");
    return text;
  }

  const podNames = (): readonly string[] =>
    cluster.cluster.pods.list(cluster.namespace).map(({ metadata }) => metadata.name);

  const here = (arg: string): string => arg.replace("toolgate-sandboxes", cluster.namespace);

  it("has a server that its probes find well, and that ends when it is told to", async () => {
    const [server, said] = await run("server", (arg) => (arg === "4780" ? "0" : here(arg)));
    const { url, token } = z.object({ url: z.string(), token: z.string() }).parse(said);
    expect(token).toBe("0123456789abcdef-token");
    const { startupProbe, readinessProbe, livenessProbe } =
      containers.find(({ name }) => name === "server") ?? {};
    for (const each of [startupProbe, readinessProbe, livenessProbe]) {
      const { status } = await fetch(`${url}${each?.httpGet.path}`);
      expect(status).toBe(200);
    }
    const [kind, program, ...args] = services.server.healthcheck.test;
    expect([kind, program]).toEqual(["CMD", "node"]);
    const check = (): unknown =>
      execFileSync(
        process.execPath,
        args.map((arg) => arg.replace("4780", new URL(url).port)),
        { timeout: 20_000 },
      );
    check();
    expect(await stop(server, "SIGTERM")).toBe(0);
    expect(check).toThrow();
  });

  it("has workers that run jobs in pods of their own, with the rights that they are given, and go on where one ended", async () => {
    model.add(
      { calls: [{ name: "Bash", arguments: { command: "pwd; hostname" } }] },
      { text: "It is there." },
      { calls: [{ name: "Bash", arguments: { command: "touch begun; sleep 120" } }] },
      { text: "It was cut off." },
    );
    const change = (arg: string): string => (arg === "45" ? "1" : here(arg));
    const [first] = await run("worker", change);
    await jobs("start", "Look.", "--id", "look", "--mode", "bypass");
    expect(await jobs("show", "look", "--follow")).toContain("✓ completed");
    expect(JSON.stringify(model.requests[1]?.messages)).toMatch(/\/workspace\\+ntoolgate-/);
    await until(() => cluster.cluster.pods.list(cluster.namespace).length === 0);
    await jobs("start", "Sleep.", "--id", "sleep", "--mode", "bypass");
    await until(async () => (await jobs("show", "sleep")).includes("sleep 120"), 60_000);
    const left = podNames();
    expect(left).toHaveLength(1);
    expect(await stop(first, "SIGTERM")).toBe(0);
    const [second] = await run("worker", change);
    expect(podNames()).not.toContain(left[0]);
    expect(await jobs("show", "sleep", "--follow")).toContain("It was cut off.");
    await stop(second, "SIGTERM");
    const granted = role.flatMap((one) =>
      one.rules.flatMap(({ resources, verbs }) =>
        resources.flatMap((of) => verbs.map((verb) => `${verb} ${of}`)),
      ),
    );
    expect(granted).toEqual(expect.arrayContaining([...cluster.access.asked]));
  });
});
