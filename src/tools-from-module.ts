import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { ToolgateError } from "./errors.ts";
import { FunctionTool, type FunctionToolOptions, type PlainFunction } from "./function-tool.ts";
import type { FunctionFacts } from "./lib/function-facts.ts";
import type { TypeScript } from "./lib/type-schema.ts";

/** What {@link toolsFromModule} takes besides the path. */
export interface ToolsFromModuleOptions
  extends Pick<FunctionToolOptions, "isConcurrencySafe" | "isReadOnly" | "isStateInjected" | "middlewares"> {
  /** Only these exports. @default every exported function */
  readonly only?: readonly string[];
}

/**
 * Makes a tool of every function that a TypeScript module exports: name, description and schema come from the function's name, types and TSDoc
 * (`@param`). A last parameter of type `CallContext` gets the call's context; a single destructured parameter's properties are the tool's
 * parameters. Needs the package `typescript`.
 * @throws ToolgateError `missing_dependency`; `not_found`; `unsupported` naming the parameter that JSON can't carry
 */
export async function toolsFromModule(
  path: string,
  options: ToolsFromModuleOptions = {},
): Promise<readonly FunctionTool[]> {
  const { only, ...toolOptions } = options;
  const file = resolve(path);
  if (!existsSync(file)) throw new ToolgateError("not_found", `There is no file ${file}.`);
  const facts = await factsOf(file, only);
  const module: unknown = await import(pathToFileURL(file).href);
  return facts.flatMap(({ exportName, name, description, schema, parameters }) => {
    const plain: unknown =
      typeof module === "object" && module !== null ? Reflect.get(module, exportName) : undefined;
    if (!isFunction(plain)) return [];
    const handed = parameters === undefined ? {} : { parameters };
    return [new FunctionTool(plain, { ...toolOptions, name, description, input: schema, ...handed })];
  });
}

async function factsOf(file: string, only: readonly string[] | undefined): Promise<readonly FunctionFacts[]> {
  const typescript = loadTypeScript();
  const { functionFacts, NoJsonType } = await import("./lib/function-facts.ts");
  try {
    return functionFacts(typescript, file, only);
  } catch (error) {
    if (error instanceof NoJsonType) {
      const where = [...error.path].reverse().join(".").replaceAll(".[]", "[]");
      throw new ToolgateError("unsupported", `${where} in ${file} can't be a tool's: ${error.message}.`, {
        hint: "Use JSON's types: string, number, boolean, null, arrays, objects, and unions of them.",
        cause: error,
      });
    }
    throw error;
  }
}

function loadTypeScript(): TypeScript {
  try {
    const typescript: TypeScript = createRequire(import.meta.url)("typescript");
    return typescript;
  } catch (cause) {
    throw new ToolgateError(
      "missing_dependency",
      "Reading a function's types needs the package typescript.",
      {
        hint: "Install it: npm install typescript@6.",
        cause,
      },
    );
  }
}

function isFunction(value: unknown): value is PlainFunction {
  return typeof value === "function";
}
