import { Refusal } from "./shapes.ts";

/** What a Role grants. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** One thing that a client wants to do. */
export interface Attributes {
  readonly verb: string;
  readonly resource: string;
  readonly namespace: string;
}

/** Who may do what, and what was asked for: Kubernetes' RBAC for one user in one namespace. */
export class Access {
  readonly token: string;
  readonly #namespace: string;
  /** Replaced by a test that takes rights away. `undefined`: everything is allowed. */
  rules: readonly PolicyRule[] | undefined;
  /** Every verb on every resource that was asked for, `create pods/exec`. */
  readonly asked: Set<string> = new Set();

  constructor(token: string, namespace: string, rules: readonly PolicyRule[] | undefined) {
    this.token = token;
    this.#namespace = namespace;
    this.rules = rules;
  }

  /** @throws Refusal 401 when the token is another */
  authenticate(header: string | undefined): void {
    if (header !== `Bearer ${this.token}`) throw new Refusal(401, "Unauthorized", "Unauthorized");
  }

  allows({ verb, resource, namespace }: Attributes): boolean {
    if (this.rules === undefined) return true;
    if (namespace !== this.#namespace) return false;
    return this.rules.some((rule) => rule.resources.includes(resource) && rule.verbs.includes(verb));
  }

  /** @throws Refusal 403 as the API server words it */
  authorize(wanted: Attributes, name = ""): void {
    this.asked.add(`${wanted.verb} ${wanted.resource}`);
    if (this.allows(wanted)) return;
    const { verb, resource, namespace } = wanted;
    const [plural = ""] = resource.split("/");
    const what = name === "" ? plural : `${plural} "${name}"`;
    const user = `system:serviceaccount:${this.#namespace}:toolgate`;
    throw new Refusal(
      403,
      "Forbidden",
      `${what} is forbidden: User "${user}" cannot ${verb} resource "${resource}" in API group "" in the namespace "${namespace}"`,
    );
  }
}
