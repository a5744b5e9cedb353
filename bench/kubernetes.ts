import { readFile } from "node:fs/promises";
import { Writable } from "node:stream";
import { Exec, KubeConfig, type V1Status } from "@kubernetes/client-node";
import { rgPath } from "@vscode/ripgrep";
import { CONTAINER } from "../src/backends/kubernetes/pod-spec.ts";
import { kubernetesBackend } from "../src/backends/kubernetes.ts";
import { spawnStandIn } from "../test/stand-ins/kubernetes/spawn-stand-in.ts";
import {
  AT_A_TIME,
  command,
  comparing,
  FILES,
  grep,
  MEGABYTES,
  many,
  NEEDLE,
  oneByOne,
  plantIn,
} from "./in-place.ts";
import type { Row } from "./table.ts";

const compare = comparing("client-node's Exec");
/** No cluster can be had here; what is measured is what we and the client add to the same pod. */
const WHERE = "in a stand-in for Kubernetes";

/** Work in a pod of the stand-in, against the same commands through the package's own `Exec`. */
export async function rows(): Promise<Row[]> {
  await using standIn = await spawnStandIn();
  await using backend = await kubernetesBackend({ kubeconfig: standIn.kubeconfig, image: "debian:12" });
  const theirs = client(standIn.kubeconfig, backend.id.replace("kubernetes:", ""));
  await plantIn(backend);
  // The image has none; ours brings its own.
  const rg = `${backend.home}/rg`;
  await backend.writeFile(rg, await readFile(rgPath), { mode: 0o755 });
  return [
    await compare(
      `a command ${WHERE}`,
      { times: 10 },
      oneByOne("ours", () => command(backend)),
      oneByOne("Exec", () => theirs("true")),
    ),
    await compare(
      `${AT_A_TIME} commands at a time ${WHERE}`,
      {},
      oneByOne("ours", () => many(() => command(backend))),
      oneByOne("Exec", () => many(() => theirs("true"))),
    ),
    await compare(
      `Read of ${MEGABYTES} MB ${WHERE}`,
      { times: 3 },
      oneByOne("ours", () => backend.readFile(`${backend.cwd}/large`)),
      oneByOne("Exec", () => theirs("cat", `${backend.cwd}/large`)),
    ),
    await compare(
      `Grep on ${FILES} files ${WHERE}`,
      {},
      oneByOne("ours", () => grep(backend)),
      oneByOne("Exec", () => theirs(rg, "-l", NEEDLE, backend.cwd)),
    ),
  ];
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
