// One run of "a command prints much": `ours` through the gate, `bare` a pipe whose bytes are counted and dropped.
import { spawn } from "node:child_process";
import { Toolkit } from "../src/toolkit/toolkit.ts";
import { Bash } from "../src/tools/bash.ts";
import { reportOf } from "./child.ts";

const [who = "ours", command = "true", cwd = "."] = process.argv.slice(2);
const toolkit = new Toolkit({ tools: [new Bash()], cwd, mode: "bypass", confine: "off" });
await toolkit.execute("Bash", { command: "true" });

async function ours(): Promise<void> {
  const response = await toolkit.execute("Bash", { command });
  if (response.state !== "success") throw new Error(response.text);
}

function bare(): Promise<void> {
  return new Promise((done, fail) => {
    const child = spawn("bash", ["-c", command], { stdio: ["ignore", "pipe", "pipe"] });
    let bytes = 0;
    child.stdout.on("data", (piece: Buffer) => {
      bytes += piece.length;
    });
    child.on("error", fail).on("close", () => (bytes > 0 ? done() : fail(new Error("no output"))));
  });
}

console.log(JSON.stringify(await reportOf(who === "ours" ? ours : bare)));
await toolkit[Symbol.asyncDispose]();
