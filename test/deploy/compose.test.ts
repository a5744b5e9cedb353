import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { parseBackend } from "../../src/cli/backend-choice.ts";
import { deployed, flagOf, HAND_OVER_SECONDS, ROOT, takes, yamlOf } from "./files.ts";

const service = z.looseObject({
  command: z.array(z.string()),
  user: z.string().optional(),
  stop_grace_period: z.string().regex(/^\d+s$/),
  restart: z.literal("unless-stopped"),
  security_opt: z.tuple([z.literal("no-new-privileges:true")]),
  environment: z.record(z.string(), z.string()),
  secrets: z.array(z.string()),
  volumes: z.array(z.string()),
  networks: z.array(z.string()),
  ports: z.array(z.string()).default([]),
  logging: z.object({ options: z.object({ "max-size": z.string(), "max-file": z.string() }) }),
});
const { services, ...defined } = z
  .looseObject({
    services: z.object({ postgres: service, server: service, worker: service }),
    networks: z.record(z.string(), z.unknown()),
    secrets: z.record(z.string(), z.object({ file: z.string() })),
    volumes: z.record(z.string(), z.unknown()),
  })
  .parse(yamlOf("compose", "compose.yaml"));
const ours = Object.entries(services).filter(([name]) => name !== "postgres");
const text = deployed("compose", "compose.yaml") + deployed("compose", "docker.yaml");
const page = readFileSync(join(ROOT, "docs", "deployment.md"), "utf8");

/** Whether there is time to end after what was granted to jobs. */
function endsInTime({ command, stop_grace_period: stop }: z.infer<typeof service>): void {
  expect(Number.parseInt(stop, 10)).toBeGreaterThan(Number(flagOf(command, "--grace")) + HAND_OVER_SECONDS);
}

describe("deploy/compose", () => {
  it.each(ours)("%s has a command line that the program takes", async (_name, { command }) => {
    await takes(command);
  });

  it("gives workers time to end", () => {
    endsInTime(services.worker);
  });

  it.each(ours)("%s can write nowhere but in volumes, as nobody special", (_name, { user, ...rest }) => {
    expect(rest).toMatchObject({ read_only: true, cap_drop: ["ALL"], init: true });
    expect(user).toBe("${TOOLGATE_USER:-node}");
  });

  it.each(Object.entries(services))("%s uses what is defined", (_name, { secrets, volumes, networks }) => {
    expect(Object.keys(defined.secrets)).toEqual(expect.arrayContaining(secrets));
    expect(Object.keys(defined.networks).concat("default")).toEqual(expect.arrayContaining(networks));
    const named = volumes.flatMap((volume) => /^(?:\$\{\w+:-)?(\w+)\}?:/.exec(volume)?.[1] ?? []);
    expect(named).toHaveLength(volumes.length);
    expect(Object.keys(defined.volumes)).toEqual(expect.arrayContaining(named));
  });

  it("has nothing secret in what `docker inspect` shows", () => {
    for (const { environment } of Object.values(services)) {
      for (const name of Object.keys(environment)) expect(name).not.toMatch(/TOKEN|KEY|PASSWORD$/);
      expect(Object.values(environment).join(" ")).not.toMatch(/:[^/@]*@/);
    }
  });

  it("shows the server to this machine only, and Postgres to nobody", () => {
    expect(services.server.ports).toEqual(["127.0.0.1:${TOOLGATE_PORT:-4780}:4780"]);
    expect(flagOf(services.server.command, "--port")).toBe("4780");
    expect(services.postgres.ports).toEqual([]);
    expect(services.postgres.networks).toEqual(["database"]);
    expect(defined.networks.database).toEqual({ internal: true });
  });

  it("docker.yaml adds workers of a queue of their own, the only ones with the engine's socket", async () => {
    const { services: added } = z
      .looseObject({
        services: z.object({
          "docker-worker": z.looseObject({
            extends: z.object({ file: z.literal("compose.yaml"), service: z.literal("worker") }),
            command: z.array(z.string()),
            volumes: z.array(z.string()),
          }),
        }),
      })
      .parse(yamlOf("compose", "docker.yaml"));
    const { command, volumes } = added["docker-worker"];
    await takes(command);
    endsInTime({ ...services.worker, command });
    expect(flagOf(command, "--queue")).not.toBe("default");
    const backend = flagOf(command, "--backend")?.replace(/\$\{\w+:-(.*)\}/, "$1") ?? "";
    expect(parseBackend(backend)).toEqual({ kind: "docker", image: "debian:12" });
    expect(volumes).toEqual(["/var/run/docker.sock:/var/run/docker.sock"]);
    for (const { volumes: others } of Object.values(services)) {
      expect(others.join()).not.toContain("docker.sock");
    }
  });

  it("has every variable and every secret file on its page", () => {
    const variables = new Set([...text.matchAll(/\$\{(\w+)/g)].map((match) => match[1] ?? ""));
    for (const name of variables) expect(page).toContain(`\`${name}\``);
    for (const { file } of Object.values(defined.secrets)) {
      const name = file.slice(file.lastIndexOf("/") + 1);
      expect(page).toContain(`> ${name}`);
    }
  });
});
