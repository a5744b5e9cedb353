import { serveOverStdio } from "../../mcp/stdio.ts";
import { parseMode } from "../../permission/mode.ts";
import { parseBackend } from "../backend-choice.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { onInterrupt } from "../interrupt.ts";
import { note } from "../output.ts";
import { presetTools } from "../preset.ts";
import { openServed } from "../serve-session.ts";

/** Options of `toolgate mcp`. */
export interface McpOptions {
  readonly cwd: string;
  readonly mode?: string;
  readonly preset: string;
  readonly backend?: string;
  readonly store?: string;
}

/** What a model is told about the server as a whole. */
export const INSTRUCTIONS =
  "Every call is judged by what it will do before it runs. A refused call says why and what would settle it: do what it says, or another way; the same call again gets the same answer.";

/** `toolgate mcp`: serves one client over standard input and output until it leaves. */
export async function mcp(options: McpOptions, version: string): Promise<ExitCode> {
  checkWords(options);
  await serveOverStdio({
    open: openServed(options),
    facts: { version, instructions: INSTRUCTIONS },
    onError: (error) => note(`toolgate: ${error.message}`),
    signal: onInterrupt(),
  });
  return EXIT.done;
}

/** The session is opened when its client first needs it; a mistyped command line is told before there is one. */
function checkWords({ mode, preset, backend }: McpOptions): void {
  if (mode !== undefined) parseMode(mode);
  presetTools(preset);
  if (backend !== undefined) parseBackend(backend);
}
