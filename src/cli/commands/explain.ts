import { ToolgateError } from "../../errors.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { explainDecision } from "../../permission/explain.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { explanationText } from "../explanation-text.ts";
import type { JudgeOptions } from "../judge-options.ts";
import { painter, write, writeJson } from "../output.ts";
import { presetWith } from "../preset.ts";
import { openSession } from "../session.ts";
import { explainBatch, verdictOf } from "./explain-batch.ts";

/** Options of `toolgate explain`. */
export interface ExplainOptions extends JudgeOptions {
  readonly tool: string;
  readonly backend?: string;
  readonly batch?: boolean;
}

/** `toolgate explain`: what would be decided, and why. Runs nothing, and is done whatever the verdict is. */
export async function explain(command: string | undefined, options: ExplainOptions): Promise<ExitCode> {
  await using session = await openSession({
    ...options,
    preset: options.batch === true ? "all" : presetWith(options.tool),
    judgesOnly: true,
  });
  const { toolkit } = session;
  if (options.batch) {
    await explainBatch(process.stdin, options.tool, (tool, input) => toolkit.judge(tool, input));
    return EXIT.done;
  }
  if (command === undefined) {
    throw new ToolgateError("usage", "There is no command to explain.", { hint: "Give one, or --batch." });
  }
  const input = options.tool === "Bash" ? { command } : parseInput(command);
  const decision = await toolkit.judge(options.tool, input);
  if (options.json) {
    const { effects: effectsInWords, ...explanation } = explainDecision(decision, { text: command });
    await writeJson({ ...explanation, effectsInWords, ...verdictOf(decision) });
  } else await write(process.stdout, `${explanationText(decision, command, painter(process.stdout))}\n`);
  return EXIT.done;
}

function parseInput(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ToolgateError("usage", "The input of a tool other than Bash has to be JSON.", { cause });
  }
  // It was read from JSON, so it is nothing but JSON.
  if (isObject(value)) return value as JsonObject;
  throw new ToolgateError("usage", "The input has to be a JSON object.");
}
