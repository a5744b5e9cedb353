/** Names by which files of source code, text and waste are found: none of them is a secret or decides what runs. */
const ORDINARY =
  /^[\w*?-]+(?:\.[\w*?-]+)?\.(?:[cm]?[jt]sx?|py|pyi|go|rs|rb|php|java|kt|scala|swift|cc?|cpp|cxx|hh?|hpp|cs|css|scss|less|html?|vue|svelte|lua|pl|ex|exs|erl|hs|ml|dart|sql|proto|graphql|txt|rst|tex|csv|svg|o|a|so|obj|class|pyc|log|tmp|bak|orig|rej|swp)$/i;

/** What tools leave behind and make again. */
const WASTE =
  /^(?:__pycache__|\.(?:pytest|mypy|ruff)_cache|\.ipynb_checkpoints|[\w*-]*\.egg-info|\.DS_Store|Thumbs\.db|\*~)$/;

/** Whether a test of find chooses files with ordinary names. */
export function choosesNames(term: string, next: string | null): boolean {
  if (next === null || (term !== "-name" && term !== "-iname")) return false;
  return ORDINARY.test(next) || WASTE.test(next);
}

/** Whether a test of find chooses plain files, no links to them. */
export function choosesFiles(term: string, next: string | null): boolean {
  return term === "-type" && next === "f";
}

/** Follows find's expression, and tells whether what comes next only gets what a test has chosen. */
export class FindChoice {
  readonly #chooses: (term: string, next: string | null) => boolean;
  #chosen = false;
  #depth = 0;
  /** Of the parentheses that are open: every alternative before chooses so; the present one does. */
  #all = true;
  #present = false;
  #negated = false;

  constructor(chooses: (term: string, next: string | null) => boolean) {
    this.#chooses = chooses;
  }

  /** Whether it was chosen on the way to the present term. */
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
    else if (!negated && this.#chooses(term, next)) {
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
