import { ToolgateError } from "../../errors.ts";
import type { AgentBudget } from "./task.ts";

/** What a sub-agent has used of its budget. */
export class Spending {
  readonly #budget: Pick<AgentBudget, "iterations" | "tokens">;
  #iterations = 0;
  #tokens = 0;

  constructor(budget: Pick<AgentBudget, "iterations" | "tokens">) {
    this.#budget = budget;
  }

  get iterations(): number {
    return this.#iterations;
  }

  get tokens(): number {
    return this.#tokens;
  }

  /** Before the model is called. @throws ToolgateError `budget_exceeded` */
  check(): void {
    const { iterations, tokens } = this.#budget;
    if (this.#iterations >= iterations) throw usedUp(`all its ${iterations} turns`);
    if (this.#tokens >= tokens) throw usedUp(`${this.#tokens} tokens of the ${tokens} that it had`);
  }

  /** After it was called. */
  add(tokens: number): void {
    this.#iterations += 1;
    this.#tokens += tokens;
  }
}

function usedUp(what: string): ToolgateError {
  return new ToolgateError(
    "budget_exceeded",
    `It has used ${what}, and had not finished: what it said last is no result.`,
  );
}
