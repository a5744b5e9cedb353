import { Command, CommanderError } from "commander";
import { EXIT, type ExitCode } from "./exit.ts";
import type { Does } from "./options.ts";
import { addApprovals } from "./program/approvals.ts";
import { addAudit } from "./program/audit.ts";
import { addCalling } from "./program/calling.ts";
import { addChat } from "./program/chat.ts";
import { addJobs, addWorker } from "./program/jobs.ts";
import { addRules } from "./program/rules.ts";
import { addServing } from "./program/serving.ts";
import { addSetUp } from "./program/set-up.ts";
import { addWorkflow } from "./program/workflow.ts";

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
  addChat(program, does);
  addServing(program, does, version);
  addApprovals(program.command("approvals").description("see and answer the questions that wait"), does);
  addAudit(program.command("audit").description("read and check the record of all calls"), does);
  addRules(program.command("rules").description("see, change and test the permission rules"), does);
  addJobs(program.command("jobs").description("see and steer work that runs on its own"), does);
  addWorker(program, does);
  addWorkflow(program.command("workflow").description("run several agents that work together"), does);
  addSetUp(program, does, version);
  try {
    await program.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Commander has already written the help, the version or what is wrong.
    return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
}
