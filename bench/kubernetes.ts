import { readFile } from "node:fs/promises";
import { Writable } from "node:stream";
import { Exec, KubeConfig, type V1Status } from "@kubernetes/client-node";
import { rgPath } from "@vscode/ripgrep";
import { CONTAINER } from "../src/backends/kubernetes/pod-spec.ts";
import { kubernetesBackend } from "../src/backends/kubernetes.ts";
import { spawnStandIn } from "../test/stand-ins/kubernetes/spawn-stand-in.ts";
import { NEEDLE, placeRows, plantIn } from "./in-place.ts";
import type { Row } from "./table.ts";

/**
 * Work in a pod of the stand-in, against the same commands through the package's own `Exec`. No cluster can be had here; what is measured
 * is what we and the client add to the same pod.
 */
export async function rows(): Promise<Row[]> {
  await using standIn = await spawnStandIn();
  await using backend = await kubernetesBackend({ kubeconfig: standIn.kubeconfig, image: "debian:12" });
  const theirs = client(standIn.kubeconfig, backend.id.replace("kubernetes:", ""));
  await plantIn(backend);
  // The image has none; ours brings its own.
  const rg = `${backend.home}/rg`;
  await backend.writeFile(rg, await readFile(rgPath), { mode: 0o755 });
  const bare = {
    name: "client-node's Exec",
    command: () => theirs("true"),
    read: () => theirs("cat", `${backend.cwd}/large`),
    grep: () => theirs(rg, "-l", NEEDLE, backend.cwd),
  };
  return await placeRows("in a stand-in for Kubernetes", backend, bare, 10);
}

/** Runs a program in a pod, `NAMESPACE/NAME`, and takes its output. */
function client(kubeconfig: string, id: string): (...argv: readonly string[]) => Promise<void> {
  const [namespace = "", pod = ""] = id.split("/");
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const exec = new Exec(config);
  const sink = (): Writable => new Writable({ write: (_bytes, _encoding, done) => done() });
  return (...argv) =>
    new Promise((done, fail) => {
      const ended = ({ status, message }: V1Status): void =>
        status === "Success" ? done() : fail(new Error(message));
      exec.exec(namespace, pod, CONTAINER, [...argv], sink(), sink(), null, false, ended).catch(fail);
    });
}
