import type { MaybePromise } from "../lib/json.ts";
import type { Store } from "../store.ts";
import type { Toolkit } from "../toolkit/toolkit.ts";
import type { AgentLimits } from "./limits.ts";
import type { AgentMiddleware } from "./middleware.ts";
import type { AgentModel, ModelSettings } from "./model.ts";
import type { ImagePlace } from "./prompt.ts";

/** Keeps a session's state: what `openSession` gives. */
export interface SavedState {
  /** @throws ToolgateError `stale` when someone else saved the session since */
  save(): Promise<void>;
}

/** What {@link Agent} takes. */
export interface AgentOptions {
  /** A model of any AI SDK provider package. */
  readonly model: AgentModel;
  /** The tools; its `state` is the conversation's. */
  readonly toolkit: Toolkit;
  /** The system prompt, or what gives it for each turn. What the toolkit says about skills follows it. */
  readonly system?: string | (() => MaybePromise<string>);
  /** For people and logs. @default "agent" */
  readonly name?: string;
  /** How often the model is called for one reply. @default 25 */
  readonly maxIterations?: number;
  readonly middlewares?: readonly AgentMiddleware[];
  readonly limits?: Partial<AgentLimits>;
  /** Where questions wait and started calls are kept: the toolkit's store. The state is saved there, unless there is a `session`. */
  readonly store?: Store;
  /** Keeps the state: before calls are begun and at the end of a reply. */
  readonly session?: SavedState;
  /** Temperature, length and the like. */
  readonly settings?: ModelSettings;
  /** Where the model is shown images. @default by its provider; a model that refuses them is shown none */
  readonly images?: ImagePlace;
  /** Reminds the model of unfinished tasks that it can't see. @default true */
  readonly taskHints?: boolean;
}

/** An agent's parts, made ready. */
export interface AgentConfig {
  readonly model: AgentModel;
  readonly toolkit: Toolkit;
  readonly system: () => MaybePromise<string>;
  readonly maxIterations: number;
  readonly middlewares: readonly AgentMiddleware[];
  readonly limits: AgentLimits;
  readonly store: Store | undefined;
  readonly settings: ModelSettings;
  readonly taskHints: boolean;
  /** Changes when the model turns out to take none. */
  images: ImagePlace;
  /** Keeps the state. */
  save(): Promise<void>;
}
