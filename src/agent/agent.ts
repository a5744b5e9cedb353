import { ToolgateError } from "../errors.ts";
import type { AgentState } from "../state.ts";
import type { Store } from "../store.ts";
import type { AgentConfig, AgentOptions, SavedState } from "./config.ts";
import type { AgentEvent, AgentInput, AgentReply } from "./event.ts";
import { DEFAULT_AGENT_LIMITS } from "./limits.ts";
import { type AgentModel, checkModel } from "./model.ts";
import type { ImagePlace } from "./prompt.ts";
import { ReplyRun } from "./reply-run.ts";

/** What a caller may say about one reply. */
export interface ReplyOptions {
  /** Interrupts the reply: the model's answer and running calls are stopped, and the conversation can go on. */
  readonly signal?: AbortSignal;
}

/**
 * A conversation with a model that has tools. The conversation is the toolkit's `state`, plain JSON: a new agent in another process
 * goes on with it, also where calls wait for a person.
 */
export class Agent {
  readonly name: string;
  readonly #config: AgentConfig;
  #isBusy = false;

  /** @throws ToolgateError `unsupported` for models of an older AI SDK, `usage` */
  constructor(options: AgentOptions) {
    const { model, toolkit, system = "", name = "agent", maxIterations = 25, session } = options;
    const store = options.store ?? toolkit.store;
    checkModel(model);
    if (!(Number.isInteger(maxIterations) && maxIterations > 0)) {
      throw new ToolgateError(
        "usage",
        `maxIterations is ${maxIterations}: a whole number above 0 is expected.`,
      );
    }
    this.name = name;
    const kept = session ?? (store === undefined ? undefined : new StoredState(store, toolkit.state));
    this.#config = {
      model,
      toolkit,
      system: typeof system === "string" ? () => system : system,
      maxIterations,
      middlewares: options.middlewares ?? [],
      limits: { ...DEFAULT_AGENT_LIMITS, ...options.limits },
      store,
      settings: options.settings ?? {},
      taskHints: options.taskHints ?? true,
      images: options.images ?? imagesOf(model),
      save: async () => kept?.save(),
    };
  }

  /** The conversation, its permissions and tasks. */
  get state(): AgentState {
    return this.#config.toolkit.state;
  }

  /**
   * Replies to a message, goes on with what waited for an answer, or with nothing given goes on where the session stands. What the
   * model, a tool or a person did wrong is in the reply.
   * @throws ToolgateError `usage` for an input that doesn't fit what the session waits for; nothing has changed then
   */
  async reply(input?: AgentInput, options: ReplyOptions = {}): Promise<AgentReply> {
    const events = this.replyStream(input, options);
    for (;;) {
      const next = await events.next();
      if (next.done === true) return next.value;
    }
  }

  /**
   * The same as {@link reply}, event by event. Nothing happens before it is read; who stops reading interrupts the reply.
   * @throws ToolgateError `usage` for an input that doesn't fit what the session waits for; nothing has changed then
   */
  async *replyStream(
    input?: AgentInput,
    { signal }: ReplyOptions = {},
  ): AsyncGenerator<AgentEvent, AgentReply, undefined> {
    if (this.#isBusy) {
      throw new ToolgateError("usage", `${this.name} is in the middle of a reply.`, {
        hint: "Wait for it, or interrupt it with its signal.",
      });
    }
    this.#isBusy = true;
    const left = new AbortController();
    const either = signal === undefined ? left.signal : AbortSignal.any([signal, left.signal]);
    try {
      const run = new ReplyRun(this.#config, either);
      yield* run.events(input);
      return run.result();
    } finally {
      left.abort();
      this.#isBusy = false;
    }
  }
}

/** Providers whose results of tools may hold images. */
const IMAGES_IN_RESULTS = /^(?:anthropic|google|vertex|amazon-bedrock|openai\.responses|azure\.responses)/;

function imagesOf({ provider }: AgentModel): ImagePlace {
  return IMAGES_IN_RESULTS.test(provider) ? "result" : "message";
}

/** Saves a state in a store that nobody opened it from. */
class StoredState implements SavedState {
  readonly #store: Store;
  readonly #state: AgentState;
  #revision: number | undefined;

  constructor(store: Store, state: AgentState) {
    this.#store = store;
    this.#state = state;
  }

  async save(): Promise<void> {
    this.#revision ??= await this.#find();
    this.#revision = await this.#store.save(this.#state, this.#revision);
  }

  async #find(): Promise<number> {
    const { sessionId, messages } = this.#state;
    const saved = await this.#store.load(sessionId);
    if (saved === undefined) return 0;
    // What is kept must be where this one comes from: nothing of it gets lost then.
    const known = new Set(messages.map(({ id }) => id));
    if (saved.state.messages.every(({ id }) => known.has(id))) return saved.revision;
    throw new ToolgateError("stale", `The store has another conversation as session ${sessionId}.`, {
      hint: "Open it with openSession, and give its state to the toolkit and itself to the agent.",
    });
  }
}
