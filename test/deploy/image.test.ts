import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { testFolder } from "../test-folder.ts";
import { deployed, ROOT } from "./files.ts";

const manifest = z.looseObject({
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()).default({}),
  peerDependencies: z.record(z.string(), z.string()).default({}),
});
const own = manifest.parse(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")));
const dockerfile = deployed("image", "Dockerfile");
const packages = /^ARG PACKAGES="(.*)"$/m.exec(dockerfile)?.[1]?.split(" ") ?? [];
const rules = readFileSync(join(ROOT, ".dockerignore"), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"));

/** Copies what `.dockerignore` lets into a build: everything is left out first. */
function copyContext(target: string): void {
  expect(rules[0]).toBe("*");
  const out = rules.filter((rule) => rule !== "*" && !rule.startsWith("!"));
  for (const name of rules.filter((rule) => rule.startsWith("!")).map((rule) => rule.slice(1))) {
    expect(existsSync(join(ROOT, name)), name).toBe(true);
    cpSync(join(ROOT, name), join(target, name), {
      recursive: true,
      filter: (source) => !out.some((rule) => matchesGlob(source.slice(ROOT.length + 1), rule)),
    });
  }
}

describe("deploy/image", () => {
  let folder: string;
  let remove: () => Promise<void>;
  beforeAll(async () => {
    ({ folder, remove } = await testFolder());
  });
  afterAll(() => remove());

  it("is built from what .dockerignore lets in, and runs with the packages that it names", {
    timeout: 60_000,
  }, () => {
    const context = join(folder, "context");
    copyContext(context);
    for (const [, source = ""] of dockerfile.matchAll(/^COPY (?!--from)(?:--\S+ )?(\S+) /gm)) {
      expect(existsSync(join(context, source)), source).toBe(true);
    }
    expect(existsSync(join(context, "test"))).toBe(false);
    symlinkSync(join(ROOT, "node_modules"), join(context, "node_modules"));
    const node = (...args: string[]) =>
      execFileSync(process.execPath, args, { cwd: context, encoding: "utf8", timeout: 45_000 });
    node("scripts/build.mjs");
    node("deploy/image/keep.mjs", ...packages);
    const kept = manifest.parse(JSON.parse(readFileSync(join(context, "package.json"), "utf8")));
    expect(Object.keys(kept.dependencies)).toEqual([...Object.keys(own.dependencies), ...packages]);
    expect([kept.devDependencies, kept.peerDependencies]).toEqual([{}, {}]);
    expect(node("bin/toolgate", "--version")).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it("names packages of which toolgate says which versions do, at versions of the lock", () => {
    expect(packages.length).toBeGreaterThan(5);
    for (const name of packages) {
      expect(own.peerDependencies, name).toHaveProperty([name]);
      expect(own.devDependencies, name).toHaveProperty([name]);
    }
    const keep = join(ROOT, "deploy/image/keep.mjs");
    const run = () => execFileSync(process.execPath, [keep, "no-such-package"], { cwd: ROOT, stdio: "pipe" });
    expect(run).toThrow("the lock has no version of it");
  });

  it.each<[string, Readonly<Record<string, string>>, RegExp]>([
    ["without a file", {}, /^\/opt\/toolgate\/bin\/toolgate worker --grace 1$/],
    [
      "with one that is named",
      { TOOLGATE_ENV_FILE: "/etc/x.env" },
      /^--env-file=\/etc\/x\.env \/opt\/\S+ worker --grace 1$/,
    ],
  ])("starts the program %s", (_name, env, expected) => {
    const programs = join(folder, "programs");
    mkdirSync(programs, { recursive: true });
    writeFileSync(join(programs, "node"), '#!/bin/sh\necho "$@"\n');
    chmodSync(join(programs, "node"), 0o755);
    const said = execFileSync("/bin/sh", [join(ROOT, "deploy/image/toolgate"), "worker", "--grace", "1"], {
      env: { PATH: `${programs}:/usr/bin:/bin`, ...env },
      encoding: "utf8",
    });
    expect(said.trim()).toMatch(expected);
  });
});
