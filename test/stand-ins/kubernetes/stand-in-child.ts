// Runs the stand-in by itself, for tests that measure the memory of their own process: takes its options as JSON, says where its
// kubeconfig is, takes a word a line for its switches, answers each with a line, and ends with its input.
import { createInterface } from "node:readline";
import { startStandIn } from "./stand-in.ts";

const standIn = await startStandIn(JSON.parse(process.argv[2] ?? "{}"));
process.stdout.write(`${standIn.kubeconfig}\n`);
const lines = createInterface(process.stdin);
lines.on("line", (line) => {
  const [word, name = ""] = line.split(" ");
  if (word === "cut") standIn.cut();
  if (word === "delete") standIn.cluster.deletePod(standIn.namespace, name, 0);
  process.stdout.write(`${word}\n`);
});
lines.on("close", async () => {
  await standIn[Symbol.asyncDispose]();
  process.exit(0);
});
