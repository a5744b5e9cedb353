import { resolve } from "node:path";
import type { Backend } from "../backend.ts";
import type { ToolChunk } from "../chunk.ts";
import type { PermissionDecision } from "../decision.ts";
import type { GateEvent, ToolCall } from "../event.ts";
import { deliver } from "../gate/deliver.ts";
import type { ExternalExecutor, Gate } from "../gate/gate.ts";
import { judgeCall } from "../gate/judge-call.ts";
import { DEFAULT_LIMITS } from "../gate/limits.ts";
import { resumeApproval, resumeCall } from "../gate/resume.ts";
import type { Reviewer } from "../gate/review.ts";
import { type CallWrapper, runBatch, runStream } from "../gate/run-batch.ts";
import { runCall } from "../gate/run-call.ts";
import type { JsonObject, MaybePromise } from "../lib/json.ts";
import { Turns } from "../lib/turns.ts";
import type { CallObserver } from "../observer.ts";
import { parseMode } from "../permission/mode.ts";
import type { ToolResponse } from "../response.ts";
import type { PermissionMode, PermissionRule } from "../rule.ts";
import { type AgentState, newState } from "../state.ts";
import type { Store } from "../store.ts";
import type { Approver, PermissionContext, Tool } from "../tool.ts";
import type { RuleInput, ToolGroup, ToolkitOptions } from "./options.ts";
import { BASIC, Registry } from "./registry.ts";
import { readRule } from "./rules.ts";
import { type Provider, type ProviderSchemas, providerSchemas } from "./schemas.ts";
import { skillPrompt } from "./skill.ts";

/** What a caller may say about one call. */
export interface ExecuteOptions {
  /** @default a fresh one */
  readonly id?: string;
  /** Cancels the call; what came until then is kept. */
  readonly signal?: AbortSignal;
  /** How long it may run, in milliseconds. @default the toolkit's limit */
  readonly timeoutMs?: number;
  /** Puts what has to be asked to a person. @default the toolkit's */
  readonly approver?: Approver;
  /** Carries out external tools' calls. @default the toolkit's */
  readonly external?: ExternalExecutor;
  /** Looks at the verdict before it counts; may only tighten it. */
  readonly review?: Reviewer;
}

/** What a caller may say about the calls of one turn. */
export interface TurnOptions extends Omit<ExecuteOptions, "id"> {
  /** Wrapped round each call. */
  readonly around?: CallWrapper;
}

/**
 * A session's tools, and the one way to call them: every call is checked, judged, asked about where it has to be, recorded and
 * kept within limits. No call throws: what went wrong is in the response.
 */
export class Toolkit implements AsyncDisposable {
  /** The session: plain JSON that a store can keep, to go on with later. */
  readonly state: AgentState;
  readonly #options: ToolkitOptions;
  readonly #registry: Registry;
  readonly #gate: Gate;
  readonly #project: string;
  readonly #rules: readonly PermissionRule[];
  readonly #observers = new Set<CallObserver>();
  #merged: readonly PermissionRule[] = [];
  #backend: Backend | undefined;
  #loading: Promise<Backend> | undefined;

  /** @throws ToolgateError for bad or doubled names, bad schemas, unknown modes and malformed rules */
  constructor(options: ToolkitOptions = {}) {
    this.#options = options;
    this.#backend = options.backend;
    this.#project = options.cwd ?? options.backend?.cwd ?? process.cwd();
    // A local directory may be given relative to the process's own; a remote one is for its backend to understand.
    if (options.backend === undefined) this.#project = resolve(this.#project);
    const { workingDirectories = [], mode, sessionId } = options;
    this.state =
      options.state ??
      newState({ cwd: this.#project, workingDirectories, ...(sessionId === undefined ? {} : { sessionId }) });
    if (mode !== undefined) this.state.permissions.mode = parseMode(mode);
    this.#rules = (options.rules ?? []).map(readRule);
    this.#registry = new Registry(this.state, options, options.groups ?? []);
    this.#gate = this.#makeGate();
  }

  get mode(): PermissionMode {
    return this.state.permissions.mode;
  }

  /** @throws ToolgateError `invalid_input` */
  setMode(mode: PermissionMode | (string & {})): void {
    this.state.permissions.mode = parseMode(mode);
  }

  /** Adds rules for this session. @throws ToolgateError `invalid_rule` */
  addRules(...rules: readonly RuleInput[]): void {
    this.state.permissions.rules.push(...rules.map(readRule));
  }

  /** Adds tools. @throws ToolgateError `already_exists`, `usage` */
  register(tools: Tool | readonly Tool[], group: string = BASIC): void {
    for (const tool of asList(tools)) this.#registry.add(tool, group);
  }

  /** Adds a group. @throws ToolgateError `already_exists`, `usage` */
  registerGroup(group: ToolGroup): void {
    this.#registry.addGroup(group);
  }

  /** Puts a tool in the place of the one of its name. @throws ToolgateError `unknown_tool`, `usage` */
  replace(tool: Tool): void {
    this.#registry.replace(tool);
  }

  /** Takes a tool away, and answers whether there was one. */
  remove(name: string): boolean {
    return this.#registry.remove(name);
  }

  /** A tool by name, its group active or not. */
  get(name: string): Tool | undefined {
    return this.#registry.get(name);
  }

  /** The tools that the model is shown now: by name, tools of MCP servers last. */
  get tools(): readonly Tool[] {
    return this.#registry.visible();
  }

  /**
   * Tells `listener` whenever {@link tools} may have changed: tools came or went, the model chose other groups or found tools.
   * Answers a function that ends it.
   */
  onToolsChanged(listener: () => void): () => void {
    return this.#registry.onChange(listener);
  }

  /** What a provider is told about {@link tools}, in the same order. */
  schemas<P extends Provider>(provider: P): readonly ProviderSchemas[P][] {
    return providerSchemas(this.tools, provider);
  }

  /** What the system prompt says about skills; empty when there are none. */
  async skillInstructions(): Promise<string> {
    return skillPrompt((await this.#registry.skills()).skills);
  }

  /** What is wrong with skills that are not shown. */
  async skillProblems(): Promise<readonly string[]> {
    return (await this.#registry.skills()).problems;
  }

  /** Calls a tool and gives its whole answer. `input` is the model's raw text, or an object. Never rejects. */
  execute(
    name: string,
    input: string | JsonObject = {},
    options: ExecuteOptions = {},
  ): Promise<ToolResponse> {
    const { id = crypto.randomUUID(), ...rest } = options;
    return runCall(this.#gateFor(options), { id, name, input }, rest);
  }

  /** Calls a tool and gives what happens as it happens. Who stops reading cancels the call. */
  run(call: ToolCall, options: Omit<ExecuteOptions, "id"> = {}): AsyncIterable<GateEvent> {
    return runStream(this.#gateFor(options), call, options);
  }

  /** Runs the calls of one turn, side by side where their tools are safe for it, and gives all their events. */
  runBatch(calls: readonly ToolCall[], options: TurnOptions = {}): AsyncIterable<GateEvent> {
    const { maxConcurrency = 8 } = this.#options;
    return runBatch(this.#gateFor(options), calls, { ...options, maxConcurrency });
  }

  /**
   * Goes on with the call of one parked question and gives its events; no other call is touched. It may end parked again: when there
   * is no answer yet, or when what was asked about has changed.
   * @throws ToolgateError `usage` without a store, `not_found`, `stale` when it is no longer asked, `store_corrupt`
   */
  resume(approvalId: string, options: Omit<ExecuteOptions, "id"> = {}): AsyncIterable<GateEvent> {
    return resumeApproval(this.#gateFor(options), approvalId, options);
  }

  /**
   * Goes on with a call wherever it stands, after a restart: gives its result again, goes on with its question, says that nobody knows
   * its outcome, or runs it when nothing is known of it and not its id alone is given. Call ids have to be unique in a session.
   * @throws ToolgateError `usage` without a store, `not_found` for an id that nothing is known of
   */
  resumeCall(call: ToolCall | string, options: Omit<ExecuteOptions, "id"> = {}): AsyncIterable<GateEvent> {
    return resumeCall(this.#gateFor(options), call, options);
  }

  /** Takes the outcome of a call that was handed over to somebody else, and gives what it comes to. Never rejects. */
  deliver(call: ToolCall, chunk: ToolChunk, emit?: (event: GateEvent) => void): Promise<ToolResponse> {
    return deliver(this.#gate, call, chunk, emit);
  }

  /** Has every call from now on watched, and gives what ends that. */
  watch(observer: CallObserver): () => void {
    this.#observers.add(observer);
    return () => void this.#observers.delete(observer);
  }

  /** Who answers what has to be asked, if anybody is at hand. */
  get approver(): Approver | undefined {
    return this.#options.approver;
  }

  /** The rules that it was made with; those of the session itself are in its state. */
  get givenRules(): readonly PermissionRule[] {
    return this.#rules;
  }

  /** Where edits may be accepted, the project's directory first. */
  get workingDirectories(): readonly string[] {
    return [this.#project, ...this.state.permissions.workingDirectories];
  }

  /** Where questions wait and started calls are kept, if anywhere. */
  get store(): Store | undefined {
    return this.#options.store;
  }

  /** Who carries out the calls of external tools, if anybody is at hand. */
  get external(): ExternalExecutor | undefined {
    return this.#options.external;
  }

  /**
   * The verdict on a call, with the rules that would settle it; runs nothing and asks nobody. `rules` are taken to be in force
   * besides those that are.
   * @throws ToolgateError `unknown_tool`, `tool_inactive`, `invalid_input`
   */
  judge(
    name: string,
    input: string | JsonObject = {},
    rules: readonly PermissionRule[] = [],
  ): Promise<PermissionDecision> {
    if (rules.length === 0) return judgeCall(this.#gate, name, input);
    const contextFor = (backend: Backend): PermissionContext => {
      const context = this.#contextFor(backend);
      return { ...context, rules: [...context.rules, ...rules] };
    };
    return judgeCall({ ...this.#gate, contextFor }, name, input);
  }

  /** Where the tools act. */
  backend(): MaybePromise<Backend> {
    if (this.#backend !== undefined) return this.#backend;
    this.#loading ??= import("../backends/local.ts").then(({ localBackend }) => {
      this.#backend = localBackend({ cwd: this.#project });
      return this.#backend;
    });
    return this.#loading;
  }

  /** Closes the tools that hold something open, and the backend if the toolkit made it. */
  async [Symbol.asyncDispose](): Promise<void> {
    const open = this.#registry.all().filter(isDisposable);
    await Promise.allSettled(open.map((tool) => tool[Symbol.asyncDispose]()));
    if (this.#options.backend === undefined) await (await this.#loading)?.[Symbol.asyncDispose]();
  }

  #gateFor({ approver, external, review }: Omit<ExecuteOptions, "id">): Gate {
    if (approver === undefined && external === undefined && review === undefined) return this.#gate;
    return {
      ...this.#gate,
      ...(approver === undefined ? {} : { approver }),
      ...(external === undefined ? {} : { external }),
      review,
    };
  }

  #makeGate(): Gate {
    const { limits, confine = "auto", audit, approver, external, store } = this.#options;
    return {
      state: this.state,
      limits: { ...DEFAULT_LIMITS, ...limits },
      confine,
      audit,
      approver,
      external,
      store,
      questions: new Turns(),
      observers: this.#observers,
      find: (name) => this.#registry.find(name),
      backendOf: (tool) => tool.backend ?? this.backend(),
      contextFor: (backend) => this.#contextFor(backend),
    };
  }

  #contextFor(backend: Backend): PermissionContext {
    const { mode, workingDirectories } = this.state.permissions;
    const { additionalDangerousFiles: files, additionalDangerousDirectories: directories } = this.#options;
    // The session's directories are the toolkit's backend's; a tool with a backend of its own is at home there.
    const home = backend === this.#backend;
    return {
      mode,
      cwd: home ? this.state.cwd : backend.cwd,
      workingDirectories: home ? [this.#project, ...workingDirectories] : [backend.cwd],
      rules: this.#rulesInForce(),
      backend,
      ...(files === undefined ? {} : { additionalDangerousFiles: files }),
      ...(directories === undefined ? {} : { additionalDangerousDirectories: directories }),
    };
  }

  /** The same array while nothing has changed: the engine makes rules ready once for an array. */
  #rulesInForce(): readonly PermissionRule[] {
    const given = this.#rules.length;
    const { rules } = this.state.permissions;
    const same =
      this.#merged.length === given + rules.length &&
      rules.every((rule, at) => rule === this.#merged[given + at]);
    if (!same) this.#merged = [...this.#rules, ...rules];
    return this.#merged;
  }
}

function asList<T>(value: T | readonly T[]): readonly T[] {
  return Array.isArray(value) ? value : [value as T];
}

function isDisposable(tool: Tool): tool is Tool & AsyncDisposable {
  return Symbol.asyncDispose in tool;
}
