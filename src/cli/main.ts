import { readFileSync } from "node:fs";
import { isToolgateError, ToolgateError } from "../errors.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { isClosedPipe, painter } from "./output.ts";

async function main(args: readonly string[]): Promise<ExitCode> {
  const version = packageVersion();
  if (args.length === 1 && (args[0] === "--version" || args[0] === "-V")) {
    console.log(version);
    return EXIT.done;
  }
  try {
    checkHere();
    const { runProgram } = await import("./program.ts");
    return await runProgram(args, version);
  } catch (error) {
    if (isClosedPipe(error)) return EXIT.done;
    if (!isToolgateError(error)) throw error;
    console.error(`${painter(process.stderr)("red", "toolgate:")} ${error.text}`);
    return exitCodeOf(error);
  }
}

/** The directory it was started in may have been removed since. @throws ToolgateError `not_found` */
function checkHere(): void {
  try {
    process.cwd();
  } catch (cause) {
    throw new ToolgateError("not_found", "The current directory doesn't exist any more.", {
      hint: "Go to one that does (cd), then try again.",
      cause,
    });
  }
}

const USAGE: ReadonlySet<string> = new Set([
  "usage",
  "invalid_input",
  "invalid_rule",
  "invalid_settings",
  "unknown_tool",
]);

function exitCodeOf({ code }: ToolgateError): ExitCode {
  if (code === "denied") return EXIT.denied;
  if (code === "approval_required") return EXIT.approvalNeeded;
  return USAGE.has(code) ? EXIT.usage : EXIT.failed;
}

function packageVersion(): string {
  // The same two steps up from src/cli and from dist/cli.
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return /"version":\s*"([^"]+)"/.exec(text)?.[1] ?? "unknown";
}

// A reader that goes away (`| head`) ends the program in silence, as other programs do.
process.stdout.on("error", (error) => {
  if (!isClosedPipe(error)) throw error;
  process.exit(EXIT.done);
});
process.exitCode = await main(process.argv.slice(2));
