import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { has } from "../../../test/require.ts";
import { type StandIn, startStandIn } from "../../../test/stand-ins/kubernetes/stand-in.ts";
import { testFolder } from "../../../test/test-folder.ts";
import { kubernetesUsable } from "../kubernetes.ts";
import { connect } from "./client.ts";
import { openPod } from "./pod.ts";

describe.skipIf(!has("bwrap"))("whether the Kubernetes stand-in can be used", () => {
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

  it.skipIf(!has("openssl"))("is asked over TLS, with the cluster's own certificate authority", async () => {
    const [cert, key] = [join(folder, "cert"), join(folder, "key")];
    const subject = ["-subj", "/CN=stand-in", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"];
    const made = [
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:prime256v1",
      "-nodes",
      "-keyout",
      key,
      "-out",
      cert,
    ];
    execFileSync("openssl", ["req", "-x509", ...made, ...subject], { stdio: "ignore" });
    const tls = { cert: await readFile(cert, "utf8"), key: await readFile(key, "utf8") };
    await using secure = await startStandIn({ tls });
    const { kubeconfig } = secure;
    expect(await kubernetesUsable({ kubeconfig })).toEqual({ usable: true });
    const { transport } = await openPod(await connect({ kubeconfig }), { image: "debian:12" });
    expect(await transport.run(["cat"], { stdin: Buffer.from("x") })).toEqual({ exitCode: 0, signal: null });
    const stranger = join(folder, "stranger");
    const text = (await readFile(kubeconfig, "utf8")).replace(
      /"certificate-authority-data":"[^"]*"/,
      '"x":0',
    );
    await writeFile(stranger, text);
    const refused = await kubernetesUsable({ kubeconfig: stranger });
    expect(refused.why).toMatch(/can't be reached: .*self-signed certificate/);
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
