import type { Sandbox, SandboxInfo, SandboxOpts } from "e2b";
import { ToolgateError } from "../../errors.ts";
import type { Endpoint } from "./connect.ts";
import type { E2BAccess } from "./options.ts";
import { noKey } from "./problems.ts";

/** How E2B is reached and asked, as its SDK takes it. */
type SdkAccess = Pick<
  SandboxOpts,
  "apiKey" | "apiUrl" | "sandboxUrl" | "domain" | "requestTimeoutMs" | "retries"
>;

/** A sandbox that was made or connected to, with what the SDK keeps to itself: the way to its envd. */
export interface ReachedSandbox {
  readonly sandbox: Sandbox;
  readonly endpoint: Endpoint;
  readonly envdVersion: string;
}

/** The part of the SDK that is needed. */
export interface E2BSdk {
  create(template: string, options: SandboxOpts): Promise<ReachedSandbox>;
  /** Resumes one that is paused. */
  connect(id: string, options: SdkAccess & { readonly timeoutMs: number }): Promise<ReachedSandbox>;
  kill(id: string, access: SdkAccess): Promise<unknown>;
  /** Those that run or are paused and carry this metadata, the newest first. */
  find(metadata: Record<string, string>, access: SdkAccess): Promise<readonly SandboxInfo[]>;
}

/** Loads the SDK, when there is a key to use it with. @throws ToolgateError `missing_dependency`, `backend_unavailable` */
export async function loadE2B({ apiKey = process.env.E2B_API_KEY }: E2BAccess): Promise<E2BSdk> {
  const Plain = await load();
  if (apiKey === undefined || apiKey === "") throw noKey();
  /** The constructor is told what a sandbox's own methods only use. */
  class Reached extends Plain {
    readonly reached: Omit<ReachedSandbox, "sandbox">;

    constructor(options: ConstructorParameters<typeof Plain>[0]) {
      super(options);
      const place = { sandboxDomain: this.sandboxDomain, envdPort: this.envdPort };
      const token = this.envdAccessToken;
      this.reached = {
        envdVersion: options.envdVersion,
        endpoint: {
          url: this.connectionConfig.getSandboxUrl(this.sandboxId, place),
          headers: {
            "user-agent": this.connectionConfig.headers?.["User-Agent"] ?? "",
            "e2b-sandbox-id": this.sandboxId,
            "e2b-sandbox-port": String(this.envdPort),
            ...(token === undefined ? {} : { "x-access-token": token }),
          },
        },
      };
    }
  }
  const given = (sandbox: Reached): ReachedSandbox => ({ sandbox, ...sandbox.reached });
  return {
    create: async (template, options) => given(await Reached.create(template, options)),
    connect: async (id, options) => given(await Reached.connect(id, options)),
    kill: (id, access) => Plain.kill(id, access),
    async find(metadata, access) {
      const list = Plain.list({
        ...access,
        query: { metadata, state: ["running", "paused"] },
        order: "desc",
      });
      return list.nextItems();
    },
  };
}

async function load(): Promise<typeof Sandbox> {
  try {
    return (await import("e2b")).Sandbox;
  } catch (error) {
    throw new ToolgateError("missing_dependency", "The E2B backend needs the package e2b.", {
      hint: "Install it: npm install e2b.",
      cause: error,
    });
  }
}

/** The way to E2B for the SDK, which takes `undefined` for a value in places. */
export function sdkAccess({ apiKey, apiUrl, sandboxUrl, domain }: E2BAccess): SdkAccess {
  return {
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(apiUrl === undefined ? {} : { apiUrl }),
    ...(sandboxUrl === undefined ? {} : { sandboxUrl }),
    ...(domain === undefined ? {} : { domain }),
  };
}
