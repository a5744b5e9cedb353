import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { parseBackend } from "../../src/cli/backend-choice.ts";
import {
  deployed,
  flagOf,
  HAND_OVER_SECONDS,
  manifestFiles,
  manifestsOf,
  ROOT,
  takes,
  yamlOf,
} from "./files.ts";
import { faultsOf } from "./known-fields.ts";

const labels = z.record(z.string(), z.string());
const object = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional(), labels: labels.optional() }),
});
const probe = z.looseObject({
  httpGet: z.object({ path: z.string(), port: z.string() }).optional(),
  exec: z.object({ command: z.array(z.string()) }).optional(),
});
const container = z.looseObject({
  name: z.string(),
  image: z.string(),
  args: z.array(z.string()),
  env: z.array(
    z.union([
      z.strictObject({ name: z.string(), value: z.string() }),
      z.strictObject({
        name: z.literal("TOOLGATE_POD_OWNER"),
        value: z.undefined().optional(),
        valueFrom: z.strictObject({ fieldRef: z.strictObject({ fieldPath: z.literal("metadata.name") }) }),
      }),
    ]),
  ),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })).default([]),
  startupProbe: probe.optional(),
  readinessProbe: probe.optional(),
  livenessProbe: probe.optional(),
  volumeMounts: z.array(
    z.object({ name: z.string(), mountPath: z.string(), readOnly: z.boolean().optional() }),
  ),
});
const volume = z.strictObject({
  name: z.string(),
  emptyDir: z.strictObject({}).optional(),
  secret: z
    .strictObject({
      secretName: z.literal("toolgate"),
      defaultMode: z.literal(0o440),
      items: z.array(z.strictObject({ key: z.string(), path: z.string() })),
    })
    .optional(),
});
const workload = object.extend({
  kind: z.literal("StatefulSet"),
  spec: z.looseObject({
    serviceName: z.string(),
    replicas: z.number(),
    selector: z.strictObject({ matchLabels: labels }),
    template: z.object({
      metadata: z.object({ labels }),
      spec: z.looseObject({
        serviceAccountName: z.string().optional(),
        terminationGracePeriodSeconds: z.number(),
        containers: z.array(container).length(1),
        volumes: z.array(volume),
      }),
    }),
    volumeClaimTemplates: z.array(z.looseObject({ metadata: z.object({ name: z.string() }) })),
  }),
});
const service = object.extend({
  kind: z.literal("Service"),
  spec: z.looseObject({
    selector: labels,
    ports: z
      .array(z.object({ name: z.string(), port: z.number(), targetPort: z.string().optional() }))
      .default([]),
  }),
});

const base = manifestsOf("kubernetes").map((one) => object.parse(one));
const jobs = manifestsOf("kubernetes", "jobs").map((one) => object.parse(one));
const workloads = jobs.filter(({ kind }) => kind === "StatefulSet").map((one) => workload.parse(one));
const services = jobs.filter(({ kind }) => kind === "Service").map((one) => service.parse(one));
const rows = workloads.map((one) => [one.metadata.name, one.spec] as const);
const ours = rows.filter(([, { template }]) => template.spec.containers[0]?.image === "toolgate");

describe("deploy/kubernetes", () => {
  it.each([...base, ...jobs].map((one) => [`${one.kind} ${one.metadata.name}`, one] as const))(
    "%s says only what Kubernetes knows",
    (_name, one) => {
      expect(faultsOf(`V1${one.kind}`, one)).toEqual([]);
    },
  );

  it("would be told what Kubernetes doesn't know", () => {
    const wrong = {
      spec: { replicas: "4", selector: {}, template: { spec: { containers: [{ nmae: "x" }] } } },
    };
    expect(faultsOf("V1StatefulSet", wrong)).toEqual([
      "spec.replicas is no number",
      "spec.template.spec.containers[0].nmae is unknown",
    ]);
  });
});

describe("deploy/kubernetes/jobs", () => {
  it("is all in the kustomization, in the namespace that there is", () => {
    const listed = z.looseObject({ resources: z.array(z.string()) });
    const { resources } = listed.parse(yamlOf("kubernetes", "jobs", "kustomization.yaml"));
    expect(resources).toEqual(manifestFiles("kubernetes", "jobs"));
    const namespaces = base.filter(({ kind }) => kind === "Namespace").map(({ metadata }) => metadata.name);
    for (const { metadata } of jobs) expect(namespaces).toContain(metadata.namespace);
    expect(jobs.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      "Service toolgate-postgres",
      "NetworkPolicy toolgate-postgres",
      "StatefulSet toolgate-postgres",
      "Service toolgate",
      "StatefulSet toolgate-server",
      "Service toolgate-workers",
      "StatefulSet toolgate-workers",
    ]);
  });

  it.each(rows)("%s selects its own pods, by a service that there is", (_name, spec) => {
    const own = spec.template.metadata.labels;
    expect(own).toMatchObject(spec.selector.matchLabels);
    const named = services.find(({ metadata }) => metadata.name === spec.serviceName);
    expect(named?.spec.selector).toEqual(own);
    const ports = spec.template.spec.containers[0]?.ports ?? [];
    for (const { port, targetPort } of named?.spec.ports ?? []) {
      const behind = ports.find(({ name, containerPort }) => name === targetPort || containerPort === port);
      expect(behind).toBeDefined();
    }
  });

  it.each(rows)(
    "%s is what the Pod Security Standard `restricted` lets in, and more closed",
    (_name, { template }) => {
      const { spec } = template;
      const [only] = spec.containers;
      expect(spec).toMatchObject({
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      });
      expect(Object.keys(spec)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/^host(?!name$)|^initC|^ephemeralC/)]),
      );
      expect(only).toMatchObject({
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        },
        resources: {
          requests: { cpu: expect.any(String), memory: expect.any(String) },
          limits: { memory: expect.any(String) },
        },
      });
    },
  );

  it.each(rows)("%s mounts what there is", (_name, { template, volumeClaimTemplates }) => {
    const { containers, volumes } = template.spec;
    const there = [...volumes, ...volumeClaimTemplates.map(({ metadata }) => metadata)].map(
      ({ name }) => name,
    );
    expect(containers[0]?.volumeMounts.map(({ name }) => name).toSorted()).toEqual(there.toSorted());
    const page = readFileSync(join(ROOT, "docs", "deployment.md"), "utf8");
    for (const { key, path } of volumes.flatMap(({ secret }) => secret?.items ?? [])) {
      for (const text of [page, deployed("kubernetes", "jobs", "kustomization.yaml")]) {
        expect(text).toContain(`--from-file=${key}`);
      }
      const mounted = containers[0]?.volumeMounts.find(({ name }) => name === "secrets")?.mountPath;
      expect(containers[0]?.env.map(({ value }) => value)).toContain(`${mounted}/${path}`);
    }
  });

  it.each(ours)(
    "%s has a command line that the program takes, and rights for its places",
    async (_name, spec) => {
      const { containers, serviceAccountName } = spec.template.spec;
      const args = containers[0]?.args ?? [];
      await takes(args);
      const binding = base.find(({ kind }) => kind === "RoleBinding");
      expect(binding).toMatchObject({
        subjects: [{ kind: "ServiceAccount", name: serviceAccountName, namespace: "toolgate" }],
        roleRef: { name: base.find(({ kind }) => kind === "Role")?.metadata.name },
      });
      const choice = parseBackend(flagOf(args, "--backend") ?? "");
      expect(choice).toMatchObject({ kind: "k8s", namespace: binding?.metadata.namespace });
    },
  );

  it.each(ours)("%s finds the database by the name of its service", (_name, { template }) => {
    const env = template.spec.containers[0]?.env ?? [];
    const { hostname, port, password } = new URL(
      env.find(({ name }) => name === "TOOLGATE_DATABASE_URL")?.value ?? "",
    );
    const named = services.find(({ metadata }) => metadata.name === hostname);
    expect(named?.spec.ports.map((one) => String(one.port))).toEqual([port]);
    expect(password).toBe("");
  });

  it("lets the server and the workers reach Postgres, and nobody else", () => {
    const policy = z
      .looseObject({
        spec: z.looseObject({
          podSelector: z.object({ matchLabels: labels }),
          ingress: z.tuple([
            z.object({
              from: z.tuple([
                z.object({
                  podSelector: z.object({
                    matchExpressions: z.tuple([
                      z.object({ key: z.string(), operator: z.literal("In"), values: z.array(z.string()) }),
                    ]),
                  }),
                }),
              ]),
              ports: z.array(z.object({ port: z.number() })),
            }),
          ]),
        }),
      })
      .parse(jobs.find(({ kind }) => kind === "NetworkPolicy"));
    const [{ from, ports }] = policy.spec.ingress;
    const [{ key, values }] = from[0].podSelector.matchExpressions;
    expect(ours.map(([, { template }]) => template.metadata.labels[key])).toEqual(values);
    const [, postgres] = rows.find(([name]) => name === "toolgate-postgres") ?? [];
    expect(policy.spec.podSelector.matchLabels).toEqual(postgres?.template.metadata.labels);
    expect(ports.map(({ port }) => port)).toEqual(
      postgres?.template.spec.containers[0]?.ports.map(({ containerPort }) => containerPort),
    );
  });

  it("gives workers time to end, and the quota room for what they open", () => {
    const [, spec] = ours.find(([name]) => name === "toolgate-workers") ?? [];
    const args = spec?.template.spec.containers[0]?.args ?? [];
    const grace = Number(flagOf(args, "--grace"));
    expect(spec?.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(grace + HAND_OVER_SECONDS);
    const quota = z
      .looseObject({
        spec: z.object({ hard: z.looseObject({ pods: z.string(), "limits.cpu": z.string() }) }),
      })
      .parse(base.find(({ kind }) => kind === "ResourceQuota")).spec.hard;
    const most = Number(flagOf(args, "--concurrency")) * (spec?.replicas ?? 0);
    expect(Number(quota.pods)).toBeGreaterThan(most);
    expect(Number(quota["limits.cpu"])).toBeGreaterThan(most);
  });
});
