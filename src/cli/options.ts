import { type Command, InvalidArgumentError, Option } from "commander";
import type { ExitCode } from "./exit.ts";
import { BACKEND_HELP } from "./local-place.ts";

/** Takes a command's result as the program's. */
export type Does = <A extends readonly unknown[]>(
  action: (...args: A) => Promise<ExitCode>,
) => (...given: A) => Promise<void>;

/** The modes, for help texts. */
export const MODE_HELP = "default, acceptEdits, explore, bypass or dontAsk";

/** Options of commands that judge a call. */
export function judging(command: Command): Command {
  return command
    .option("--mode <mode>", MODE_HELP)
    .option("--rule <rule>", "a rule for this once, 'allow:Bash(git:*)' (repeatable)", collect, [])
    .addOption(cwdOption())
    .addOption(jsonOption());
}

/** `--cwd DIRECTORY` */
export function cwdOption(): Option {
  return new Option("--cwd <directory>", "where relative paths start").default(
    process.cwd(),
    "the current directory",
  );
}

/** `--backend WHERE` */
export function backendOption(): Option {
  return new Option(
    "--backend <place>",
    `${BACKEND_HELP} (default: \`backend\` of the settings, else local)`,
  );
}

/** `--json` */
export function jsonOption(): Option {
  return new Option("--json", "one JSON value on standard output, everything else on standard error");
}

/** `--store WHERE` */
export function storeOption(): Option {
  return new Option(
    "--store <place>",
    "where sessions and questions are kept: a file, or postgres://… (default: .toolgate/state.db of the project)",
  );
}

/** `--model PROVIDER/MODEL` and `--base-url URL` */
export function modelOptions(command: Command): Command {
  return command
    .option(
      "--model <provider/model>",
      "openai/NAME for any OpenAI-compatible service, anthropic/NAME (default: TOOLGATE_MODEL, or `model` in ~/.toolgate/settings.json)",
    )
    .option("--base-url <url>", "the service's address (default: OPENAI_BASE_URL or ANTHROPIC_BASE_URL)");
}

/** Gathers an option that may be given several times. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** Reads an option's number. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= least && value <= most && text.trim() !== "") return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}
