import type { Command } from "unbash";
import type { Arg } from "./arg.ts";
import { applyAssignment, readAssignment } from "./assign.ts";
import { emit, unknown } from "./emit.ts";
import { exportRisk, isPlainName } from "./names.ts";
import type { Run } from "./run.ts";
import { withTaint } from "./state.ts";

const DECLARATIONS: ReadonlySet<string> = new Set(["declare", "typeset", "export", "readonly", "local"]);

/** True for the built-ins whose arguments are assignments. */
export function isDeclaration(name: string | null): boolean {
  return name !== null && DECLARATIONS.has(name);
}

/** Judges `declare`, `export` and their like. */
export function declare(run: Run, node: Command, argv: readonly Arg[]): void {
  const name = argv[0]?.value ?? "declare";
  emit(run, {
    kind: "execute",
    program: name,
    argv: argv.map((arg) => arg.value),
    opaque: false,
    part: run.part,
    span: run.span,
  });
  const letters = checkOptions(run, name, argv);
  const exported = name === "export" || /[-+]\w*x/.test(letters);
  const assigned = new Set<number>();
  for (const item of node.args) {
    if (item.type !== "Assignment") continue;
    assigned.add(item.pos);
    applyAssignment(run, readAssignment(run, item, { exported, integer: letters.includes("i") }));
  }
  for (const arg of argv.slice(1)) if (!assigned.has(arg.span.start)) declareName(run, name, arg, exported);
}

/** The letters of its options; says which of them change what names mean from there on. */
function checkOptions(run: Run, name: string, argv: readonly Arg[]): string {
  const options = argv.slice(1).filter((arg) => arg.value !== null && /^[-+]\w/.test(arg.value));
  const letters = options.map((arg) => arg.value ?? "").join("");
  // `-n` makes a reference, which evaluates what it refers to; `-l`, `-u` and `-c` change what is assigned later.
  if (/[^-+aAfFgirtxpn]/.test(letters) || (letters.includes("n") && name !== "export")) {
    unknown(run, options[0] ?? null, `${name}: an option that isn't known`);
  }
  // Whatever such a name is given later, by whatever way, is evaluated, and a subscript in it may run a command.
  if (letters.includes("i"))
    unknown(run, options[0] ?? null, `${name} -i: later values are evaluated as arithmetic`);
  // What such a name is given later is refused, and the lines behind go on with what it had.
  if (fixes(name, letters) && argv.length > 1 + options.length)
    unknown(run, argv[1] ?? null, `${name}: later assignments have no effect`);
  return letters;
}

function fixes(name: string, letters: string): boolean {
  return !letters.includes("p") && (name === "readonly" || letters.includes("r"));
}

function declareName(run: Run, name: string, arg: Arg, exported: boolean): void {
  const { value } = arg;
  if (value !== null && /^[-+]\w/.test(value)) return;
  if (value === null || !isPlainName(value)) {
    unknown(run, arg, `${name}: a name that isn't plain`);
    return;
  }
  const risk = exported ? exportRisk(value, null) : "none";
  if (risk === "none") return;
  run.shell.state = withTaint(run.shell.state, risk === "shell" ? "loader" : risk);
}
