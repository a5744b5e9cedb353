import type { Command } from "commander";
import {
  backendOption,
  collect,
  cwdOption,
  type Does,
  jsonOption,
  MODE_HELP,
  modelOptions,
} from "../options.ts";

/** `workflow run` */
export function addWorkflow(workflow: Command, does: Does): void {
  modelOptions(
    workflow
      .command("run")
      .description(
        "run the agents of a file, JSON or YAML, as `workflow_run` takes them (`-` is standard input)",
      )
      .argument("<file>"),
  )
    .option("--preset <name>", "which tools: coding, assistant or all", "coding")
    .option("--mode <mode>", MODE_HELP)
    .option("--rule <rule>", "a rule for this run, 'allow:Bash(git:*)' (repeatable)", collect, [])
    .addOption(backendOption())
    .addOption(cwdOption())
    .addOption(jsonOption())
    .action(
      does(async (file, options) => (await import("../commands/workflow.ts")).runWorkflow(file, options)),
    );
}
