// Runs the stand-in by itself, for tests that measure the memory of their own process: says where its kubeconfig is, and ends with its input.
import { startStandIn } from "./stand-in.ts";

const standIn = await startStandIn();
process.stdout.write(`${standIn.kubeconfig}\n`);
process.stdin.resume();
process.stdin.on("end", async () => {
  await standIn[Symbol.asyncDispose]();
  process.exit(0);
});
