import type { Backend } from "../backend.ts";
import { isToolgateError } from "../errors.ts";
import type { Layout } from "./layout.ts";

const MOST_NAMES = 40;
/** Programs that a model does well to know of, one way or the other. */
const PROGRAMS = "bash git rg python3 node npm uv pip go cargo java make gcc curl tar unzip jq";

/** What a model is told about the place it works in: where things are, what lies there and which programs it has. */
export async function instructionsFor(backend: Backend, { root, home, skills }: Layout): Promise<string> {
  const [names, programs] = await Promise.all([namesIn(backend, root), programsIn(backend, root)]);
  const lines = [
    "<workspace>",
    `  You work in ${backend.id}; paths are of that place, and every tool acts there.`,
    `  Working directory: ${root} (${names})`,
    `  Home: ${backend.home}`,
    `  For temporary files: ${backend.scratch}. Answers that were too long are kept there or below ${home}; read them with Read, part by part.`,
    `  Skills lie in ${skills}. What is below ${home} is kept by the program: don't change it.`,
    ...(programs === undefined ? [] : [`  Programs: ${programs}`]),
    "</workspace>",
  ];
  return lines.join("\n");
}

async function namesIn(backend: Backend, root: string): Promise<string> {
  const entries = await backend.list(root);
  const names = entries
    .filter(({ name }) => name !== ".toolgate")
    .map(({ name, kind }) => (kind === "directory" ? `${name}/` : name))
    .sort();
  if (names.length === 0) return "empty";
  const more = names.length > MOST_NAMES ? `, and ${names.length - MOST_NAMES} more` : "";
  // Names come from anybody: none of them begins a line of its own.
  return names.slice(0, MOST_NAMES).map(plain).join(", ") + more;
}

function plain(name: string): string {
  return /[\p{C}<>]/u.test(name) ? JSON.stringify(name.replaceAll(/[\p{C}<>]/gu, "?")) : name;
}

async function programsIn(backend: Backend, cwd: string): Promise<string | undefined> {
  if (backend.flavour === "win32") return undefined;
  const script = `for p in ${PROGRAMS}; do command -v "$p" >/dev/null 2>&1 && echo "$p"; done; :`;
  let text = "";
  try {
    await backend.exec(["sh", "-c", script], {
      cwd,
      onOutput: (bytes, stream) => {
        if (stream === "stdout") text += Buffer.from(bytes).toString("utf8");
      },
    });
  } catch (error) {
    if (isToolgateError(error, "unsupported") || isToolgateError(error, "not_found")) return undefined;
    throw error;
  }
  const there = text.split("\n").filter((name) => name !== "");
  const missing = PROGRAMS.split(" ").filter((name) => !there.includes(name));
  return `${there.join(", ") || "none of the usual ones"}; not there: ${missing.join(", ") || "none"}`;
}
