import { mkdir, realpath, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Backend } from "../src/backend.ts";
import { localBackend } from "../src/backends/local.ts";
import type { PermissionDecision } from "../src/decision.ts";
import { decide } from "../src/permission/engine.ts";
import type { PermissionMode } from "../src/rule.ts";
import { Bash } from "../src/tools/bash.ts";
import { rule } from "./permission-world.ts";
import { testFolder } from "./test-folder.ts";

/** How a command is judged. */
export interface Judging {
  readonly rules?: readonly string[];
  readonly mode?: PermissionMode;
}

/**
 * A home with secrets, a project beside it and links between them, on the real disk: `home/`, `home/project/` where commands run, and what
 * `files` and `links` say, by paths relative to the home.
 */
export class LinkedWorld implements AsyncDisposable {
  readonly home: string;
  readonly project: string;
  readonly backend: Backend;
  readonly #bash: Bash = new Bash();
  readonly #remove: () => Promise<void>;

  constructor(folder: string, remove: () => Promise<void>) {
    this.home = join(folder, "home");
    this.project = join(this.home, "project");
    this.backend = localBackend({ cwd: this.project, home: this.home });
    this.#remove = remove;
  }

  async put(name: string, content = `content of ${name}\n`): Promise<void> {
    const path = join(this.home, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }

  /** `target` is relative to the home, or absolute. */
  async link(name: string, target: string): Promise<void> {
    const path = join(this.home, name);
    await mkdir(dirname(path), { recursive: true });
    await symlink(target.startsWith("/") ? target : join(this.home, target), path);
  }

  async judge(command: string, { rules = [], mode = "default" }: Judging = {}): Promise<PermissionDecision> {
    return decide(
      this.#bash,
      { command },
      {
        mode,
        cwd: this.project,
        workingDirectories: [this.project],
        rules: rules.map(rule),
        backend: this.backend,
      },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.backend[Symbol.asyncDispose]();
    await this.#remove();
  }
}

/** The world with its files and links. */
export async function linkedWorld(
  files: readonly string[],
  links: Readonly<Record<string, string>> = {},
): Promise<LinkedWorld> {
  const { folder, remove } = await testFolder();
  const world = new LinkedWorld(await realpath(folder), remove);
  await mkdir(world.project, { recursive: true });
  for (const name of files) await world.put(name);
  for (const [name, target] of Object.entries(links)) await world.link(name, target);
  return world;
}
