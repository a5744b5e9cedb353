import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LinkedWorld, linkedWorld } from "../../test/linked-world.ts";
import { verdict } from "../../test/permission-world.ts";
import { has } from "../../test/require.ts";
import { indexPaths } from "./git-index.ts";

type Row = readonly [command: string, expected: string];

let world: LinkedWorld;

function git(folder: string, ...words: readonly string[]): void {
  const identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"];
  const env = { PATH: process.env.PATH, HOME: world.home, GIT_CONFIG_NOSYSTEM: "1" };
  execFileSync("git", [...identity, ...words], { cwd: folder, env, stdio: "pipe" });
}

const here = describe.skipIf(!has("git"));

beforeAll(async () => {
  if (!has("git")) return;
  world = await linkedWorld(
    [
      "secret/plan.txt",
      "secret/sub/a.txt",
      "project/a.txt",
      "project/src/b.txt",
      "project/src/cert.pem",
      "project/locked/c.txt",
      "project/.env",
      "project/.gitignore",
      "project/plain/d.txt",
      "bare/e.txt",
    ],
    { "project/to-secret": "secret" },
  );
  await world.put("project/.gitignore", ".env\n");
  for (const name of ["secret", "project"]) {
    const folder = join(world.home, name);
    git(folder, "init", "-q");
    git(folder, "add", "-A");
    git(folder, "commit", "-qm", "first");
  }
  git(world.home, "clone", "-q", "--bare", "secret", "naked.git");
  git(world.project, "worktree", "add", "-q", join(world.home, "beside"));
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

function judged(title: string, rules: readonly string[], rows: readonly Row[]): void {
  here(title, () => {
    it.each(rows)("%s: %s", async (command, expected) => {
      const decision = await world.judge(command, { rules });
      expect(verdict(decision), decision.message).toBe(expected);
    });
  });
}

judged(
  "a denied repository is denied however git is sent there",
  ["deny:Read(~/secret/**)"],
  [
    ["git -C ~/secret log -p", "deny"],
    ["git -C ~/secret log", "deny"],
    ["git -C ~/secret status", "deny"],
    ["git -C ~/secret/sub show", "deny"],
    ["git -C ~/secret branch", "deny"],
    ["git -C ~/secret cat-file -p HEAD", "deny"],
    ["git -C ~/secret grep x", "deny"],
    ["git -C ~/secret ls-files", "deny"],
    ["git -C ~/secret stash list", "deny"],
    ["git -C to-secret log", "deny"],
    ["git -C ~ -C secret diff", "deny"],
    ["cd ~/secret && git log", "deny"],
    ["(cd ~/secret; git diff)", "deny"],
    ["env -C ~/secret git show", "deny"],
    ["git --git-dir=$HOME/secret/.git show", "deny"],
    ["git --git-dir ~/secret/.git log -p", "deny"],
    ["git --work-tree ~/secret diff", "deny"],
    ["git diff --no-index a.txt ~/secret/plan.txt", "deny"],
    ["git diff --no-index ~/secret plain", "deny"],
    ["git grep --no-index x ~/secret", "deny"],
    ["git blame ~/secret/plan.txt", "deny"],
    ["git clone ~/secret copy", "deny"],
    ["git -C ~ diff secret bare", "deny"],
    ["cd ~ && git diff bare secret", "deny"],
    ["git fetch file://$HOME/secret main", "deny"],
    ["git log -p", "allow"],
    ["git diff", "allow"],
    ["git show HEAD:a.txt", "allow"],
    ["git grep x", "allow"],
    ["git -C src log -p", "allow"],
    ["git -C plain status", "allow"],
    ["git diff --no-index a.txt plain/d.txt", "allow"],
  ],
);

judged(
  "what git keeps of a denied folder",
  ["deny:Read(./locked/**)"],
  [
    ["git show HEAD:locked/c.txt", "deny"],
    ["git cat-file -p HEAD:locked/c.txt", "deny"],
    ["git show :locked/c.txt", "deny"],
    ["cd src && git show HEAD:locked/c.txt", "deny"],
    ["git -C src show HEAD:locked/c.txt", "deny"],
    ["git -C src show HEAD:src/b.txt", "ask"],
    ["git blame locked/c.txt", "deny"],
    ["git diff -- locked", "deny"],
    ["git diff locked", "deny"],
    ["git diff plain", "ask"],
    ["git diff main topic", "ask"],
    ["git log -p -- locked/c.txt", "deny"],
    ["git log -- locked", "deny"],
    ["git grep x", "deny"],
    ["git grep x -- locked", "deny"],
    ["git grep x -- src", "allow"],
    // What turns out to be shown isn't known.
    ["git diff", "ask"],
    ["git log -p", "ask"],
    ["git show", "ask"],
    ["git show HEAD~1", "ask"],
    ["git -C src diff", "ask"],
    ["git diff -- .", "ask"],
    ["git diff -- src", "allow"],
    ["git diff -- src ':!src/x'", "allow"],
    ["git diff -- ':!locked'", "ask"],
    ["git log -S needle", "ask"],
    ["git stash show -p", "ask"],
    ["git reflog -p", "ask"],
    ["git cat-file -p HEAD", "ask"],
    ["git archive HEAD", "ask"],
    // Names and numbers only.
    ["git log", "allow"],
    ["git log --stat", "allow"],
    ["git status", "allow"],
    ["git diff --stat", "allow"],
    ["git diff --name-only HEAD", "allow"],
    ["git diff --stat -p", "ask"],
    ["git stash show", "allow"],
    ["git ls-files", "allow"],
    ["git cat-file -t HEAD", "allow"],
    ["git --version", "allow"],
  ],
);

judged(
  "a name at any depth",
  ["deny:Read(*.pem)"],
  [
    ["git diff", "ask"],
    ["git grep x", "deny"],
    ["git grep x -- src", "deny"],
    ["git grep x -- plain", "allow"],
    ["git show HEAD:src/cert.pem", "deny"],
    ["git diff -- plain", "allow"],
    ["git -C ~/beside diff", "ask"],
  ],
);

judged(
  "what isn't kept isn't shown",
  ["deny:Read(.env)", "deny:Read(./dist/**)"],
  [
    ["git diff", "allow"],
    ["git log -p", "allow"],
    ["git show", "allow"],
    ["git grep x", "allow"],
    ["git -C ~/beside show", "allow"],
    ["git show HEAD:.env", "deny"],
    ["git show HEAD~3:sub/.env", "deny"],
    ["git grep --untracked x", "deny"],
    // Where there is no repository nothing is kept, and git compares folders that it is given.
    ["git -C ~/bare show", "allow"],
    ["git -C ~/bare diff", "allow"],
    ["git -C ~/bare diff a b", "deny"],
    ["git -C ~/bare diff a.txt e.txt", "allow"],
    ["git -C ~/bare diff .env e.txt", "deny"],
    ["git -C ~/naked.git show", "ask"],
    ["git -C ~/naked.git/refs log -p", "ask"],
  ],
);

judged(
  "secrets in a revision are secrets",
  [],
  [
    ["git show HEAD:.env", "ask"],
    ["git cat-file -p HEAD:config/.env.local", "ask"],
    ["git show HEAD:a.txt", "allow"],
    ["git log -p", "allow"],
  ],
);

here("the index", () => {
  const listed = (): readonly string[] =>
    execFileSync("git", ["ls-files"], { cwd: world.project, encoding: "utf8" }).trim().split("\n");
  const read = (): readonly string[] | undefined =>
    indexPaths(readFileSync(join(world.project, ".git/index")));

  it.each([2, 3, 4])("is read in version %i", (version) => {
    git(world.project, "update-index", `--index-version=${version}`);
    if (version === 3) git(world.project, "update-index", "--skip-worktree", "a.txt");
    expect(read()).toEqual(listed());
    git(world.project, "update-index", "--no-skip-worktree", "a.txt");
  });

  it("isn't taken for whole when it is split, or for one when it is none", () => {
    git(world.project, "update-index", "--split-index");
    expect(read()).toBeUndefined();
    git(world.project, "update-index", "--no-split-index");
    expect(read()).toEqual(listed());
    expect(indexPaths(new Uint8Array())).toBeUndefined();
    expect(indexPaths(new TextEncoder().encode("DIRC nonsense that is no index"))).toBeUndefined();
  });

  it("isn't guessed at where hashes are longer", async () => {
    await world.put("long/a.txt");
    const folder = join(world.home, "long");
    git(folder, "init", "-q", "--object-format=sha256");
    git(folder, "add", "-A");
    expect(indexPaths(readFileSync(join(folder, ".git/index")))).toBeUndefined();
  });
});
