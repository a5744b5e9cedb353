import { type Command, Option } from "commander";
import { duration } from "../duration.ts";
import {
  backendOption,
  collect,
  cwdOption,
  type Does,
  jsonOption,
  MODE_HELP,
  modelOptions,
  storeOption,
  wholeNumber,
} from "../options.ts";

const STATUSES = ["queued", "running", "waiting", "completed", "failed", "cancelled"];

/** `jobs start|list|show|stop|resume|prune`, `jobs schedule add|list|remove` */
export function addJobs(jobs: Command, does: Does): void {
  const load = () => import("../commands/jobs.ts");
  common(jobs.command("start <prompt>"))
    .description("start an agent that works on its own, and print its job's id")
    .option("--id <id>", "the job's id: asked for again, it is the same job")
    .option("--label <text>", "for people (default: the prompt's beginning)")
    .option("--mode <mode>", MODE_HELP)
    .option("--queue <name>", "which workers run it", "default")
    .option("--priority <number>", "lower comes first", wholeNumber(0, 1_000_000), 100)
    .option("--session <id>", "whose it is: counts for --per-session")
    .action(does(async (prompt: string, options) => (await load()).start(prompt, options)));
  common(jobs.command("list"))
    .description("list jobs, newest first")
    .addOption(new Option("--status <status>", "only these").choices(STATUSES))
    .option("--session <id>", "only this session's")
    .option("--limit <number>", "at most so many", wholeNumber(1, 1000), 50)
    .option("--after <next>", "the page after the one that named this")
    .action(does(async (options) => (await load()).list(options)));
  common(jobs.command("show <id>"))
    .description("show a job with all below it: how far it is, what it waits for, what came of it")
    .option("--follow", "as it goes on, up to its end")
    .action(does(async (id: string, options) => (await load()).show(id, options)));
  common(jobs.command("stop <id>"))
    .description("stop a job and all below it")
    .option("--reason <text>", "why, for people")
    .action(does(async (id: string, options) => (await load()).stop(id, options)));
  common(jobs.command("resume <id>"))
    .description(
      "let a job that failed or was stopped go on from its last recorded step; its time, turns and tokens count anew",
    )
    .option("--again", "run the step again whose outcome isn't known")
    .option("--done [json]", "take it as done, with this result")
    .option("--failed [why]", "take it as failed")
    .action(does(async (id: string, options) => (await load()).resume(id, options)));
  common(jobs.command("prune"))
    .description(
      "remove jobs that ended long ago, with all below them; nothing that goes on, or is waited for",
    )
    .addOption(
      new Option("--older <time>", "ended so long ago, as in 12h or 7d")
        .argParser(duration)
        .default(duration("30d"), "30d"),
    )
    .option("--dry-run", "remove nothing, and say how many it would be")
    .action(does(async (options) => (await load()).prune(options)));
  addSchedules(jobs.command("schedule").description("agents that start by themselves"), does);
}

/** `worker` */
export function addWorker(program: Command, does: Does): void {
  const worker = program
    .command("worker")
    .description("run jobs until it is told to stop; any number of workers share one database")
    .option("--queue <name>", "a queue whose jobs it runs (repeatable; default: default)", collect, [])
    .option("--concurrency <number>", "jobs at a time", wholeNumber(1, 1000), 10)
    .option("--per-session <number>", "jobs of one session at a time, in all workers", wholeNumber(1, 1000))
    .option(
      "--grace <seconds>",
      "how long jobs may take to end when it is told to stop",
      wholeNumber(0, 86_400),
      30,
    )
    .option("--preset <name>", "which tools agents have: coding, assistant or all", "coding");
  modelOptions(worker)
    .addOption(databaseOption())
    .addOption(backendOption())
    .addOption(storeOption())
    .addOption(cwdOption())
    .addOption(jsonOption())
    .action(does(async (options) => (await import("../commands/worker.ts")).worker(options)));
}

function addSchedules(schedule: Command, does: Does): void {
  const load = () => import("../commands/jobs-schedule.ts");
  common(schedule.command("add <name> <prompt>"))
    .description("start an agent with a prompt at times")
    .option("--cron <expression>", "five fields, as in '30 9 * * 1-5'")
    .option("--at <time>", "one time, ISO 8601")
    .option("--time-zone <name>", "for --cron, as in Europe/Berlin (default: UTC)")
    .option("--mode <mode>", MODE_HELP, "dontAsk")
    .addOption(
      new Option("--missed <what>", "what becomes of times at which no worker ran")
        .choices(["skip", "once"])
        .default("skip"),
    )
    .action(does(async (name: string, prompt: string, options) => (await load()).add(name, prompt, options)));
  common(schedule.command("list"))
    .description("list schedules: their times, the next one, and the job of the last")
    .action(does(async (options) => (await load()).list(options)));
  common(schedule.command("remove <name>"))
    .description("end a schedule; jobs that it has started go on")
    .action(does(async (name: string, options) => (await load()).remove(name, options)));
}

function common(command: Command): Command {
  return command.addOption(cwdOption()).addOption(databaseOption()).addOption(jsonOption());
}

function databaseOption(): Option {
  return new Option(
    "--database-url <url>",
    "where jobs are kept, postgres://… (default: TOOLGATE_DATABASE_URL, else a Postgres of the project's own)",
  );
}
