import type { PermissionDecision } from "../src/decision.ts";
import { decide } from "../src/permission/engine.ts";
import { analyse } from "../src/shell/analyse.ts";
import type { Tool } from "../src/tool.ts";
import { paperTool, type WorldOptions, world } from "./permission-world.ts";

/** Bash by the real shell analysis. `loadParser` must have finished. */
export const BASH: Tool = paperTool({
  name: "Bash",
  effects: ({ command }, context) =>
    analyse(String(command), { cwd: context.cwd, home: context.backend.home }).effects,
});

/** The verdict on a command. */
export async function decideCommand(
  command: string,
  options: WorldOptions = {},
): Promise<PermissionDecision> {
  return decide(BASH, { command }, world(options));
}
