/**
 * The built-in tools at work in an E2B sandbox instead of on this machine.
 *
 *   export E2B_API_KEY=e2b_…
 *   node examples/e2b-workspace.ts
 *
 * In a project of yours, import from "toolgate" instead.
 */
import { Bash, Toolkit } from "../src/index.ts";
import { E2BWorkspace } from "../src/workspaces/e2b.ts";

// Get the place to work in.
const workspace = new E2BWorkspace({ name: "example", onDispose: "pause" });
await workspace.initialize();

const backend = workspace.getBackend();

// Tell the tool where to act.
const bash = new Bash({ backend });

// Run what you like. The sandbox is its own machine, so nothing need be asked there.
await using toolkit = new Toolkit({ tools: [bash], cwd: workspace.workdir, mode: "bypass" });
const visit = "echo visit >> visits.txt; wc -l < visits.txt; hostname";
const { state, text } = await toolkit.execute("Bash", { command: visit });
console.log(`${state} in ${backend.id}:\n${text}`);

// Pauses the sandbox: the next start of this example goes on where this one ended.
await workspace.close();
