import { createHmac, timingSafeEqual } from "node:crypto";
import type { ApprovalTerms, GivenAnswer } from "../approval.ts";
import { canonicalJson } from "../lib/canonical-json.ts";

/** Signs what a store keeps of an approval, so that a change by anything else is noticed. */
export class Seal {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  terms(terms: ApprovalTerms): string {
    return this.#sign("terms", canonicalJson(terms));
  }

  /** Bound to the question: an answer can't be moved to another. */
  answer(answer: GivenAnswer, termsSignature: string): string {
    return this.#sign("answer", `${termsSignature}\n${canonicalJson(answer)}`);
  }

  #sign(what: string, text: string): string {
    return createHmac("sha256", this.#key).update(`toolgate ${what} 1\n`).update(text).digest("hex");
  }
}

/** Whether two signatures are one; takes the same time wherever they differ. */
export function isSameSignature(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
