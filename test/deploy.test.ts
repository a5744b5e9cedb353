import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { addJobs, addWorker } from "../src/cli/program/jobs.ts";
import { addServing } from "../src/cli/program/serving.ts";

const DEPLOY = resolve(import.meta.dirname, "../deploy");
const KUBERNETES = join(DEPLOY, "kubernetes", "jobs");

const pod = z.looseObject({
  terminationGracePeriodSeconds: z.number().optional(),
  securityContext: z.looseObject({ runAsNonRoot: z.literal(true) }),
  containers: z.array(
    z.looseObject({
      image: z.string(),
      args: z.array(z.string()),
      securityContext: z.looseObject({ allowPrivilegeEscalation: z.literal(false) }),
      resources: z.looseObject({ limits: z.looseObject({ memory: z.string() }) }),
    }),
  ),
});
const workload = z.looseObject({
  kind: z.string(),
  spec: z.looseObject({ template: z.looseObject({ spec: pod }).optional() }),
});
const compose = z.looseObject({
  services: z.record(
    z.string(),
    z.looseObject({ command: z.array(z.string()).optional(), stop_grace_period: z.string().optional() }),
  ),
});

/** Whether the program takes a command line as it is. */
async function takes(args: readonly string[]): Promise<void> {
  const program = new Command().exitOverride();
  let ran = false;
  const does = () => async () => {
    ran = true;
  };
  addServing(program, does, "0");
  addWorker(program, does);
  addJobs(program.command("jobs"), does);
  await program.parseAsync([...args], { from: "user" });
  expect(ran).toBe(true);
}

function graceOf(args: readonly string[]): number {
  return Number(args[args.indexOf("--grace") + 1]);
}

describe("what is in deploy for jobs", () => {
  it("compose: a server, workers and Postgres, by flags that there are, and with time to end", async () => {
    const text = readFileSync(join(DEPLOY, "compose", "compose.yaml"), "utf8");
    const { services } = compose.parse(parse(text, { merge: true }));
    expect(Object.keys(services)).toEqual(["postgres", "server", "worker"]);
    for (const name of ["server", "worker"]) await takes(services[name]?.command ?? []);
    const { command = [], stop_grace_period: stop } = services.worker ?? {};
    expect(Number.parseInt(stop ?? "", 10)).toBeGreaterThan(graceOf(command));
  });

  it("Kubernetes: a server, workers and Postgres, by flags that there are, confined, and with time to end", async () => {
    const files = readdirSync(KUBERNETES).filter((file) => file.startsWith("jobs-"));
    const listed = parse(readFileSync(join(KUBERNETES, "kustomization.yaml"), "utf8"));
    expect(z.looseObject({ resources: z.array(z.string()) }).parse(listed).resources).toEqual(files.sort());
    const found: string[] = [];
    for (const file of files) {
      for (const document of parseAllDocuments(readFileSync(join(KUBERNETES, file), "utf8"))) {
        expect(document.errors).toEqual([]);
        const { kind, spec } = workload.parse(document.toJS());
        found.push(kind);
        const { containers = [], terminationGracePeriodSeconds: stop = 0 } = spec.template?.spec ?? {};
        for (const { image, args } of containers.filter((one) => one.image === "toolgate")) {
          expect(image).toBe("toolgate");
          await takes(args);
          if (args[0] === "worker") expect(stop).toBeGreaterThan(graceOf(args));
        }
      }
    }
    expect(found.sort()).toEqual(["Deployment", "Deployment", "Service", "Service", "StatefulSet"]);
  });
});
