import { type Command, Option } from "commander";
import { backendOption, type Does, judging, storeOption } from "../options.ts";

/** `call`, `explain`, `tools` */
export function addCalling(program: Command, does: Does): void {
  judging(program.command("call [tool] [input]"))
    .description("call a tool through the gate; the input is JSON, or - for standard input")
    .addOption(backendOption())
    .option("--yes", "approve what would be asked (never what no rule may allow)")
    .option("--session <name>", "go on with a session of that name: its reads, directory and rules")
    .option("--resume <approval>", "run the call that this approval lets run, once")
    .addOption(storeOption())
    .action(
      does(async (tool: string | undefined, input: string | undefined, options) =>
        (await import("../commands/call.ts")).call(tool, input, options),
      ),
    );
  judging(program.command("explain [command]"))
    .description("say what would be decided about a command, and why; runs nothing")
    .addOption(backendOption())
    .option("--tool <name>", "judge another tool: the command is then its input as JSON", "Bash")
    .option("--batch", 'read JSON lines {"id","command"} or {"id","tool","input"}, write one verdict a line')
    .action(
      does(async (command: string | undefined, options) =>
        (await import("../commands/explain.ts")).explain(command, options),
      ),
    );
  program
    .command("tools")
    .description("list the tools")
    .option("--preset <name>", "which set", "coding")
    .addOption(
      new Option("--format <format>", "text for reading, or the schemas a provider takes")
        .choices(["text", "json", "openai", "anthropic", "mcp"])
        .default("text"),
    )
    .action(does(async (options) => (await import("../commands/tools.ts")).tools(options)));
}
