import type { Command } from "commander";
import { backendOption, collect, cwdOption, type Does, MODE_HELP, storeOption } from "../options.ts";

/** `chat` */
export function addChat(program: Command, does: Does): void {
  program
    .command("chat")
    .description("talk with a model that works through the gate; what it must ask, it asks here")
    .option(
      "--model <provider/model>",
      "openai/NAME for any OpenAI-compatible service, anthropic/NAME (default: TOOLGATE_MODEL, or `model` in ~/.toolgate/settings.json)",
    )
    .option("--base-url <url>", "the service's address (default: OPENAI_BASE_URL or ANTHROPIC_BASE_URL)")
    .option("--session <name>", "go on with the session of that name, or begin it")
    .option("--preset <name>", "which tools: coding, assistant or all", "coding")
    .option("--mode <mode>", MODE_HELP)
    .option("--rule <rule>", "a rule for this run, 'allow:Bash(git:*)' (repeatable)", collect, [])
    .addOption(backendOption())
    .addOption(cwdOption())
    .addOption(storeOption())
    .action(does(async (options) => (await import("../commands/chat.ts")).chat(options)));
}
