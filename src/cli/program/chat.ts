import type { Command } from "commander";
import {
  backendOption,
  collect,
  cwdOption,
  type Does,
  MODE_HELP,
  modelOptions,
  storeOption,
} from "../options.ts";

/** `chat` */
export function addChat(program: Command, does: Does): void {
  modelOptions(
    program
      .command("chat")
      .description("talk with a model that works through the gate; what it must ask, it asks here"),
  )
    .option("--session <name>", "go on with the session of that name, or begin it")
    .option("--preset <name>", "which tools: coding, assistant or all", "coding")
    .option("--mode <mode>", MODE_HELP)
    .option("--rule <rule>", "a rule for this run, 'allow:Bash(git:*)' (repeatable)", collect, [])
    .addOption(backendOption())
    .addOption(cwdOption())
    .addOption(storeOption())
    .action(does(async (options) => (await import("../commands/chat.ts")).chat(options)));
}
