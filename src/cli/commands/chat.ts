import { ToolgateError } from "../../errors.ts";
import type { ExitCode } from "../exit.ts";

/** Options of `toolgate chat`. */
export interface ChatOptions {
  readonly cwd: string;
}

/** `toolgate chat` */
export async function chat(_options: ChatOptions): Promise<ExitCode> {
  throw new ToolgateError("usage", "`toolgate chat` is not in this version.");
}
