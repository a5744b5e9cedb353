/** How a place to run stands here. */
export interface BackendState {
  readonly name: string;
  readonly usable: boolean;
  /** What it gives, or why it can't be used. */
  readonly detail: string;
}

interface Usable {
  readonly usable: boolean;
  readonly why?: string;
}

interface Probe {
  readonly name: string;
  readonly gives: string;
  readonly ask: () => Promise<Usable>;
}

const PROBES: readonly Probe[] = [
  {
    name: "bubblewrap",
    gives: "each command in a sandbox of its own",
    ask: async () => (await import("../backends/bubblewrap.ts")).bubblewrapUsable(),
  },
  {
    name: "docker",
    gives: "an engine answers",
    ask: async () => (await import("../backends/docker.ts")).dockerUsable(),
  },
  {
    name: "ssh",
    gives: "its package is there; which servers let you in shows when one is named",
    ask: async () => (await import("../backends/ssh.ts")).sshUsable(),
  },
  {
    name: "e2b",
    gives: "the key is good",
    ask: async () => (await import("../backends/e2b.ts")).e2bUsable(),
  },
  {
    name: "k8s",
    gives: "the cluster lets pods be made",
    ask: async () => (await import("../backends/kubernetes.ts")).kubernetesUsable(),
  },
];

/** Asks of every place but this machine whether it can be used from here. Each says so by itself, and in bounded time. */
export function backendStates(): Promise<readonly BackendState[]> {
  return Promise.all(
    PROBES.map(async ({ name, gives, ask }) => {
      const { usable, why = "it doesn't say why" } = await ask();
      return { name, usable, detail: usable ? gives : `not usable here: ${why}` };
    }),
  );
}
