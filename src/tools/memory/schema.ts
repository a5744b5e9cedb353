import type { JsonSchema } from "../../tool.ts";
import { MOST_ENTRIES } from "./fields.ts";

const count = { type: "integer", minimum: 1, maximum: MOST_ENTRIES };
const line = { type: "integer", minimum: 1 };

/** What a model is told of the memory's input. */
export const SCHEMA: JsonSchema = {
  type: "object",
  properties: {
    action: {
      type: "string",
      enum: ["write", "search", "read", "update", "delete"],
      description: "What to do.",
    },
    content: { type: "string", description: "write, update: what to remember. Items are parted by ；" },
    keywords: { type: "string", description: "search: words with blanks between them." },
    max_results: { ...count, description: "search: entries at most. Default 15." },
    match_mode: {
      type: "string",
      enum: ["or", "and"],
      description: "search: any keyword, or all. Default or.",
    },
    start_line: { ...line, description: "read, update, delete: the line, or the first one." },
    end_line: { ...line, description: "read, delete: the last line. Default start_line." },
    recent_count: { ...count, description: "read: how many of the last entries. Default 10." },
    source: { type: "string", description: "search: only entries from this channel or session." },
    date_from: { type: "string", description: "search: only entries of this day (YYYY-MM-DD) or later." },
    date_to: { type: "string", description: "search: only entries of this day or earlier." },
  },
  required: ["action"],
  additionalProperties: false,
};
