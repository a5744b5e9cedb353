import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { ToolgateError } from "../errors.ts";
import { EXIT, type ExitCode } from "./exit.ts";

/** Commands of the design that come in later versions. */
const LATER = ["approvals", "jobs", "worker", "workflow", "chat"] as const;

const MODE_HELP = "default, acceptEdits, explore, bypass or dontAsk";

/** Takes a command's result as the program's. */
type Does = <A extends readonly unknown[]>(
  action: (...args: A) => Promise<ExitCode>,
) => (...given: A) => Promise<void>;

/**
 * Runs the command line and answers with its exit code. Each command's code is loaded when it is called for.
 * @throws ToolgateError for what the user or the world did
 */
export async function runProgram(args: readonly string[], version: string): Promise<ExitCode> {
  let code: ExitCode = EXIT.done;
  const program = new Command("toolgate")
    .description("Tools for AI agents behind one gate: judged by their effects, confined, and written down.")
    .version(version)
    .helpCommand(false)
    .showSuggestionAfterError()
    .exitOverride();
  const does: Does =
    (action) =>
    async (...given) => {
      code = await action(...given);
    };
  addCalling(program, does);
  addServing(program, does, version);
  addAudit(program.command("audit").description("read and check the record of all calls"), does);
  addRules(program.command("rules").description("see, change and test the permission rules"), does);
  addSetUp(program, does, version);
  addLater(program, version);
  try {
    await program.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Commander has already written the help, the version or what is wrong.
    return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
}

function addCalling(program: Command, does: Does): void {
  judging(program.command("call <tool> [input]"))
    .description("call a tool through the gate; the input is JSON, or - for standard input")
    .option("--backend <name>", "where the tool acts", "local")
    .option("--yes", "approve what would be asked (never what no rule may allow)")
    .option("--session <name>", "go on with a session of that name: its reads, directory and rules")
    .action(
      does(async (tool: string, input: string | undefined, options) =>
        (await import("./commands/call.ts")).call(tool, input, options),
      ),
    );
  judging(program.command("explain [command]"))
    .description("say what would be decided about a command, and why; runs nothing")
    .option("--tool <name>", "judge another tool: the command is then its input as JSON", "Bash")
    .option("--batch", 'read JSON lines {"id","command"} or {"id","tool","input"}, write one verdict a line')
    .action(
      does(async (command: string | undefined, options) =>
        (await import("./commands/explain.ts")).explain(command, options),
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
    .action(does(async (options) => (await import("./commands/tools.ts")).tools(options)));
}

function addServing(program: Command, does: Does, version: string): void {
  program
    .command("mcp")
    .description("serve the tools to one MCP client over standard input and output")
    .option("--mode <mode>", MODE_HELP)
    .option("--preset <name>", "which tools: coding, assistant or all", "coding")
    .addOption(cwdOption())
    .action(does(async (options) => (await import("./commands/mcp.ts")).mcp(options, version)));
  program
    .command("serve")
    .description("serve the tools over HTTP: MCP at /mcp")
    .option("--port <number>", "0 takes a free one", wholeNumber(0, 65_535), 4780)
    .option("--host <address>", "another one than loopback needs TOOLGATE_TOKEN", "127.0.0.1")
    .option("--workspace <directory>", "where the tools act (default: the current directory)")
    .option("--mode <mode>", MODE_HELP)
    .option("--json", 'print {"url","token","mcpUrl"} as the first line when ready')
    .action(does(async (options) => (await import("./commands/serve.ts")).serve(options, version)));
}

function addAudit(audit: Command, does: Does): void {
  const reading = (command: Command) =>
    command
      .addOption(cwdOption())
      .option("--dir <directory>", "the log's directory (default: data/audit_logs of the project)");
  const load = () => import("./commands/audit.ts");
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
    .addOption(new Option("--format <format>").choices(["json", "csv"]).default("json"))
    .action(does(async (options) => (await load()).exportLog(options)));
}

function addRules(rules: Command, does: Does): void {
  const load = () => import("./commands/rules.ts");
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

function addSetUp(program: Command, does: Does, version: string): void {
  program
    .command("doctor")
    .description("check this machine and this project")
    .addOption(cwdOption())
    .addOption(jsonOption())
    .action(does(async (options) => (await import("./commands/doctor.ts")).doctor(options, version)));
  program
    .command("init")
    .description("write a commented .toolgate/settings.json to start from")
    .addOption(cwdOption())
    .action(does(async (options) => (await import("./commands/init.ts")).init(options)));
}

function addLater(program: Command, version: string): void {
  for (const name of LATER) {
    program
      .command(name, { hidden: true })
      .argument("[anything...]")
      .allowUnknownOption()
      .helpOption(false)
      .action(() => {
        throw new ToolgateError("usage", `\`toolgate ${name}\` is not in this version (${version}).`);
      });
  }
}

function judging(command: Command): Command {
  return command
    .option("--mode <mode>", MODE_HELP)
    .option("--rule <rule>", "a rule for this once, 'allow:Bash(git:*)' (repeatable)", collect, [])
    .addOption(cwdOption())
    .addOption(jsonOption());
}

function cwdOption(): Option {
  return new Option("--cwd <directory>", "where relative paths start").default(
    process.cwd(),
    "the current directory",
  );
}

function jsonOption(): Option {
  return new Option("--json", "one JSON value on standard output, everything else on standard error");
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= least && value <= most && text.trim() !== "") return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}
