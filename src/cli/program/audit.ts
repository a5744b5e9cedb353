import { type Command, Option } from "commander";
import { collect, cwdOption, type Does, jsonOption, wholeNumber } from "../options.ts";

/** `audit tail|stats|verify|export` */
export function addAudit(audit: Command, does: Does): void {
  const reading = (command: Command) =>
    command
      .addOption(cwdOption())
      .option("--dir <directory>", "the log's directory (default: data/audit_logs of the project)");
  const load = () => import("../commands/audit.ts");
  reading(audit.command("tail"))
    .description("show the newest records")
    .option("-n, --lines <number>", "how many", wholeNumber(1, 1_000_000), 20)
    .addOption(jsonOption())
    .action(does(async (options) => (await load()).tail(options)));
  reading(audit.command("stats"))
    .description("add the log up")
    .addOption(jsonOption())
    .action(does(async (options) => (await load()).stats(options)));
  reading(audit.command("verify"))
    .description("find any edit, removal or truncation")
    .option("--head <hash>", "a head that was noted earlier must still be there (repeatable)", collect, [])
    .addOption(jsonOption())
    .action(does(async (options) => (await load()).verify(options)));
  reading(audit.command("export"))
    .description("write all records to standard output")
    .addOption(
      new Option("--format <format>", "countbot: a line for each call, in CountBot's shape")
        .choices(["json", "csv", "countbot"])
        .default("json"),
    )
    .action(does(async (options) => (await load()).exportLog(options)));
}
