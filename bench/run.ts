import { cpus } from "node:os";
import { type Row, render } from "./table.ts";

/** Every benchmark by name; each is loaded only when it is asked for. */
const BENCHMARKS: Readonly<Record<string, () => Promise<{ rows(): Promise<Row[]> }>>> = {
  decision: () => import("./decision.ts"),
  gate: () => import("./gate.ts"),
  agent: () => import("./agent.ts"),
  shell: () => import("./shell.ts"),
  output: () => import("./output.ts"),
  search: () => import("./search.ts"),
  files: () => import("./files.ts"),
  startup: () => import("./startup.ts"),
  audit: () => import("./audit.ts"),
  web: () => import("./web.ts"),
  memory: () => import("./memory.ts"),
  bubblewrap: () => import("./bubblewrap.ts"),
  docker: () => import("./docker.ts"),
  ssh: () => import("./ssh.ts"),
  e2b: () => import("./e2b.ts"),
  kubernetes: () => import("./kubernetes.ts"),
};

const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith("-"));
const unknown = wanted.filter((name) => BENCHMARKS[name] === undefined);
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(", ")}. There are: ${Object.keys(BENCHMARKS).join(", ")}.`);
  process.exit(2);
}

console.log(
  `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, ${new Date().toISOString()}\n`,
);
const all: Row[] = [];
for (const name of wanted.length > 0 ? wanted : Object.keys(BENCHMARKS)) {
  console.error(`${name} …`);
  all.push(...((await (await BENCHMARKS[name]?.())?.rows()) ?? []));
}
console.log(render(all));
