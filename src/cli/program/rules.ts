import { type Command, Option } from "commander";
import { cwdOption, type Does, jsonOption } from "../options.ts";

/** `rules list|add|remove|test` */
export function addRules(rules: Command, does: Does): void {
  const load = () => import("../commands/rules.ts");
  rules
    .command("list")
    .description("show all rules in force and where they come from")
    .addOption(cwdOption())
    .addOption(jsonOption())
    .action(does(async (options) => (await load()).list(options)));
  const changing = (command: Command) =>
    command
      .addOption(cwdOption())
      .addOption(
        new Option("--tier <tier>", "which settings file: the user's, or one in the project's folder")
          .choices(["user", "project", "local"])
          .default("user"),
      );
  changing(rules.command("add <rule>"))
    .description("add a rule such as 'allow:Bash(npm test:*)'")
    .action(does(async (rule: string, options) => (await load()).add(rule, options)));
  changing(rules.command("remove <rule>"))
    .description("remove a rule")
    .action(does(async (rule: string, options) => (await load()).remove(rule, options)));
  rules
    .command("test <file>")
    .description("check a YAML file of commands and the decisions they must get")
    .addOption(cwdOption())
    .addOption(jsonOption())
    .action(does(async (file: string, options) => (await load()).test(file, options)));
}
