import { Refusal } from "./shapes.ts";

/** A request, by what it wants of which object. */
export interface ApiRequest {
  readonly verb: string;
  /** With the part after a slash, `pods/exec`. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly query: URLSearchParams;
}

const CORE = /^\/api\/v1\/namespaces\/([^/]+)\/([^/]+)(?:\/([^/]+)(?:\/([^/]+))?)?$/;

/** Reads method and path as the API server does. @throws Refusal 404 */
export function readRequest(method: string, url: string): ApiRequest {
  const { pathname, searchParams: query } = new URL(url, "http://stand-in");
  const [, namespace = "", plural = "", name = "", part] = CORE.exec(pathname) ?? [];
  if (namespace === "")
    throw new Refusal(404, "NotFound", "the server could not find the requested resource");
  const resource = part === undefined ? plural : `${plural}/${part}`;
  return { verb: verbOf(method, name, query), resource, namespace, name: decodeURIComponent(name), query };
}

function verbOf(method: string, name: string, query: URLSearchParams): string {
  if (method === "POST") return "create";
  if (method === "DELETE") return name === "" ? "deletecollection" : "delete";
  if (method !== "GET") return method.toLowerCase();
  if (query.get("watch") === "true" || query.get("watch") === "1") return "watch";
  return name === "" ? "list" : "get";
}

/** Whether an object fits `labelSelector` and `fieldSelector`: equalities, and the names that must be there. */
export function selects(query: URLSearchParams, object: unknown): boolean {
  const terms = (name: string): string[] => (query.get(name) ?? "").split(",").filter((term) => term !== "");
  return (
    terms("labelSelector").every((term) => {
      const [key = "", value] = term.split("=");
      const found = valueAt(object, ["metadata", "labels", key]);
      return value === undefined ? found !== undefined : found === value;
    }) &&
    terms("fieldSelector").every((term) => {
      const [path = "", value] = term.split("=");
      return valueAt(object, path.split(".")) === value;
    })
  );
}

function valueAt(object: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, key) =>
      typeof at === "object" && at !== null
        ? Object.entries(at).find(([name]) => name === key)?.[1]
        : undefined,
    object,
  );
}
