/** Names by which files of source code, text and waste are found: none of them is a secret or decides what runs. */
const ORDINARY =
  /^[\w*?-]+(?:\.[\w*?-]+)?\.(?:[cm]?[jt]sx?|py|pyi|go|rs|rb|php|java|kt|scala|swift|cc?|cpp|cxx|hh?|hpp|cs|css|scss|less|html?|vue|svelte|lua|pl|ex|exs|erl|hs|ml|dart|sql|proto|graphql|txt|rst|tex|csv|svg|o|a|so|obj|class|pyc|log|tmp|bak|orig|rej|swp)$/i;

/** Follows find's expression, and tells whether what comes next only gets files with ordinary names. */
export class FindNames {
  #chosen = false;
  #depth = 0;
  /** Of the parentheses that are open: every alternative before has such a name; the present one has. */
  #all = true;
  #present = false;
  #negated = false;

  /** Whether a name was asked for on the way to the present term. */
  get chosen(): boolean {
    return this.#depth === 0 && this.#chosen;
  }

  /** Takes a term, and the word behind it. */
  take(term: string, next: string | null): void {
    const negated = this.#negated;
    this.#negated = term === "!" || term === "-not";
    if (term === "(") this.#open(negated);
    else if (term === ")") this.#close();
    else if (term === "-o" || term === "-or" || term === ",") this.#separate();
    else if ((term === "-name" || term === "-iname") && !negated && next !== null && ORDINARY.test(next)) {
      if (this.#depth === 0) this.#chosen = true;
      else this.#present = true;
    }
  }

  #open(negated: boolean): void {
    this.#depth += 1;
    // Parentheses in parentheses, or behind a negation, aren't followed.
    this.#all = this.#depth === 1 && !negated;
    this.#present = false;
  }

  #close(): void {
    this.#depth -= 1;
    if (this.#depth === 0 && this.#all && this.#present) this.#chosen = true;
    this.#all = false;
  }

  #separate(): void {
    if (this.#depth === 0) this.#chosen = false;
    else {
      this.#all &&= this.#present;
      this.#present = false;
    }
  }
}
