import type { Effect } from "../effect.ts";

/** The effects in one line, as tests and explanations show them; paths below `cwd` are shown relative to it. */
export function summarise(effects: readonly Effect[], cwd: string): string {
  const shown = effects.map((effect) => describe(effect, cwd)).filter((text) => text !== "");
  return [...new Set(shown)].join("; ");
}

function describe(effect: Effect, cwd: string): string {
  const words = wordsOf(effect, cwd);
  return words === "" || effect.danger === undefined ? words : `!${words}`;
}

function wordsOf(effect: Effect, cwd: string): string {
  switch (effect.kind) {
    case "execute":
      return effect.opaque ? "opaque" : "";
    case "connect":
      return ["connect", effect.readOnly ? "read" : "", effect.host ?? ""]
        .filter((word) => word !== "")
        .join(" ");
    case "system":
    case "unknown":
      return effect.kind;
    default: {
      const through = effect.followsLinks ? " through links" : "";
      const kept = effect.repository === undefined ? "" : " in git";
      const marks = `${effect.recursive ? " below" : ""}${through}${effect.dynamic ? " somewhere" : ""}${kept}`;
      return `${effect.kind} ${shorten(effect.path, cwd)}${marks}`;
    }
  }
}

function shorten(path: string, cwd: string): string {
  if (path === cwd) return ".";
  return path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
}
