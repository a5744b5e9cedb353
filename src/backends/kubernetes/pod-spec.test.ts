import { describe, expect, it } from "vitest";
import { podFor } from "./pod-spec.ts";

describe("the pod for a place", () => {
  it("is closed when nothing is said", () => {
    const pod = podFor("one", "sandboxes", { image: "debian:12" });
    expect(pod).toMatchObject({
      metadata: {
        name: "one",
        namespace: "sandboxes",
        labels: { "app.kubernetes.io/managed-by": "toolgate" },
      },
      spec: {
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        terminationGracePeriodSeconds: 5,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 1000,
          runAsGroup: 1000,
          fsGroup: 1000,
          seccompProfile: { type: "RuntimeDefault" },
        },
        containers: [
          {
            image: "debian:12",
            workingDir: "/workspace",
            resources: {
              requests: { cpu: "100m", memory: "256Mi" },
              limits: { cpu: "1", memory: "1Gi", "ephemeral-storage": "2Gi" },
            },
            securityContext: {
              privileged: false,
              allowPrivilegeEscalation: false,
              capabilities: { drop: ["ALL"] },
              readOnlyRootFilesystem: false,
            },
          },
        ],
        volumes: [
          { name: "work", emptyDir: {} },
          { name: "home", emptyDir: {} },
          { name: "tmp", emptyDir: {} },
        ],
      },
    });
    for (const absent of ["nodeSelector", "tolerations", "serviceAccountName", "activeDeadlineSeconds"]) {
      expect(pod.spec).not.toHaveProperty(absent);
    }
  });

  it.each([
    [{ labels: { team: "a" }, owner: "me" }, { metadata: { labels: { team: "a", "toolgate/owner": "me" } } }],
    [
      { labels: { "app.kubernetes.io/managed-by": "other" } },
      { metadata: { labels: { "app.kubernetes.io/managed-by": "toolgate" } } },
    ],
    [{ annotations: { note: "x" } }, { metadata: { annotations: { note: "x" } } }],
    [{ nodeSelector: { disk: "ssd" } }, { spec: { nodeSelector: { disk: "ssd" } } }],
    [
      { tolerations: [{ key: "gpu", operator: "Exists" as const }] },
      { spec: { tolerations: [{ key: "gpu", operator: "Exists" }] } },
    ],
    [
      { serviceAccount: "reader" },
      { spec: { serviceAccountName: "reader", automountServiceAccountToken: false } },
    ],
    [{ imagePullSecrets: ["pull"] }, { spec: { imagePullSecrets: [{ name: "pull" }] } }],
    [{ runtimeClass: "gvisor" }, { spec: { runtimeClassName: "gvisor" } }],
    [
      { deadlineSeconds: 60, graceSeconds: 1 },
      { spec: { activeDeadlineSeconds: 60, terminationGracePeriodSeconds: 1 } },
    ],
    [{ user: 0, group: 0 }, { spec: { securityContext: { runAsNonRoot: false, runAsUser: 0, fsGroup: 0 } } }],
    [
      { readOnlyRoot: true },
      { spec: { containers: [{ securityContext: { readOnlyRootFilesystem: true } }] } },
    ],
    [
      { workdir: "/src", env: { LANG: "C.UTF-8" } },
      {
        spec: {
          containers: [
            {
              workingDir: "/src",
              env: [
                { name: "HOME", value: "/home/toolgate" },
                { name: "LANG", value: "C.UTF-8" },
              ],
            },
          ],
        },
      },
    ],
    [
      { resources: { limits: { memory: "4Gi" } } },
      {
        spec: {
          containers: [{ resources: { limits: { cpu: "1", memory: "4Gi" }, requests: { memory: "256Mi" } } }],
        },
      },
    ],
    [
      { volume: { claim: "mine" } },
      { spec: { volumes: [{ persistentVolumeClaim: { claimName: "mine" } }, {}, {}] } },
    ],
    [
      { volume: { size: "5Gi", keep: true } },
      { spec: { volumes: [{ persistentVolumeClaim: { claimName: "one" } }, {}, {}] } },
    ],
    [
      { volume: { size: "5Gi", storageClass: "fast" } },
      {
        spec: {
          volumes: [
            {
              ephemeral: {
                volumeClaimTemplate: {
                  spec: {
                    accessModes: ["ReadWriteOnce"],
                    storageClassName: "fast",
                    resources: { requests: { storage: "5Gi" } },
                  },
                },
              },
            },
            {},
            {},
          ],
        },
      },
    ],
  ])("says of %j what was asked for", (options, expected) => {
    expect(podFor("one", "sandboxes", { image: "debian:12", ...options })).toMatchObject(expected);
  });

  it("refuses an owner that no label can carry", () => {
    expect(() => podFor("one", "sandboxes", { image: "x", owner: "a b" })).toThrow(
      expect.objectContaining({ code: "usage" }),
    );
  });
});
