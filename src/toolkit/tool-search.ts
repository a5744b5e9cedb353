import { type ToolChunk, toolChunk } from "../chunk.ts";
import type { Effect } from "../effect.ts";
import { isObject } from "../lib/json.ts";
import { nearestNames } from "../lib/nearest.ts";
import type { JsonSchema, Tool, ToolInput } from "../tool.ts";
import { ToolBase } from "../tool-base.ts";

/** The name of the tool that finds tools which are shown on demand only. */
export const TOOL_SEARCH = "ToolSearch";

const LIMIT = 5;
const MOST = 20;
/** Characters of names that are listed for the model. */
const LISTED_CHARS = 6000;

const INPUT_SCHEMA = {
  type: "object",
  properties: {
    query: {
      type: "string",
      description:
        'Words that say what you need, "create github issue"; or exact names, "select:mcp__github__create_issue,mcp__github__get_issue".',
    },
    limit: {
      type: "integer",
      minimum: 1,
      maximum: MOST,
      description: `How many tools at most. Default ${LIMIT}.`,
    },
  },
  required: ["query"],
  additionalProperties: false,
} as const;

/**
 * Finds tools by words or name and activates them: from then on the model is shown them. In a toolkit whenever it has more tools than it
 * shows, so that their schemas don't fill the model's context.
 */
export class ToolSearch extends ToolBase {
  readonly name: string = TOOL_SEARCH;
  readonly inputSchema: JsonSchema = INPUT_SCHEMA;
  readonly #catalogue: () => readonly Tool[];
  readonly #activate: (names: readonly string[]) => void;

  constructor(catalogue: () => readonly Tool[], activate: (names: readonly string[]) => void) {
    super();
    this.#catalogue = catalogue;
    this.#activate = activate;
  }

  /** The same whatever was activated, so that a prompt's beginning stays the same. */
  get description(): string {
    const names = this.#catalogue()
      .map(({ name }) => name)
      .sort();
    return (
      "Finds more tools, and makes those that it finds callable: the answer has their descriptions and parameters. " +
      `There are ${names.length} tools that aren't shown until they are found here: ${listed(names)}`
    );
  }

  /** It touches nothing but the session, so it is allowed in every mode. */
  override effects(): readonly Effect[] {
    return [];
  }

  override async call({ query, limit }: ToolInput): Promise<ToolChunk> {
    const tools = this.#catalogue();
    const text = typeof query === "string" ? query.trim() : "";
    const most = typeof limit === "number" ? limit : LIMIT;
    const found = /^select:/i.test(text) ? selected(text.slice(7), tools) : searched(text, tools, most);
    if (found.length === 0) return toolChunk({ text: nothing(text, tools) });
    this.#activate(found.map(({ name }) => name));
    return toolChunk({ text: `These tools can be called now:\n\n${found.map(shown).join("\n\n")}` });
  }
}

function listed(names: readonly string[]): string {
  const all = names.join(", ");
  if (all.length <= LISTED_CHARS) return `${all}.`;
  const cut = all.slice(0, all.lastIndexOf(", ", LISTED_CHARS));
  return `${cut} and ${names.length - cut.split(", ").length} more.`;
}

function shown({ name, description, inputSchema }: Tool): string {
  return `## ${name}\n${description.trim()}\nParameters: ${JSON.stringify(inputSchema)}`;
}

function nothing(query: string, tools: readonly Tool[]): string {
  const wanted = query.replace(/^select:/i, "").slice(0, 200);
  const near = nearestNames(
    wanted,
    tools.map(({ name }) => name),
  );
  return near.length > 0
    ? `No tool fits ${JSON.stringify(wanted)}. Did you mean ${near.join(" or ")}?`
    : `No tool fits ${JSON.stringify(wanted)}. Try other words.`;
}

function selected(list: string, tools: readonly Tool[]): readonly Tool[] {
  const wanted = new Set(list.split(",").map((name) => name.trim()));
  return tools.filter(({ name }) => wanted.has(name)).slice(0, MOST);
}

/** The tools that fit best. A word counts more the fewer tools have it, and more in a name than in a description. */
function searched(query: string, tools: readonly Tool[], limit: number): readonly Tool[] {
  const words = [...new Set(wordsOf(query))].slice(0, 30);
  const pages = tools.map((tool) => ({ tool, page: pageOf(tool) }));
  const rated = pages.map(({ tool }) => ({ tool, score: 0 }));
  for (const word of words) {
    const fits = pages.map(({ page }) => fitOf(word, page));
    const having = fits.filter((fit) => fit > 0).length;
    const weight = Math.log(1 + tools.length / Math.max(1, having));
    for (const [at, each] of rated.entries()) each.score += weight * (fits[at] ?? 0);
  }
  return rated
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1))
    .slice(0, limit)
    .map(({ tool }) => tool);
}

interface Page {
  readonly name: string;
  readonly inName: ReadonlySet<string>;
  readonly inText: ReadonlySet<string>;
  readonly inParameters: ReadonlySet<string>;
}

function pageOf({ name, description, inputSchema }: Tool): Page {
  const { properties } = inputSchema;
  return {
    name: name.toLowerCase(),
    inName: new Set(wordsOf(name)),
    inText: new Set(wordsOf(description)),
    inParameters: new Set(isObject(properties) ? Object.keys(properties).flatMap(wordsOf) : []),
  };
}

function fitOf(word: string, { name, inName, inText, inParameters }: Page): number {
  if (inName.has(word)) return 6;
  if (word.length > 2 && name.includes(word)) return 3;
  if (inText.has(word)) return 2;
  return inParameters.has(word) ? 1 : 0;
}

/** Words in lower case, a plural's s taken off; `getPullRequest` and `get_pull_request` are three. */
function wordsOf(text: string): readonly string[] {
  return text
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "" && word !== "mcp")
    .map((word) => (word.length > 3 ? word.replace(/s$/, "") : word));
}
