import type { Confinement } from "../backend.ts";
import type { RuleConfinement } from "../rule.ts";
import type { PermissionContext } from "../tool.ts";

const SUFFIX = /^(.*\S)\s+confined(?:\(([^()]*)\))?$/s;

/** A rule's text with its confinement split off; `confine` is what stands in the brackets, empty when there are none. */
export function splitConfinement(text: string): { readonly rule: string; readonly confine?: string } {
  const [, rule, inside = ""] = SUFFIX.exec(text) ?? [];
  return rule === undefined ? { rule: text } : { rule, confine: inside };
}

/** What `network`, `read-only`, both or nothing between the brackets mean; `undefined` when it is anything else. */
export function parseConfinement(inside: string): RuleConfinement | undefined {
  const words = inside.split(/[\s,]+/).filter((word) => word !== "");
  if (words.some((word) => word !== "network" && word !== "read-only")) return undefined;
  return {
    write: words.includes("read-only") ? "none" : "workingDirectories",
    network: words.includes("network"),
  };
}

/** A confinement as a rule's text ends with it. */
export function formatConfinement({ write, network }: RuleConfinement): string {
  const words = [...(write === "none" ? ["read-only"] : []), ...(network ? ["network"] : [])];
  return words.length === 0 ? " confined" : ` confined(${words.join(", ")})`;
}

/** What holds when both do. */
export function strictest(a: RuleConfinement, b: RuleConfinement): RuleConfinement {
  return {
    write: a.write === "none" ? "none" : b.write,
    network: a.network && b.network,
  };
}

/** As a backend takes it. */
export function toConfinement({ write, network }: RuleConfinement, context: PermissionContext): Confinement {
  return { write: write === "none" ? "none" : [...context.workingDirectories], network };
}

/** In words: `writes only below the working directories, no network`. */
export function describeConfinement({ write, network }: Confinement): string {
  const where =
    write === "none" || write.length === 0 ? "no writes" : `writes only below ${write.join(", ")}`;
  return `${where}, ${network ? "with network" : "no network"}`;
}
