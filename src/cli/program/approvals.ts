import { type Command, Option } from "commander";
import { backendOption, collect, cwdOption, type Does, jsonOption, storeOption } from "../options.ts";

/** `approvals list|show|approve|reject` */
export function addApprovals(approvals: Command, does: Does): void {
  const load = () => import("../commands/approvals.ts");
  const common = (command: Command) =>
    command.addOption(cwdOption()).addOption(storeOption()).addOption(jsonOption());
  common(approvals.command("list"))
    .description("list the questions that wait for an answer, oldest first")
    .addOption(
      new Option("--status <status>", "list others")
        .choices(["pending", "approved", "rejected", "consumed", "expired", "withdrawn", "all"])
        .default("pending"),
    )
    .action(does(async (options) => (await load()).list(options)));
  common(approvals.command("show <id>"))
    .description("show a question: the call, why it is asked, what the answer binds, when it expires")
    .action(does(async (id: string, options) => (await load()).show(id, options)));
  common(approvals.command("approve <id>"))
    .description("let the call run, once")
    .option("--rule <rule>", "allow this as well for the rest of its session (repeatable)", collect, [])
    .option("--edit <json>", "run it with this input instead; it is judged again")
    .option("--run", "run it now and show its answer, as `call --resume` does")
    .addOption(backendOption())
    .action(does(async (id: string, options) => (await load()).approve(id, options)));
  common(approvals.command("reject <id>"))
    .description("refuse the call")
    .option("--feedback <text>", "what is wanted instead, for the model")
    .action(does(async (id: string, options) => (await load()).reject(id, options)));
}
