import { ToolgateError } from "../../errors.ts";
import type { JobSummary } from "../job.ts";
import type { AgentBudget } from "./task.ts";

/** What one call of a model took, and after how many resumptions of its job it was made. */
export interface Spent {
  readonly tokens: number;
  readonly resumes?: number;
}

/** What a sub-agent has used of its budget, which counts anew when its job is resumed. */
export class Spending {
  readonly #budget: Pick<AgentBudget, "iterations" | "tokens">;
  /** How often the job was resumed: what was spent before doesn't count. */
  readonly resumes: number;
  readonly #inAll = { iterations: 0, tokens: 0 };
  readonly #since = { iterations: 0, tokens: 0 };

  constructor(
    budget: Pick<AgentBudget, "iterations" | "tokens">,
    { resumes = 0 }: Pick<JobSummary, "resumes">,
  ) {
    this.#budget = budget;
    this.resumes = resumes;
  }

  /** Since the job began. */
  get iterations(): number {
    return this.#inAll.iterations;
  }

  /** Since the job began. */
  get tokens(): number {
    return this.#inAll.tokens;
  }

  /** Before the model is called. @throws ToolgateError `budget_exceeded` */
  check(): void {
    const { iterations, tokens } = this.#budget;
    const since = this.#since;
    const again = this.resumes === 0 ? "" : " since it was resumed";
    if (since.iterations >= iterations) throw usedUp(`all its ${iterations} turns${again}`);
    if (since.tokens >= tokens) throw usedUp(`${since.tokens} tokens of the ${tokens} that it had${again}`);
  }

  /** After it was called, or was found to have been. */
  add({ tokens, resumes = 0 }: Spent): void {
    for (const sum of resumes === this.resumes ? [this.#inAll, this.#since] : [this.#inAll]) {
      sum.iterations += 1;
      sum.tokens += tokens;
    }
  }
}

function usedUp(what: string): ToolgateError {
  return new ToolgateError(
    "budget_exceeded",
    `It has used ${what}, and had not finished: what it said last is no result. Resumed, it has as much again.`,
  );
}
