import { ToolgateError } from "./errors.ts";
import type { FunctionTool, FunctionToolOptions } from "./function-tool.ts";

/** What {@link toolsFromModule} takes besides the path. */
export interface ToolsFromModuleOptions
  extends Pick<FunctionToolOptions, "isConcurrencySafe" | "isReadOnly" | "middlewares"> {
  /** Only these exports. @default every exported function */
  readonly only?: readonly string[];
}

/** In work. */
export async function toolsFromModule(
  path: string,
  options: ToolsFromModuleOptions = {},
): Promise<readonly FunctionTool[]> {
  throw new ToolgateError("unsupported", `${path} ${String(options.only)}`);
}
