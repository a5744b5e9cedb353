import type { Backend, PathFlavour } from "../src/backend.ts";
import type { PermissionDecision } from "../src/decision.ts";
import type { Effect } from "../src/effect.ts";
import { ToolgateError } from "../src/errors.ts";
import type { MaybePromise } from "../src/lib/json.ts";
import { decide } from "../src/permission/engine.ts";
import { parseRule } from "../src/permission/rule-text.ts";
import type { PermissionMode, PermissionRule, RuleBehavior } from "../src/rule.ts";
import type { PermissionContext, Tool, ToolInput } from "../src/tool.ts";

/** What tests of this room may vary about the world. */
export interface WorldOptions {
  readonly mode?: PermissionMode;
  readonly cwd?: string;
  readonly home?: string;
  readonly workingDirectories?: readonly string[];
  /** `allow:Bash(ls)`, one a rule. */
  readonly rules?: readonly string[];
  /** From a link to what it leads to. */
  readonly links?: Readonly<Record<string, string>>;
  readonly foldsCase?: boolean;
  readonly flavour?: PathFlavour;
  /** Answers `realpath` with promises, as remote backends do. */
  readonly waits?: boolean;
  readonly additionalDangerousFiles?: readonly string[];
  readonly additionalDangerousDirectories?: readonly string[];
}

/** A context in which `/work/project` is the project and `/home/ann` the home. */
export function world(options: WorldOptions = {}): PermissionContext {
  const { mode = "default", cwd = "/work/project", rules = [], ...rest } = options;
  return {
    mode,
    cwd,
    workingDirectories: rest.workingDirectories ?? ["/work/project"],
    rules: rules.map(rule),
    backend: paperBackend(options, cwd),
    ...(rest.additionalDangerousFiles === undefined
      ? {}
      : { additionalDangerousFiles: rest.additionalDangerousFiles }),
    ...(rest.additionalDangerousDirectories === undefined
      ? {}
      : { additionalDangerousDirectories: rest.additionalDangerousDirectories }),
  };
}

/** `deny:Bash(rm:*)` as a rule. */
export function rule(text: string): PermissionRule {
  const at = text.indexOf(":");
  return parseRule(text.slice(at + 1), behaviorOf(text.slice(0, at)), "session");
}

function behaviorOf(text: string): RuleBehavior {
  if (text === "allow" || text === "deny" || text === "ask") return text;
  throw new TypeError(`No behaviour: ${text}`);
}

/** A backend that only knows where links lead. */
function paperBackend(options: WorldOptions, cwd: string): Backend {
  const links = new Map(Object.entries(options.links ?? {}));
  const missing = (): never => {
    throw new ToolgateError("unsupported", "This backend is made of paper.");
  };
  const nothing = (): Promise<never> =>
    Promise.reject(new ToolgateError("not_found", "There are no files on paper."));
  return {
    id: "paper",
    flavour: options.flavour ?? "posix",
    cwd,
    home: options.home ?? "/home/ann",
    scratch: "/scratch",
    foldsCase: options.foldsCase ?? false,
    capabilities: missing,
    exec: missing,
    readFile: missing,
    readStream: missing,
    writeFile: missing,
    stat: nothing,
    lstat: (path) => {
      if (!links.has(path)) return nothing();
      return Promise.resolve({ kind: "symlink", size: 0, mtimeMs: 0, mode: 0o777, version: "" });
    },
    list: () => Promise.resolve([]),
    mkdir: missing,
    rename: missing,
    remove: missing,
    realpath: (path) => {
      const real = options.flavour === "win32" ? path : follow(path, links, 0);
      return options.waits === true ? Promise.resolve(real) : real;
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

function follow(path: string, links: ReadonlyMap<string, string>, depth: number): string {
  if (depth > 20) throw new ToolgateError("permission_denied", `Too many links: ${path}`);
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  let at = "";
  for (const [index, part] of parts.entries()) {
    if (part === "..") {
      at = at.slice(0, Math.max(0, at.lastIndexOf("/")));
      continue;
    }
    at = `${at}/${part}`;
    const target = links.get(at);
    if (target !== undefined) return follow([target, ...parts.slice(index + 1)].join("/"), links, depth + 1);
  }
  return at === "" ? "/" : at;
}

/** What a test tool may have an opinion on. */
export interface PaperToolOptions {
  readonly name?: string;
  readonly isReadOnly?: boolean;
  readonly isMcp?: boolean;
  readonly effects?: (
    input: ToolInput,
    context: PermissionContext,
  ) => MaybePromise<readonly Effect[] | undefined>;
  readonly check?: (input: ToolInput, context: PermissionContext) => MaybePromise<PermissionDecision>;
  readonly matches?: (content: string) => boolean;
  readonly suggests?: readonly PermissionRule[];
  readonly additionalDangerousFiles?: readonly string[];
}

/** A tool that is never run. Its check answers what its effects say, as tools' do by default. */
export function paperTool(options: PaperToolOptions = {}): Tool {
  const { name = "Paper", isReadOnly = false, isMcp = false, matches } = options;
  return {
    name,
    description: "Never run.",
    inputSchema: { type: "object" },
    isConcurrencySafe: false,
    isReadOnly,
    isExternalTool: false,
    isStateInjected: false,
    isMcp,
    mcpName: null,
    ...(options.additionalDangerousFiles === undefined
      ? {}
      : { additionalDangerousFiles: options.additionalDangerousFiles }),
    effects: (input, context) => options.effects?.(input, context),
    checkPermissions: (input, context) =>
      options.check?.(input, context) ??
      context.judgement?.decision ?? { behavior: "passthrough", message: "No opinion." },
    checkReadOnly: () => isReadOnly,
    matchRule: (content) => content === null || matches?.(content) === true,
    generateSuggestions: () => options.suggests ?? [],
    invoke: () => {
      throw new TypeError("Paper tools don't run.");
    },
  };
}

/** The names of file tools. */
export type FileToolName = "Read" | "Write" | "Edit" | "Grep" | "Glob";

/** A file tool with one effect on `path`. */
export function fileTool(name: FileToolName): Tool {
  return paperTool({
    name,
    effects: (input) => {
      const path = String(input.path);
      if (name === "Read") return [{ kind: "read", path }];
      if (name === "Grep") return [{ kind: "read", path, recursive: true }];
      if (name === "Glob") return [{ kind: "list", path, recursive: true }];
      return [{ kind: "write", path }];
    },
  });
}

/** The verdict on a file tool's call, at once. */
export function decideFile(name: FileToolName, path: string, options: WorldOptions = {}): PermissionDecision {
  return now(decide(fileTool(name), { path }, world(options)));
}

/** A value that must be at hand. */
export function now<T>(value: MaybePromise<T>): T {
  if (value instanceof Promise) throw new TypeError("It had to wait.");
  return value;
}

/** `ask!` is an ask that no rule may silence. */
export function verdict(decision: PermissionDecision): string {
  return decision.bypassImmune === true && decision.behavior === "ask" ? "ask!" : decision.behavior;
}
