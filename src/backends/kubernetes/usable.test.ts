import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type StandIn, startStandIn } from "../../../test/stand-ins/kubernetes/stand-in.ts";
import { testFolder } from "../../../test/test-folder.ts";
import { kubernetesUsable } from "./usable.ts";

describe("whether the Kubernetes stand-in can be used", () => {
  let standIn: StandIn;
  let folder: string;
  let remove: () => Promise<void>;

  beforeAll(async () => {
    standIn = await startStandIn();
    ({ folder, remove } = await testFolder());
  });
  afterAll(async () => {
    await standIn[Symbol.asyncDispose]();
    await remove();
  });

  async function kubeconfig(server: string, token: string): Promise<string> {
    const path = join(folder, "config");
    const text = {
      "current-context": "here",
      clusters: [{ name: "c", cluster: { server, "insecure-skip-tls-verify": true } }],
      users: [{ name: "u", user: { token } }],
      contexts: [{ name: "here", context: { cluster: "c", user: "u", namespace: "sandboxes" } }],
    };
    await writeFile(path, JSON.stringify(text));
    return path;
  }

  it("is found out without making a pod", async () => {
    expect(await kubernetesUsable({ kubeconfig: standIn.kubeconfig })).toEqual({ usable: true });
    expect([...standIn.access.asked]).toEqual([]);
  });

  it("names what isn't allowed", async () => {
    standIn.access.rules = [
      { apiGroups: [""], resources: ["pods"], verbs: ["list", "watch", "delete"] },
      { apiGroups: [""], resources: ["pods/exec"], verbs: ["get"] },
    ];
    const { usable, why } = await kubernetesUsable({ kubeconfig: standIn.kubeconfig });
    standIn.access.rules = undefined;
    expect([usable, why]).toEqual([
      false,
      expect.stringMatching(
        /^Not allowed in namespace sandboxes of http:.*: create pods, create pods\/exec\. Give/,
      ),
    ]);
  });

  it.each([
    [
      "a kubeconfig that isn't there",
      async () => ({ kubeconfig: join(folder, "none") }),
      /none can't be read: .*ENOENT/,
    ],
    [
      "a context that isn't there",
      async () => ({ kubeconfig: standIn.kubeconfig, context: "other" }),
      /no context "other", but stand-in/,
    ],
    [
      "a place outside every cluster",
      async () => ({ inCluster: true }),
      /service account can't be read|can't be reached/,
    ],
    [
      "a server that isn't there",
      async () => ({ kubeconfig: await kubeconfig("http://127.0.0.1:59", "x") }),
      /http:\/\/127\.0\.0\.1:59 can't be reached: .*ECONNREFUSED/,
    ],
    [
      "credentials that aren't accepted",
      async () => {
        const [server = ""] = /http:\/\/[^"]+/.exec(await readFile(standIn.kubeconfig, "utf8")) ?? [];
        return { kubeconfig: await kubeconfig(server, "wrong") };
      },
      /doesn't accept the credentials/,
    ],
  ])("says why for %s", async (_title, connection, why) => {
    expect(await kubernetesUsable(await connection())).toEqual({
      usable: false,
      why: expect.stringMatching(why),
    });
  });
});
