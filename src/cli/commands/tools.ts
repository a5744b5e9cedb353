import { isObject } from "../../lib/json.ts";
import type { JsonSchema } from "../../tool.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { modelsOf } from "../jobs/models.ts";
import { SessionJobs } from "../jobs/session-jobs.ts";
import { columns, painter, write, writeJson } from "../output.ts";
import { projectOf } from "../project.ts";
import { openSession } from "../session.ts";

/** Options of `toolgate tools`. */
export interface ToolsOptions {
  readonly preset: string;
  readonly format: "text" | "json" | "openai" | "anthropic" | "mcp";
}

/** `toolgate tools`: the tools for reading, or as a provider takes them. */
export async function tools({ preset, format }: ToolsOptions): Promise<ExitCode> {
  const project = projectOf(process.cwd());
  await using jobs = new SessionJobs({ project, models: () => modelsOf({}, project) });
  await using session = await openSession({
    cwd: process.cwd(),
    preset,
    judgesOnly: true,
    parts: jobs.parts,
  });
  const { toolkit } = session;
  if (format !== "text") {
    await writeJson(toolkit.schemas(format === "json" ? "mcp" : format));
    return EXIT.done;
  }
  const paint = painter(process.stdout);
  const texts = toolkit.schemas("mcp").map(({ name, description, inputSchema }) => {
    const first = description.split(/\n|(?<=[.!]) /)[0] ?? "";
    return `${paint("bold", name)} ${paint("dim", `{ ${parametersOf(inputSchema).join(", ")} }`)}\n  ${first}`;
  });
  const missing = session.statuses.filter(({ isRegistered }) => !isRegistered);
  if (missing.length > 0) {
    const rows = missing.map(({ name, why = "" }) => [name, why] as const);
    texts.push("", paint("bold", "Not here"), columns(rows));
  }
  await write(process.stdout, `${texts.join("\n")}\n`);
  return EXIT.done;
}

/** Names of a schema's parameters, the optional ones with a question mark. */
function parametersOf({ properties, required }: JsonSchema): readonly string[] {
  const needed = new Set(Array.isArray(required) ? required : []);
  const names = isObject(properties) ? Object.keys(properties) : [];
  return names.map((name) => (needed.has(name) ? name : `${name}?`));
}
