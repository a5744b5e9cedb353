/** How long an agent waits for its model and what it shows it. Answers of tools are kept within the toolkit's limits. */
export interface AgentLimits {
  /** How often a request is made again that failed before anything came. @default 3 */
  readonly modelRetries: number;
  /** Milliseconds before the first of these; each further wait is twice as long. @default 500 */
  readonly retryDelayMs: number;
  /** Milliseconds that such a wait takes at most, whatever the provider asks for. @default 30000 */
  readonly maxRetryDelayMs: number;
  /** Milliseconds that a model may be silent. @default 300000 */
  readonly modelSilenceMs: number;
  /** Images that the model is shown, the newest; older ones are named. @default 10 */
  readonly images: number;
}

/** The limits where an agent sets none. */
export const DEFAULT_AGENT_LIMITS: AgentLimits = {
  modelRetries: 3,
  retryDelayMs: 500,
  maxRetryDelayMs: 30_000,
  modelSilenceMs: 300_000,
  images: 10,
};
