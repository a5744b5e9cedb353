import type { Arg } from "../arg.ts";
import { connect } from "../emit.ts";
import { refuseSubstitutions } from "../refuse.ts";
import type { Run } from "../run.ts";

/** How one cloud's client is called where it only reads what isn't secret. */
interface Client {
  /** The words before the first option, joined by blanks. */
  readonly reads: RegExp;
  readonly secrets: RegExp;
  /** Options that take another address, a file or other credentials. */
  readonly refused: RegExp;
}

const CLIENTS: ReadonlyMap<string, Client> = new Map<string, Client>([
  [
    "aws",
    {
      reads:
        /^(?:s3 ls(?: s3:\/\/[\w./-]*)?|sts get-caller-identity|configure list(?:-profiles)?|[a-z][\w-]* (?:describe|list)-[\w-]+|logs tail [\w/.-]+)$/,
      secrets: /-(?:secret|parameter)-values?|credential/,
      refused: /^--(?:en|ca|cli|no-v|debug)/,
    },
  ],
  [
    "gcloud",
    {
      reads:
        /^(?:config (?:list|get-value \S+|get \S+)|info|(?:(?:alpha|beta) )?(?:[a-z][a-z0-9-]* ){1,4}(?:list|describe(?: [\w./-]+)?))$/,
      secrets: /\b(?:auth print|access)\b/,
      refused: /^--(?:fl|acc|cred|imp|log-h|api)/,
    },
  ],
  [
    "az",
    {
      reads: /^(?:[a-z][a-z0-9-]* ){1,5}(?:list|show|list-[a-z-]+)$/,
      secrets: /key|secret|credential|password|token|sas|appsettings|connection-string|config/,
      refused: /^--(?:debug|cloud)/,
    },
  ],
]);

/** The clients of cloud providers: their reading verbs connect and do nothing more; anything else may do anything. */
export function readCloud(run: Run, args: readonly Arg[]): boolean {
  const client = CLIENTS.get(run.program);
  const reads = client !== undefined && isRead(client, args);
  connect(run, null, false);
  if (!reads) refuseSubstitutions(run, args);
  return !reads;
}

function isRead(client: Client, args: readonly Arg[]): boolean {
  const values: string[] = [];
  for (const arg of args) {
    if (arg.value === null || arg.pattern) return false;
    values.push(arg.value);
  }
  const cut = values.findIndex((value) => value.startsWith("-"));
  const verb = values.slice(0, cut < 0 ? values.length : cut).join(" ");
  if (!client.reads.test(verb) || client.secrets.test(verb)) return false;
  // `file://x` and `@x` are read and sent.
  return values.every(
    (value) => !client.refused.test(value) && !/^@|^(?:--[\w-]+=)?(?!s3:)\w+:\/\/|=@/.test(value),
  );
}
