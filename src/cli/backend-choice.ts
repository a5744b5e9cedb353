import { ToolgateError } from "../errors.ts";

/** Where tools act, as a person names it. */
export type BackendChoice =
  | { readonly kind: "local" }
  | { readonly kind: "bubblewrap" }
  | { readonly kind: "docker"; readonly image: string }
  | {
      readonly kind: "ssh";
      readonly user?: string;
      readonly host: string;
      readonly port?: number;
      readonly path?: string;
    }
  | { readonly kind: "e2b"; readonly template: string }
  | { readonly kind: "k8s"; readonly namespace: string; readonly image: string };

const PLAIN = ["local", "bubblewrap"] as const;
const FORMS: Readonly<Record<string, string>> = {
  docker: "docker:IMAGE, as in docker:node:24-slim",
  ssh: "ssh:[USER@]HOST[:PORT][/PATH], as in ssh:me@build.example.com:2222/home/me/project",
  e2b: "e2b:TEMPLATE, as in e2b:base",
  k8s: "k8s:NAMESPACE/IMAGE, as in k8s:agents/node:24-slim",
};

/** A registry, a path, a tag or a digest: nothing that could be taken for an option or a variable. */
const IMAGE =
  /^[A-Za-z0-9][\w.-]*(?::\d+)?(?:\/[A-Za-z0-9][\w.-]*)*(?::\w[\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$/;
const TEMPLATE = /^[A-Za-z0-9][\w.:/-]{0,127}$/;
const NAMESPACE = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const SSH =
  /^(?:(?<user>[A-Za-z_][\w.-]{0,63})@)?(?:\[(?<six>[0-9A-Fa-f:.%]+)\]|(?<host>[A-Za-z0-9][\w.-]{0,252}))(?::(?<port>\d{1,5}))?(?<path>\/[^\0\n]*)?$/;

/** Reads one. @throws ToolgateError `usage` that says what the form is */
export function parseBackend(text: string): BackendChoice {
  const plain = PLAIN.find((kind) => kind === text);
  if (plain !== undefined) return { kind: plain };
  const [, kind = "", rest = ""] = /^([a-z0-9]+):(.*)$/s.exec(text) ?? [];
  const choice = READERS.get(kind)?.(rest);
  if (choice !== undefined) return choice;
  const form = FORMS[kind || text];
  const all = `It is one of local, bubblewrap, ${Object.values(FORMS).join("; ")}.`;
  throw new ToolgateError("usage", `${JSON.stringify(text)} is no backend.`, {
    hint: form === undefined ? all : `Its form is ${form}.`,
  });
}

const READERS: ReadonlyMap<string, (rest: string) => BackendChoice | undefined> = new Map([
  ["docker", (image: string) => (IMAGE.test(image) ? { kind: "docker" as const, image } : undefined)],
  ["e2b", (template: string) => (TEMPLATE.test(template) ? { kind: "e2b" as const, template } : undefined)],
  ["ssh", readSsh],
  ["k8s", readKubernetes],
]);

function readSsh(rest: string): BackendChoice | undefined {
  const { user, six, host = six, port, path } = SSH.exec(rest)?.groups ?? {};
  if (host === undefined) return undefined;
  const number = port === undefined ? undefined : Number(port);
  if (number !== undefined && (number < 1 || number > 65_535)) return undefined;
  return {
    kind: "ssh",
    ...(user === undefined ? {} : { user }),
    host,
    ...(number === undefined ? {} : { port: number }),
    ...(path === undefined ? {} : { path }),
  };
}

function readKubernetes(rest: string): BackendChoice | undefined {
  const at = rest.indexOf("/");
  const [namespace, image] = [rest.slice(0, Math.max(at, 0)), rest.slice(at + 1)];
  return NAMESPACE.test(namespace) && IMAGE.test(image) ? { kind: "k8s", namespace, image } : undefined;
}

/** Whether the project's directory of this machine is what is worked on there. */
export function sharesProject({ kind }: BackendChoice): boolean {
  return kind === "local" || kind === "bubblewrap" || kind === "docker";
}
