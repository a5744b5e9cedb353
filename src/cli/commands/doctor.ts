import { execFile } from "node:child_process";
import { constants, existsSync } from "node:fs";
import { access } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { promisify } from "node:util";
import { auditDirectory } from "../../audit/jsonl-log.ts";
import { verifyAudit } from "../../audit/verify.ts";
import { localBackend } from "../../backends/local.ts";
import { isToolgateError } from "../../errors.ts";
import { counted } from "../../lib/counted.ts";
import { backendStates } from "../doctor-backends.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { painter, write, writeJson } from "../output.ts";
import { ownSettings } from "../own-settings.ts";
import { projectOf } from "../project.ts";
import { projectMcpConfig, projectSettings } from "../project-settings.ts";
import { storePlace } from "../store-place.ts";

/** Options of `toolgate doctor`. */
export interface DoctorOptions {
  readonly cwd: string;
  readonly json?: boolean;
}

/** One thing that was checked. A warning takes something away; a fault stops toolgate from working. */
interface Check {
  readonly name: string;
  readonly state: "good" | "warning" | "fault";
  readonly detail: string;
}

/** `toolgate doctor`: exit code 1 when something stops toolgate from working. */
export async function doctor(options: DoctorOptions, version: string): Promise<ExitCode> {
  const project = projectOf(resolve(options.cwd));
  const machine = `${version}, Node ${process.version}, ${process.platform}-${process.arch}`;
  const checks: readonly Check[] = [
    { name: "toolgate", state: "good", detail: machine },
    { name: "project", state: "good", detail: project },
    ...(await Promise.all([
      bash(),
      ripgrep(),
      confinement(project),
      settings(project),
      mcpServers(project),
      channels(project),
      guarded("audit log", () => audit(project)),
    ])),
    await guarded("store", () => store(project)),
    await guarded("model", () => model(project)),
    ...(await backends()),
  ];
  if (options.json) await writeJson({ checks });
  else {
    const paint = painter(process.stdout);
    const marks = { good: paint("green", "✓"), warning: paint("yellow", "!"), fault: paint("red", "✗") };
    const lines = checks.map(({ name, state, detail }) => `${marks[state]} ${name.padEnd(11)} ${detail}`);
    await write(process.stdout, `${lines.join("\n")}\n`);
  }
  return checks.some(({ state }) => state === "fault") ? EXIT.failed : EXIT.done;
}

async function bash(): Promise<Check> {
  const version = await firstLine("bash", ["--version"]);
  if (version !== undefined) return { name: "bash", state: "good", detail: version };
  return { name: "bash", state: "fault", detail: "not found: the Bash tool can't run anything" };
}

async function ripgrep(): Promise<Check> {
  const { rgPath } = await import("@vscode/ripgrep");
  const version = await firstLine(rgPath, ["--version"]);
  if (version !== undefined) return { name: "ripgrep", state: "good", detail: version };
  return { name: "ripgrep", state: "fault", detail: `${rgPath} doesn't run: Grep and Glob can't search` };
}

async function confinement(project: string): Promise<Check> {
  await using backend = localBackend({ cwd: project });
  const { confine } = await backend.capabilities();
  if (confine.available) {
    const detail = "calls that were found to only read run where nothing can be written";
    return { name: "confinement", state: "good", detail };
  }
  const why = confine.why ?? "this machine can't";
  return { name: "confinement", state: "warning", detail: `not enforced: ${why}` };
}

async function settings(project: string): Promise<Check> {
  try {
    const { files, rules, mode = "default", notices } = await projectSettings(project);
    const found = files.length === 0 ? "no settings files" : files.map(({ path }) => path).join(", ");
    const detail = [`${found}; ${counted(rules.length, "rule")}, mode ${mode}`, ...notices].join(
      `\n${" ".repeat(14)}`,
    );
    return { name: "settings", state: notices.length === 0 ? "good" : "warning", detail };
  } catch (error) {
    if (!isToolgateError(error)) throw error;
    return { name: "settings", state: "fault", detail: error.text };
  }
}

/** Which MCP servers there are; none is started for it. */
async function mcpServers(project: string): Promise<Check> {
  try {
    const { projectTrusted } = await projectSettings(project);
    const { servers, notices } = await projectMcpConfig(project, projectTrusted);
    const names = servers.size === 0 ? "none" : [...servers.keys()].join(", ");
    const detail = [names, ...notices].join(`\n${" ".repeat(14)}`);
    return { name: "MCP servers", state: notices.length === 0 ? "good" : "warning", detail };
  } catch (error) {
    if (!isToolgateError(error)) throw error;
    return { name: "MCP servers", state: "warning", detail: "not looked for: the settings can't be read" };
  }
}

/** Which chat services there are, and whether they know their accounts. */
async function channels(project: string): Promise<Check> {
  try {
    const { projectTrusted } = await projectSettings(project);
    const { channelsState } = await import("../doctor-channels.ts");
    const { good, lines } = await channelsState(project, projectTrusted);
    return { name: "channels", state: good ? "good" : "warning", detail: lines.join(`\n${" ".repeat(14)}`) };
  } catch (error) {
    if (!isToolgateError(error)) throw error;
    return { name: "channels", state: "warning", detail: "not looked for: the settings can't be read" };
  }
}

async function audit(project: string): Promise<Check> {
  const directory = auditDirectory(project);
  const { ok, records, findings, lanes } = await verifyAudit({ directory });
  const fault = (detail: string): Check => ({ name: "audit log", state: "fault", detail });
  if (!ok) return fault(`${directory}: ${findings[0]?.detail ?? ""} See \`toolgate audit verify\`.`);
  if (!(await isWritable(directory))) {
    return fault(`${directory} can't be written, so nothing can run; TOOLGATE_AUDIT_DIR names another place`);
  }
  const detail = lanes.length === 0 ? `${directory} (none yet)` : `${directory}: ${records} records, intact`;
  return { name: "audit log", state: "good", detail };
}

/** What can't be looked at is a fault of its own, and doesn't keep the rest from being checked. */
async function guarded(name: string, check: () => Promise<Check>): Promise<Check> {
  try {
    return await check();
  } catch (error) {
    if (isToolgateError(error)) return { name, state: "fault", detail: error.text };
    // A directory that may not be read, a disk that fails.
    if (error instanceof Error && "code" in error) return { name, state: "fault", detail: error.message };
    throw error;
  }
}

async function store(project: string): Promise<Check> {
  const place = await storePlace(project, undefined);
  const { kind, where, chosenBy } = place;
  const what = `${kind} ${where}, chosen by ${chosenBy}`;
  if (kind === "sqlite" && !existsSync(where))
    return { name: "store", state: "good", detail: `${what} (none yet)` };
  await using opened = place.open();
  const { items, bad } = await opened.approvals({ status: "pending", limit: 1000 });
  const unknown = await opened.unfinishedCalls();
  const lost =
    unknown.length === 0
      ? ""
      : `; ${counted(unknown.length, "call")} of unknown outcome: their process ended`;
  const damaged =
    bad.length === 0
      ? ""
      : `; ${counted(bad.length, "question")} can't be used: see \`toolgate approvals list\``;
  const isGood = lost === "" && damaged === "";
  const waiting = `${counted(items.length, "question")} wait${items.length === 1 ? "s" : ""}`;
  const detail = `${what}: ${waiting}${lost}${damaged}`;
  return { name: "store", state: isGood ? "good" : "warning", detail };
}

async function model(project: string): Promise<Check> {
  const { chosenModel, loadModel } = await import("../chat/model-choice.ts");
  try {
    const choice = chosenModel({ settings: await ownSettings(project), env: process.env });
    if (choice === undefined) {
      return {
        name: "model",
        state: "good",
        detail: "none configured: `toolgate chat` needs one, and `toolgate serve` to answer in channels",
      };
    }
    await loadModel(choice);
    const at = choice.baseUrl === undefined ? "" : ` at ${choice.baseUrl}`;
    return { name: "model", state: "good", detail: `${choice.text}${at} (not asked)` };
  } catch (error) {
    // Nothing but conversations needs one.
    if (!isToolgateError(error)) throw error;
    return { name: "model", state: "warning", detail: error.text };
  }
}

/** The places to run besides this machine. Nobody needs all of them. */
async function backends(): Promise<readonly Check[]> {
  const states = await backendStates();
  return states.map(({ name, usable, detail }) => ({ name, state: usable ? "good" : "warning", detail }));
}

/** Whether a directory, or the nearest one above it that exists, can be written. */
async function isWritable(path: string): Promise<boolean> {
  try {
    await access(path, constants.W_OK);
    return true;
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    return isMissing && dirname(path) !== path && isWritable(dirname(path));
  }
}

async function firstLine(program: string, args: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(program, args, { timeout: 5000 });
    return stdout.split("\n")[0];
  } catch {
    return undefined; // Missing or broken: either way it isn't there for us.
  }
}
