import { createContext, Script } from "node:vm";
import type { AnySchemaObject, ValidateFunction } from "ajv";
import { ToolgateError } from "../errors.ts";
import { after } from "../lib/after.ts";
import type { JsonObject, MaybePromise } from "../lib/json.ts";
import type { InputIssue, JsonSchema, Tool } from "../tool.ts";
import { failureOf } from "./failure.ts";
import { fitsPlainly } from "./plain-input.ts";
import { schemaIssues } from "./schema-issues.ts";

/** Checks an input; `undefined` means that it fits. */
type Check = (input: JsonObject) => readonly InputIssue[] | undefined;

/** Compiled once for a schema object. A schema that can't be compiled isn't tried again. */
const compiled = new WeakMap<JsonSchema, Check | ToolgateError>();

/** Issues that are told; a model mends them one by one anyway. */
const MOST_ISSUES = 8;

/**
 * Holds an input against the tool's own check, or else its schema. Nothing is coerced, and no default is filled in.
 * @throws ToolgateError `invalid_input` naming each parameter, what was expected and what came; `tool_failed` when the schema
 * is broken
 */
export function validateInput(tool: Tool, input: JsonObject): MaybePromise<void> {
  if (tool.checkInput !== undefined) {
    return after(ownIssues(tool, input), (issues) => refuse(tool.name, issues));
  }
  const { inputSchema } = tool;
  const known = compiled.get(inputSchema);
  if (known === undefined) {
    if (fitsPlainly(inputSchema, input)) return;
    return compile(inputSchema).then((check) => {
      compiled.set(inputSchema, check);
      run(tool.name, check, input);
    });
  }
  return run(tool.name, known, input);
}

/** What the tool's own check says; what it throws is the tool's failure. */
function ownIssues(tool: Tool, input: JsonObject): MaybePromise<readonly InputIssue[]> {
  const failed = (error: unknown): never => {
    throw failureOf(tool, error);
  };
  try {
    const issues = tool.checkInput?.(input) ?? [];
    return issues instanceof Promise ? issues.catch(failed) : issues;
  } catch (error) {
    return failed(error);
  }
}

function run(toolName: string, check: Check | ToolgateError, input: JsonObject): void {
  if (check instanceof ToolgateError) {
    throw new ToolgateError("tool_failed", `${toolName} can't be called: ${check.message}`, {
      hint: "Use another tool.",
      cause: check,
    });
  }
  const issues = check(input);
  if (issues !== undefined) refuse(toolName, issues);
}

function refuse(toolName: string, issues: readonly InputIssue[]): void {
  if (issues.length === 0) return;
  const told = issues.slice(0, MOST_ISSUES).map(issueText);
  if (issues.length > MOST_ISSUES) told.push(`And ${issues.length - MOST_ISSUES} more.`);
  const list = told.length === 1 ? ` ${told[0]}` : `\n${told.map((line) => `- ${line}`).join("\n")}\n`;
  const text = `The input of ${toolName} doesn't fit:${list}`;
  throw new ToolgateError("invalid_input", text, { hint: "Nothing was run; call again with it mended." });
}

function issueText({ path, message }: InputIssue): string {
  const sentence = /[.?!]$/.test(message) ? message : `${message}.`;
  if (path === "") return sentence;
  // Our own words go on from the name; a schema library's begin anew.
  return /^[A-Z]/.test(message) ? `\`${path}\`: ${sentence}` : `\`${path}\` ${sentence}`;
}

const OPTIONS = {
  strict: false,
  logger: false,
  validateFormats: false,
  verbose: true,
  // A required name such as `constructor` isn't there only because every object inherits one.
  ownProperties: true,
} as const;

/** Makes a validator that stops at the first fault, or one that looks for all. */
type Maker = (allErrors: boolean) => ValidateFunction;

/** Both drafts that are in use; a schema that names none and isn't one of the newer may be one of the older. */
async function compile(schema: JsonSchema): Promise<Check | ToolgateError> {
  const draft = typeof schema.$schema === "string" ? schema.$schema : "";
  const isOld = /draft-0[4-7]/.test(draft);
  const drafts = isOld ? [draft7] : [draft2020, draft7];
  let failure: unknown;
  for (const load of drafts) {
    try {
      return checkWith(await load(copyOf(schema)), schema);
    } catch (error) {
      failure ??= error;
    }
  }
  const why = failure instanceof Error ? failure.message : String(failure);
  return new ToolgateError("tool_failed", `its input schema is broken (${why}).`, { cause: failure });
}

/** Stops at the first fault, and looks for the others only in inputs that are small enough. */
function checkWith(make: Maker, schema: JsonSchema): Check {
  const first = make(false);
  let all: ValidateFunction | undefined;
  const check: Check = (input) => {
    if (first(input)) return undefined;
    if (!isSmall(input)) return schemaIssues(first.errors ?? [], input, schema);
    all ??= make(true);
    all(input);
    return schemaIssues(all.errors ?? first.errors ?? [], input, schema);
  };
  return JSON.stringify(schema).includes('"pattern') ? bounded(check) : check;
}

/** Milliseconds that the patterns of a schema may take. A server's schema may hold one that takes for ever with some texts. */
const PATTERN_MS = 500;

function bounded(check: Check): Check {
  const context = createContext({ check });
  const script = new Script("check(input)");
  return (input) => {
    context.input = input;
    try {
      const issues: ReturnType<Check> = script.runInContext(context, { timeout: PATTERN_MS });
      return issues;
    } catch (error) {
      if (!isTimeout(error)) throw error;
      return [
        { path: "", message: `A pattern of the schema took more than ${PATTERN_MS} ms with this input` },
      ];
    } finally {
      context.input = undefined;
    }
  };
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}

async function draft2020(schema: AnySchemaObject): Promise<Maker> {
  // By its default export: of a bundled CommonJS module that is all there is.
  const { default: ajv } = await import("ajv/dist/2020.js");
  return (allErrors) => new ajv.Ajv2020({ ...OPTIONS, allErrors }).compile(schema);
}

async function draft7(schema: AnySchemaObject): Promise<Maker> {
  const { default: ajv } = await import("ajv");
  // Older drafts differ from draft-07 in keywords that tools don't use; their names alone must not fail.
  const { $schema: _draft, ...rest } = schema;
  return (allErrors) => new ajv.Ajv({ ...OPTIONS, allErrors }).compile(rest);
}

/** Ajv keeps what it compiles by identity and reads it later; a caller's object may change. */
function copyOf(schema: JsonSchema): AnySchemaObject {
  const copy: AnySchemaObject = JSON.parse(JSON.stringify(schema));
  return copy;
}

/** Whether looking for every fault costs little. */
function isSmall(input: JsonObject): boolean {
  const open: unknown[] = [input];
  for (let seen = 0; open.length > 0; seen += 1) {
    const value = open.pop();
    if (seen > 2000) return false;
    if (typeof value === "object" && value !== null) for (const item of Object.values(value)) open.push(item);
  }
  return true;
}
