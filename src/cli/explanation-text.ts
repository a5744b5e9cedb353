import type { PermissionDecision } from "../decision.ts";
import { explainDecision, explanationLines } from "../permission/explain.ts";
import type { Paint } from "./output.ts";
import { visible } from "./visible.ts";

const VERDICTS: Readonly<Record<string, Parameters<Paint>[0]>> = {
  allow: ["green", "bold"],
  ask: ["yellow", "bold"],
  deny: ["red", "bold"],
};

/** A decision for a person to read: the command with its deciding part marked, effects, step and rule, what would settle it. */
export function explanationText(
  decision: PermissionDecision,
  text: string | undefined,
  paint: Paint,
): string {
  const explanation = explainDecision(decision, text === undefined ? {} : { text });
  const colour = VERDICTS[explanation.decision];
  return explanationLines(explanation)
    .map((raw) => {
      // Commands and paths come from a model; each entry is one line, whatever a name holds.
      const line = visible(raw).replaceAll("\n", "\u240a");
      if (/^\s*\^+\s*$/.test(line)) return paint("red", line);
      return colour === undefined
        ? line
        : line.replace(/^(?:allow|ask|deny)\b/, (word) => paint(colour, word));
    })
    .join("\n");
}
