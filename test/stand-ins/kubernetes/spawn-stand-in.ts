import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A stand-in in a process of its own, by its kubeconfig. */
export async function spawnStandIn(): Promise<{ readonly kubeconfig: string } & AsyncDisposable> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "stand-in-child.ts")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const told = once(createInterface(child.stdout), "line");
  const first = await Promise.race([told, ended.then(() => undefined)]);
  if (first === undefined) throw new Error("The stand-in didn't start.");
  return {
    kubeconfig: String(first[0]),
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await ended;
    },
  };
}
