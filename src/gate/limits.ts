/** How long a call may take and how much it may say. */
export interface GateLimits {
  /** Milliseconds a call may run, waiting for approval not counted. @default 660000, a minute above the longest that Bash allows */
  readonly timeoutMs: number;
  /** Milliseconds a stopped call has for its last words, before it is let go of. @default 5000 */
  readonly graceMs: number;
  /** Milliseconds that a question in a store can be answered and the answer used. @default 86400000, a day */
  readonly approvalMs: number;
  /** Characters of an input's text. @default 10485760 */
  readonly inputChars: number;
  /** Characters of an answer that are shown, start and end; all of a longer one goes to a file. @default 30000 */
  readonly answerChars: number;
  /** Characters of a line that are shown. @default 2000 */
  readonly lineChars: number;
  /** Bytes of images and other data in one answer; more goes to files. @default 8388608 */
  readonly dataBytes: number;
}

/** The limits where a toolkit sets none. */
export const DEFAULT_LIMITS: GateLimits = {
  timeoutMs: 660_000,
  graceMs: 5000,
  approvalMs: 24 * 60 * 60 * 1000,
  inputChars: 10 * 1024 * 1024,
  answerChars: 30_000,
  lineChars: 2000,
  dataBytes: 8 * 1024 * 1024,
};
