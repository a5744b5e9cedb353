import type { Backend } from "../../backend.ts";
import { randomHex } from "../../lib/random-hex.ts";
import { posixBackend } from "../posix.ts";
import { connect } from "./client.ts";
import type { KubernetesBackendOptions } from "./options.ts";
import { deletePod, openPod } from "./pod.ts";

/** Opens the backend, with everything that this loads. */
export async function openKubernetes(options: KubernetesBackendOptions): Promise<Backend> {
  const client = await connect(options);
  const { name, made, transport, cwd, home } = await openPod(client, options);
  const { keep = !made, graceSeconds = 5 } = options;
  return posixBackend({
    id: `kubernetes:${client.namespace}/${name}`,
    scratch: `/tmp/toolgate-${randomHex(8)}`,
    confine: {
      available: false,
      why: "A pod holds all of its commands in alike: its user, its limits, its network policy.",
    },
    dispose: async () => {
      if (!keep) await deletePod(client, name, graceSeconds);
    },
    ...{ transport, cwd, home },
  });
}
