import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { z } from "zod";
import { has } from "../../../test/require.ts";
import { startStandIn } from "../../../test/stand-ins/kubernetes/stand-in.ts";
import { kubernetesBackend, removeKubernetesOrphans } from "../kubernetes.ts";
import { connect } from "./client.ts";
import { openPod } from "./pod.ts";
import { podFor } from "./pod-spec.ts";

const FOLDER = resolve(import.meta.dirname, "../../../deploy/kubernetes");

const manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }).optional(),
});
const role = z.object({
  rules: z.array(
    z.object({ apiGroups: z.array(z.string()), resources: z.array(z.string()), verbs: z.array(z.string()) }),
  ),
});

function manifestsIn(file: string): readonly z.infer<typeof manifest>[] {
  return parseAllDocuments(readFileSync(join(FOLDER, file), "utf8")).map((document) => {
    expect(document.errors).toEqual([]);
    return manifest.parse(document.toJS());
  });
}

const files = readdirSync(FOLDER).filter((file) => file.endsWith(".yaml"));
const all = files.flatMap(manifestsIn);

function named(kind: string): z.infer<typeof manifest> {
  const found = all.find((one) => one.kind === kind);
  if (found === undefined) throw new Error(`deploy/kubernetes has no ${kind}`);
  return found;
}

describe("the manifests in deploy/kubernetes", () => {
  it("hold what a namespace for sandboxes needs", () => {
    expect(
      all.map(({ kind, metadata }) => `${kind} ${metadata?.namespace ?? "-"}/${metadata?.name}`),
    ).toEqual([
      "Kustomization -/undefined",
      "ResourceQuota toolgate-sandboxes/sandboxes",
      "LimitRange toolgate-sandboxes/sandbox",
      "Namespace -/toolgate",
      "Namespace -/toolgate-sandboxes",
      "NetworkPolicy toolgate-sandboxes/deny-all",
      "ValidatingAdmissionPolicy -/toolgate-sandboxes",
      "ValidatingAdmissionPolicyBinding -/toolgate-sandboxes",
      "ServiceAccount toolgate/toolgate",
      "Role toolgate-sandboxes/toolgate-sandboxes",
      "RoleBinding toolgate-sandboxes/toolgate-sandboxes",
    ]);
  });

  it("are all in the kustomization, but for the example", () => {
    const others = files.filter((file) => file !== "kustomization.yaml" && file !== "pod-policy.yaml");
    expect([...z.array(z.string()).parse(named("Kustomization").resources)].sort()).toEqual(others.sort());
  });

  it("give the quota room for a pod of the default size", () => {
    const { containers } = podFor("one", "toolgate-sandboxes", { image: "x" }).spec ?? {};
    const limits = z
      .object({ spec: z.object({ limits: z.array(z.object({ max: z.record(z.string(), z.string()) })) }) })
      .parse(named("LimitRange")).spec.limits[0]?.max;
    expect(Object.keys(limits ?? {})).toEqual(Object.keys(containers?.[0]?.resources?.limits ?? {}));
  });

  it.skipIf(!has("bwrap"))("grant what the backend asks the stand-in for, and nothing else", async () => {
    const { rules } = role.parse(named("Role"));
    await using standIn = await startStandIn({ rules });
    const { kubeconfig } = standIn;
    const image = "debian:12";
    {
      await using backend = await kubernetesBackend({
        kubeconfig,
        image,
        volume: { size: "1Gi", keep: true },
      });
      await backend.writeFile(`${backend.cwd}/file`, Buffer.from("x"));
    }
    await openPod(await connect({ kubeconfig }), { image, name: "left", owner: "me" });
    await removeKubernetesOrphans({ kubeconfig, owner: "me" });
    await expect(kubernetesBackend({ kubeconfig, image: "crashing" })).rejects.toThrow("its last words");
    const granted = rules.flatMap(({ resources, verbs }) =>
      resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`)),
    );
    expect([...standIn.access.asked].sort()).toEqual(granted.sort());
    expect(rules.flatMap(({ apiGroups }) => apiGroups).every((group) => group === "")).toBe(true);
  });

  it.skipIf(!has("bwrap"))("are named by who isn't allowed to do something", async () => {
    await using standIn = await startStandIn({
      rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["create", "delete", "list", "watch"] }],
    });
    const { kubeconfig } = standIn;
    await expect(kubernetesBackend({ kubeconfig, image: "debian:12", name: "one" })).rejects.toMatchObject({
      message: expect.stringMatching(
        /^No program may be run in the pod sandboxes\/one: pods "one" is forbidden: User .* cannot get resource "pods\/exec"/,
      ),
      hint: "Give the user the Role of deploy/kubernetes.",
    });
    expect(standIn.cluster.pods.list(standIn.namespace)).toEqual([]);
  });
});
