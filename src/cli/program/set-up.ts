import type { Command } from "commander";
import { cwdOption, type Does, jsonOption } from "../options.ts";

/** `doctor`, `init` */
export function addSetUp(program: Command, does: Does, version: string): void {
  program
    .command("doctor")
    .description("check this machine and this project")
    .addOption(cwdOption())
    .addOption(jsonOption())
    .action(does(async (options) => (await import("../commands/doctor.ts")).doctor(options, version)));
  program
    .command("init")
    .description("write a commented .toolgate/settings.json to start from")
    .addOption(cwdOption())
    .action(does(async (options) => (await import("../commands/init.ts")).init(options)));
}
