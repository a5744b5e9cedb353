import type { Command } from "commander";
import {
  backendOption,
  collect,
  cwdOption,
  type Does,
  MODE_HELP,
  storeOption,
  wholeNumber,
} from "../options.ts";

/** `mcp`, `serve` */
export function addServing(program: Command, does: Does, version: string): void {
  program
    .command("mcp")
    .description("serve the tools to one MCP client over standard input and output")
    .option("--mode <mode>", MODE_HELP)
    .option("--preset <name>", "which tools: coding, assistant or all", "coding")
    .addOption(backendOption())
    .addOption(cwdOption())
    .addOption(storeOption())
    .action(does(async (options) => (await import("../commands/mcp.ts")).mcp(options, version)));
  program
    .command("serve")
    .description("serve the tools over HTTP: MCP at /mcp, plain calls at /api/tools")
    .option("--port <number>", "0 takes a free one", wholeNumber(0, 65_535), 4780)
    .option("--host <address>", "another one than loopback needs TOOLGATE_TOKEN", "127.0.0.1")
    .option("--allow-host <name>", "a name by which it is reached besides (repeatable)", collect, [])
    .option("--preset <name>", "which tools: coding, assistant or all", "coding")
    .option("--workspace <directory>", "where the tools act (default: the current directory)")
    .option("--mode <mode>", MODE_HELP)
    .addOption(backendOption())
    .addOption(storeOption())
    .option("--json", 'print {"url","token","mcpUrl"} as the first line when ready')
    .action(does(async (options) => (await import("../commands/serve.ts")).serve(options, version)));
}
