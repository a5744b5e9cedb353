import { randomBytes } from "node:crypto";
import { field, number, record, text } from "./fields.ts";
import { type SandboxMachine, startMachine } from "./sandbox.ts";

/** A sandbox as the control API keeps it. */
export interface SandboxRecord {
  readonly id: string;
  readonly token: string;
  readonly template: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly startedAt: Date;
  readonly pausesAtEnd: boolean;
  readonly machine: SandboxMachine;
  state: "running" | "paused";
  endAt: Date;
  timer: NodeJS.Timeout | undefined;
}

/** What the API answers. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

/** The version whose behaviour the stand-in for envd shows. */
const ENVD_VERSION = "0.5.7";
const TEMPLATES = new Set(["base", "code-interpreter-v1"]);
const DEFAULT_SECONDS = 15;

/** The sandboxes of one account, and what the control API does with them. */
export class Sandboxes {
  readonly #records = new Map<string, SandboxRecord>();
  /** Called when the streams into a sandbox have to break. */
  readonly #cut: (id: string) => void;

  constructor(cut: (id: string) => void) {
    this.#cut = cut;
  }

  get(id: string): SandboxRecord | undefined {
    return this.#records.get(id);
  }

  /** Answers one request of the control API. */
  async handle(method: string, url: URL, body: unknown): Promise<Answer> {
    const [, id = "", verb = ""] =
      /^(?:\/v2)?\/sandboxes(?:\/([^/]+))?(?:\/(\w+))?$/.exec(url.pathname) ?? [];
    if (!url.pathname.includes("/sandboxes")) return problem(404, "no such route");
    if (id === "") return method === "POST" ? this.#create(body) : this.#list(url.searchParams);
    const found = this.#records.get(id);
    if (found === undefined)
      return problem(404, `sandbox "${id}" doesn't exist or you don't have access to it`);
    switch (`${method} ${verb}`) {
      case "GET ":
        return { status: 200, body: describe(found) };
      case "DELETE ":
        await this.#kill(found);
        return { status: 204 };
      case "POST timeout":
        return this.#setTimeout(found, seconds(body));
      case "POST connect":
        return this.#connect(found, seconds(body));
      case "POST pause":
        return this.#pause(found);
      default:
        return problem(405, `${method} ${url.pathname} is not part of the stand-in`);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#records.values()].map((each) => this.#kill(each)));
  }

  async #create(body: unknown): Promise<Answer> {
    const template = text(field(body, "templateID"));
    if (!TEMPLATES.has(template)) return problem(404, `template '${template}' not found`);
    const token = `ea_${randomBytes(16).toString("hex")}`;
    const created: SandboxRecord = {
      id: `i${randomBytes(10).toString("hex")}`,
      token,
      template,
      metadata: record(field(body, "metadata")),
      startedAt: new Date(),
      pausesAtEnd: field(body, "autoPause") === true,
      machine: await startMachine(token, record(field(body, "envVars"))),
      state: "running",
      endAt: new Date(),
      timer: undefined,
    };
    this.#records.set(created.id, created);
    this.#arm(created, seconds(body));
    return { status: 201, body: access(created) };
  }

  /** Newest first, one page of `limit` at a time. */
  #list(query: URLSearchParams): Answer {
    const wanted = [...new URLSearchParams(query.get("metadata") ?? "")].map((pair) =>
      pair.map(decodeURIComponent),
    );
    const states = query.get("state")?.split(",") ?? ["running", "paused"];
    const matches = [...this.#records.values()]
      .filter(({ state }) => states.includes(state))
      .filter(({ metadata }) => wanted.every(([name = "", value]) => metadata[name] === value))
      .reverse();
    return { status: 200, body: matches.map(describe) };
  }

  #setTimeout(found: SandboxRecord, limit: number): Answer {
    if (found.state === "paused") return problem(409, `sandbox "${found.id}" is paused`);
    this.#arm(found, limit);
    return { status: 204 };
  }

  #connect(found: SandboxRecord, limit: number): Answer {
    const wasPaused = found.state === "paused";
    if (wasPaused) {
      found.state = "running";
      found.machine.thaw();
    }
    // Connecting never shortens the life of one that runs.
    if (wasPaused || Date.now() + limit * 1000 > found.endAt.getTime()) this.#arm(found, limit);
    return { status: wasPaused ? 201 : 200, body: access(found) };
  }

  #pause(found: SandboxRecord): Answer {
    if (found.state === "paused") return problem(409, `sandbox "${found.id}" is already paused`);
    clearTimeout(found.timer);
    found.state = "paused";
    found.machine.freeze();
    this.#cut(found.id);
    return { status: 204 };
  }

  async #kill(found: SandboxRecord): Promise<void> {
    clearTimeout(found.timer);
    this.#records.delete(found.id);
    this.#cut(found.id);
    await found.machine.destroy();
  }

  #arm(found: SandboxRecord, limit: number): void {
    clearTimeout(found.timer);
    found.endAt = new Date(Date.now() + limit * 1000);
    found.timer = setTimeout(() => {
      if (found.pausesAtEnd) this.#pause(found);
      else void this.#kill(found);
    }, limit * 1000);
  }
}

/** An error as the control API spells it. */
export function problem(code: number, message: string): Answer {
  return { status: code, body: { code, message } };
}

function seconds(body: unknown): number {
  return number(field(body, "timeout")) || DEFAULT_SECONDS;
}

function access({ id, token, template }: SandboxRecord): object {
  return {
    sandboxID: id,
    templateID: template,
    clientID: "stand-in",
    envdVersion: ENVD_VERSION,
    envdAccessToken: token,
    domain: null,
  };
}

function describe({ id, template, metadata, startedAt, endAt, state }: SandboxRecord): object {
  return {
    sandboxID: id,
    templateID: template,
    clientID: "stand-in",
    metadata,
    startedAt: startedAt.toISOString(),
    endAt: endAt.toISOString(),
    state,
    cpuCount: 2,
    memoryMB: 512,
    diskSizeMB: 1024,
    envdVersion: ENVD_VERSION,
  };
}
