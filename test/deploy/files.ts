import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Command } from "commander";
import { expect } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { addJobs, addWorker } from "../../src/cli/program/jobs.ts";
import { addServing } from "../../src/cli/program/serving.ts";

/** The checkout. */
export const ROOT: string = resolve(import.meta.dirname, "../..");

/** How long a worker may take to end after its `--grace`, with jobs that don't mind being stopped. */
export const HAND_OVER_SECONDS = 10;

/** The text of a file below `deploy`. */
export function deployed(...path: readonly string[]): string {
  return readFileSync(join(ROOT, "deploy", ...path), "utf8");
}

/** A file below `deploy` that is one YAML document, as Compose and Kubernetes read it. */
export function yamlOf(...path: readonly string[]): unknown {
  return parse(deployed(...path), { merge: true });
}

/** The documents of every manifest in a folder below `deploy`, but for the kustomization. */
export function manifestsOf(...folder: readonly string[]): readonly unknown[] {
  return manifestFiles(...folder).flatMap((file) =>
    parseAllDocuments(deployed(...folder, file)).map((document) => {
      expect(document.errors).toEqual([]);
      return document.toJS();
    }),
  );
}

/** The names of the manifests in a folder below `deploy`. */
export function manifestFiles(...folder: readonly string[]): readonly string[] {
  const names = readdirSync(join(ROOT, "deploy", ...folder)).toSorted();
  return names.filter((name) => name.endsWith(".yaml") && name !== "kustomization.yaml");
}

/** Whether the program takes a command line as it is. */
export async function takes(args: readonly string[]): Promise<void> {
  const program = new Command().exitOverride();
  let ran = false;
  const does = () => async () => {
    ran = true;
  };
  addServing(program, does, "0");
  addWorker(program, does);
  addJobs(program.command("jobs"), does);
  await program.parseAsync([...args], { from: "user" });
  expect(ran).toBe(true);
}

/** What follows a flag. */
export function flagOf(args: readonly string[], flag: string): string | undefined {
  const at = args.indexOf(flag);
  return at < 0 ? undefined : args[at + 1];
}
