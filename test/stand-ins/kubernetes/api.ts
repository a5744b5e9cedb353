import type { IncomingMessage, ServerResponse } from "node:http";
import type { WebSocket } from "ws";
import { z } from "zod";
import type { Access } from "./access.ts";
import type { Cluster } from "./cluster.ts";
import { serveExec } from "./exec-socket.ts";
import { type ApiRequest, readRequest, selects } from "./request.ts";
import { type KubeObject, Refusal, statusBody } from "./shapes.ts";
import type { Table } from "./table.ts";

/** What requests are about. */
export interface World {
  readonly cluster: Cluster;
  readonly access: Access;
}

/** Answers a request that is no WebSocket. @throws Refusal */
export async function answer(
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { cluster, access } = world;
  const { method = "GET", url = "/" } = request;
  if (url === "/version")
    return json(response, 200, { major: "1", minor: "34", gitVersion: "v1.34.0-stand-in" });
  access.authenticate(request.headers.authorization);
  const body = await bodyOf(request);
  if (url === REVIEW) return json(response, 201, review(access, body));
  const wanted = readRequest(method, url);
  access.authorize(wanted, wanted.name);
  const { verb, resource, namespace, name, query } = wanted;
  if (namespace !== cluster.options.namespace && verb === "create") {
    throw new Refusal(404, "NotFound", `namespaces "${namespace}" not found`);
  }
  if (verb === "watch") return watch(world, wanted, response);
  if (`${verb} ${resource}` === "create pods") return json(response, 201, cluster.createPod(namespace, body));
  if (`${verb} ${resource}` === "create persistentvolumeclaims") {
    return json(response, 201, cluster.createClaim(namespace, body));
  }
  if (`${verb} ${resource}` === "delete pods") {
    const sent = z.object({ gracePeriodSeconds: z.number() }).safeParse(body);
    const grace = query.get("gracePeriodSeconds") ?? sent.data?.gracePeriodSeconds;
    return json(
      response,
      200,
      cluster.deletePod(namespace, name, grace === undefined ? grace : Number(grace)),
    );
  }
  if (`${verb} ${resource}` === "get pods/log") {
    cluster.pods.need(namespace, name);
    const run = cluster.run(name);
    response.writeHead(200, { "content-type": "text/plain" });
    response.end(run?.container?.log ?? run?.log ?? "");
    return;
  }
  const table = tableOf(cluster, resource);
  if (verb === "get") return json(response, 200, { apiVersion: "v1", ...table.need(namespace, name) });
  if (verb !== "list") throw new Refusal(405, "MethodNotAllowed", "the stand-in doesn't do that");
  const items = table.list(namespace).filter((object) => selects(query, object));
  const metadata = { resourceVersion: String(cluster.version) };
  json(response, 200, { kind: "List", apiVersion: "v1", metadata, items });
}

function watch({ cluster }: World, { resource, query }: ApiRequest, response: ServerResponse): void {
  const tell = (type: string, object: unknown): void => {
    response.write(`${JSON.stringify({ type, object })}\n`);
  };
  response.writeHead(200, { "content-type": "application/json" });
  response.flushHeaders();
  try {
    const after = Number(query.get("resourceVersion") ?? cluster.version);
    const stop = tableOf(cluster, resource).watch(after, ({ type, object }) => {
      if (selects(query, object)) tell(type, object);
    });
    response.on("close", stop);
  } catch (error) {
    // That the past is forgotten is told in the stream, as the API server does.
    tell("ERROR", refusal(error).body);
    response.end();
  }
}

function tableOf(
  { pods, claims, events }: Cluster,
  resource: string,
): Pick<Table<KubeObject>, "need" | "list" | "watch"> {
  for (const table of [pods, claims, events]) if (table.resource === resource) return table;
  throw new Refusal(404, "NotFound", `the stand-in has no ${resource}`);
}

/** Checks an exec request before the connection becomes a WebSocket, and answers how to go on. */
export function admitExec(
  { cluster, access }: World,
  request: IncomingMessage,
  protocols: readonly string[],
): (ws: WebSocket) => void {
  access.authenticate(request.headers.authorization);
  const { resource, namespace, name, query } = readRequest("GET", request.url ?? "");
  if (resource !== "pods/exec") throw new Refusal(404, "NotFound", `no ${resource} over WebSocket`);
  // Since Kubernetes 1.35 a WebSocket needs the verb of a POST too.
  for (const verb of ["get", "create"]) access.authorize({ verb, resource, namespace }, name);
  const offered = (request.headers["sec-websocket-protocol"] ?? "").split(/, */);
  // The API server answers this without a body.
  if (!offered.some((one) => protocols.includes(one))) throw new Refusal(403, "", "");
  const pod = cluster.pods.need(namespace, name);
  const container = cluster.run(name)?.container;
  if (pod.status?.phase === "Failed") {
    const why = `cannot exec into a container in a completed pod; current phase is ${pod.status.phase}`;
    throw new Refusal(400, "BadRequest", why);
  }
  if (container === undefined) {
    throw new Refusal(
      500,
      "InternalError",
      `unable to upgrade connection: container not found ("${query.get("container")}")`,
    );
  }
  return (ws) => void serveExec(ws, container, query.getAll("command"), query.get("stdin") === "true");
}

const REVIEW = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

const reviewShape = z.looseObject({
  spec: z.looseObject({
    resourceAttributes: z.looseObject({
      ...{
        verb: z.string(),
        resource: z.string(),
        namespace: z.string(),
        subresource: z.string().optional(),
      },
    }),
  }),
});

function review(access: Access, body: unknown): unknown {
  const sent = reviewShape.parse(body);
  const { verb, resource, subresource, namespace } = sent.spec.resourceAttributes;
  const full = subresource === undefined ? resource : `${resource}/${subresource}`;
  return { ...sent, status: { allowed: access.allows({ verb, resource: full, namespace }) } };
}

/** The answer to a request that failed. */
export function refusal(error: unknown): { readonly code: number; readonly body: unknown } {
  if (error instanceof Refusal) {
    const { code, reason, message } = error;
    return { code, body: reason === "" ? undefined : statusBody(code, reason, message) };
  }
  return { code: 500, body: statusBody(500, "InternalError", String(error)) };
}

/** Answers with a refusal. */
export function respond(response: ServerResponse, error: unknown): void {
  const { code, body } = refusal(error);
  json(response, code, body);
}

function json(response: ServerResponse, code: number, body: unknown): void {
  response.writeHead(code, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(Buffer.from(piece));
  const text = Buffer.concat(pieces).toString();
  return text === "" ? undefined : JSON.parse(text);
}
