/** Options of every command that judges or runs. */
export interface JudgeOptions {
  readonly cwd: string;
  readonly mode?: string;
  /** In the form `allow:Bash(git:*)`. */
  readonly rule: readonly string[];
  readonly json?: boolean;
}
