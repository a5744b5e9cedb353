/**
 * The built-in tools at work in a Docker container instead of on this machine, on a folder that goes in and comes back.
 *
 *   npm install dockerode
 *   IMAGE=node:24-slim node examples/docker-workspace.ts FOLDER
 *
 * In a project of yours, import from "toolgate" instead.
 */
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Bash, DockerWorkspace, Toolkit } from "../src/index.ts";

const { IMAGE = "node:24-slim" } = process.env;
const [folder = "."] = process.argv.slice(2);

// Get the place to work in: no network, bounded, gone when this ends.
await using workspace = await DockerWorkspace.create({ image: IMAGE, pull: "missing", memoryMiB: 512 });
const { entries } = await workspace.upload(resolve(folder), "project");
console.log(`${entries} files and folders are in ${workspace.workdir}/project.`);

// Tell one tool where to act …
const backend = workspace.getBackend();
const bash = new Bash({ backend });

// … or have all of them act there.
const others = workspace.listTools().filter(({ name }) => name !== bash.name);
await using toolkit = new Toolkit({ tools: [bash, ...others], backend, skills: [workspace], mode: "bypass" });
const command = 'count=$(ls project | wc -l); echo "$count files" | tee project/count.txt';
const { state, text } = await toolkit.execute("Bash", { command });
console.log(`${state}: ${text.trim()}`);
console.log((await toolkit.execute("Read", { file_path: "project/count.txt" })).state);

// What came of it comes back, as a whole or not at all.
const target = join(await mkdtemp(join(tmpdir(), "docker-workspace-")), "project");
await workspace.download("project", target);
console.log(`It is in ${target}.`);
