import type { AuthorizationV1Api, CoreV1Api, KubeConfig, Watch } from "@kubernetes/client-node";
import { isToolgateError, ToolgateError } from "../../errors.ts";
import type { KubernetesConnection } from "./options.ts";

/** A cluster, spoken to as one user in one namespace. */
export interface KubernetesClient {
  readonly core: CoreV1Api;
  readonly authorization: AuthorizationV1Api;
  readonly watch: Watch;
  /** Gives connections that the package doesn't make the same certificates and credentials. */
  readonly config: KubeConfig;
  /** `https://…`, without a slash at the end. */
  readonly server: string;
  readonly namespace: string;
}

type Package = typeof import("@kubernetes/client-node");

const REQUEST_MS = 30_000;

/** Loads the package and reads the configuration; nothing is sent. @throws ToolgateError `missing_dependency`, `backend_unavailable` */
export async function connect(connection: KubernetesConnection): Promise<KubernetesClient> {
  const kubernetes = await load();
  const config = readConfig(kubernetes, connection);
  const server = config.getCurrentCluster()?.server.replace(/\/+$/, "");
  if (server === undefined) {
    throw unconfigured(`The kubeconfig's context ${JSON.stringify(config.currentContext)} names no cluster.`);
  }
  const made = kubernetes.createConfiguration({
    baseServer: new kubernetes.ServerConfiguration(server, {}),
    authMethods: { default: config },
    promiseMiddleware: [
      {
        async pre(context) {
          // The package itself waits for ever.
          context.setSignal(AbortSignal.timeout(REQUEST_MS));
          return context;
        },
        post: async (context) => context,
      },
    ],
  });
  const { namespace = config.getContextObject(config.currentContext)?.namespace ?? "default" } = connection;
  return {
    core: new kubernetes.CoreV1Api(made),
    authorization: new kubernetes.AuthorizationV1Api(made),
    watch: new kubernetes.Watch(config),
    ...{ config, server, namespace },
  };
}

async function load(): Promise<Package> {
  try {
    return await import("@kubernetes/client-node");
  } catch (error) {
    throw new ToolgateError(
      "missing_dependency",
      "A Kubernetes backend needs the package @kubernetes/client-node.",
      {
        hint: "Install it: npm install @kubernetes/client-node.",
        cause: error,
      },
    );
  }
}

function readConfig(kubernetes: Package, connection: KubernetesConnection): KubeConfig {
  const { kubeconfig, context, inCluster = false } = connection;
  const config = new kubernetes.KubeConfig();
  try {
    if (inCluster) config.loadFromCluster();
    else if (kubeconfig !== undefined) config.loadFromFile(kubeconfig);
    else config.loadFromDefault();
  } catch (error) {
    if (isToolgateError(error)) throw error;
    const which = inCluster ? "service account" : (kubeconfig ?? "kubeconfig");
    throw unconfigured(`The ${which} can't be read: ${String(error)}`, error);
  }
  // What the package makes up when it has found nothing.
  if (
    !inCluster &&
    kubeconfig === undefined &&
    config.getCurrentCluster()?.server === "http://localhost:8080"
  ) {
    throw unconfigured(
      "There is no kubeconfig: neither KUBECONFIG, nor ~/.kube/config, nor a service account.",
    );
  }
  if (context === undefined) return config;
  if (config.getContextObject(context) === null) {
    const known = config.getContexts().map(({ name }) => name);
    throw unconfigured(`The kubeconfig has no context ${JSON.stringify(context)}, but ${known.join(", ")}.`);
  }
  config.setCurrentContext(context);
  return config;
}

function unconfigured(message: string, cause?: unknown): ToolgateError {
  return new ToolgateError("backend_unavailable", message, {
    hint: "Name a kubeconfig and a context that `kubectl` can use.",
    cause,
  });
}
