import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { StandInOptions } from "./stand-in.ts";

/** A stand-in in a process of its own. */
export interface SpawnedStandIn extends AsyncDisposable {
  readonly kubeconfig: string;
  /** Breaks every connection. */
  cut(): Promise<void>;
  /** Takes a pod away at once. */
  deletePod(name: string): Promise<void>;
}

/** Starts one. */
export async function spawnStandIn(options: StandInOptions = {}): Promise<SpawnedStandIn> {
  const argv = [join(import.meta.dirname, "stand-in-child.ts"), JSON.stringify(options)];
  const child = spawn(process.execPath, argv, {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const lines = createInterface(child.stdout);
  const answer = async (): Promise<string> => {
    const told = await Promise.race([once(lines, "line"), ended.then(() => undefined)]);
    if (told === undefined) throw new Error("The stand-in has ended.");
    return String(told[0]);
  };
  const say = async (words: string): Promise<void> => {
    const heard = answer();
    child.stdin.write(`${words}\n`);
    await heard;
  };
  return {
    kubeconfig: await answer(),
    cut: () => say("cut"),
    deletePod: (name) => say(`delete ${name}`),
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await ended;
    },
  };
}
