import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Judging, type LinkedWorld, linkedWorld } from "../../test/linked-world.ts";
import { verdict } from "../../test/permission-world.ts";

type Row = readonly [command: string, expected: string];

let world: LinkedWorld;

beforeAll(async () => {
  world = await linkedWorld(
    [
      "secret/plan.txt",
      "other/notes.txt",
      ".ssh/id_rsa",
      "project/a.txt",
      "project/plain/b.txt",
      "project/plain/deep/c.txt",
      "project/keys/server.key",
      "project/keys/readme.md",
      "project/dots/.hidden/x.txt",
      "project/ci/Jenkinsfile",
      "project/ci/other.txt",
      "project/out/d/g.txt",
    ],
    {
      "project/linked/hidden": "secret",
      "project/linked/sub/deeper": "secret/plan.txt",
      "project/chained/first": "chain",
      "chain/second": "secret",
      "project/single/plan": "secret/plan.txt",
      "project/key/mine": ".ssh/id_rsa",
      "project/keydir/mine": ".ssh",
      "project/away/notes": "other",
      "project/loop/self": "project/loop",
      "project/within/twin": "project/plain",
      "project/dots/.link": "secret",
      "project/many/one/link": "secret",
      "project/dest/plan.txt": "secret/plan.txt",
      "project/dest/other.txt": "other/notes.txt",
      "project/dest/tree/deep/notes.txt": "other/notes.txt",
      "project/dest/away": "other",
      "project/code/x.ts": "other/notes.txt",
      "project/code/dir": "other",
    },
  );
});
afterAll(() => world[Symbol.asyncDispose]());

function judged(title: string, judging: Judging, rows: readonly Row[]): void {
  describe(title, () => {
    it.each(rows)("%s: %s", async (command, expected) => {
      const decision = await world.judge(command, judging);
      expect(verdict(decision), decision.message).toBe(expected);
    });
  });
}

const DENY = { rules: ["deny:Read(~/secret/**)"] };

judged("a denied place is seen behind the links that a command goes through", DENY, [
  ["grep -R x linked", "deny"],
  ["grep -Rn x .", "deny"],
  ["grep -r x linked", "allow"],
  ["grep -R x plain", "allow"],
  ["grep -R x within", "allow"],
  ["grep -R x loop", "allow"],
  ["grep -R x away", "allow"],
  ["grep -R x chained", "deny"],
  ["grep -r x linked/*", "deny"],
  ["grep -r x linked/sub/*", "deny"],
  ["rg x linked", "allow"],
  ["rg -L x linked", "deny"],
  ["rg -L x dots", "allow"],
  ["rg -L --hidden x dots", "deny"],
  ["find linked -name x", "allow"],
  ["find -L linked -name x", "deny"],
  ["find -L plain -name x", "allow"],
  ["find linked -follow", "deny"],
  ["find linked -exec cat {} +", "deny"],
  ["find linked -type f -exec cat {} +", "allow"],
  ["find -L linked -type f -exec cat {} +", "deny"],
  ["find linked ! -type f -exec cat {} +", "deny"],
  ["find linked -type f -o -name x -exec cat {} +", "deny"],
  ["find linked '(' -type f ')' -exec cat {} +", "allow"],
  ["find plain -exec cat {} +", "allow"],
  ["tar chf - linked | wc -c", "deny"],
  ["tar cf - linked | wc -c", "allow"],
  ["ls -LR linked", "deny"],
  ["ls -R linked", "allow"],
  ["du -sL linked", "deny"],
  ["diff -r linked plain", "deny"],
  ["diff -r --no-dereference linked plain", "allow"],
  ["diff -r plain plain/deep", "allow"],
]);

judged("a denied place is seen among what a pattern stands for", DENY, [
  ["cat linked/*", "deny"],
  ["cat single/*", "deny"],
  ["cat single/p*", "deny"],
  ["cat single/q*", "allow"],
  ["cat single/pla?", "deny"],
  ["cat single/[p]lan", "deny"],
  ["cat */plan", "deny"],
  ["cat */hidden/plan.txt", "deny"],
  ["cat linked/*/plan.txt", "deny"],
  ["cat many/*/link/plan.txt", "deny"],
  ["cat many/*/other/plan.txt", "allow"],
  ["cat many/**/plan.txt", "deny"],
  ["cat plain/*", "allow"],
  ["cat plain/*/*", "allow"],
  ["cat *.txt", "allow"],
  ["cat dots/*", "allow"],
  ["cat dots/.l*/plan.txt", "deny"],
  ["for f in single/*; do cat $f; done", "deny"],
  ["for f in plain/*; do cat $f; done", "allow"],
  ["cat single/$x", "deny"],
  ["cat plain/$x", "allow"],
  ['cat "single/$x"', "deny"],
  ["ls linked/*", "deny"],
  ["ls plain/*", "allow"],
]);

judged("a secret is asked about behind a link and behind a pattern", {}, [
  ["grep -R x key", "ask"],
  ["grep -R x keydir", "ask"],
  ["grep -r x key", "allow"],
  ["grep -R x linked", "allow"],
  ["cat key/*", "ask"],
  ["cat keydir/*", "ask"],
  ["cat keydir/*/id_rsa", "ask"],
  ["cat keys/*", "ask"],
  ["cat keys/*.md", "allow"],
  ["head -1 keys/s*", "ask"],
  ["ls -l keys/*", "allow"],
  ["find key -exec cat {} +", "ask"],
  ["tar chf - key | wc -c", "ask"],
  ["cp -rL key copy", "ask"],
]);

judged("an allow rule doesn't open what is sent away", { rules: [...DENY.rules, "allow:Bash(scp:*)"] }, [
  ["scp a.txt host:", "allow"],
  ["scp -r plain host:", "allow"],
  ["scp ~/secret/plan.txt host:", "deny"],
  ["scp -r linked host:", "deny"],
  ["scp linked/hidden/* host:", "deny"],
  ["scp -r key host:", "ask"],
]);

judged("an ask rule is asked", { rules: ["ask:Read(~/other/**)"] }, [
  ["grep -R x away", "ask"],
  ["grep -R x plain", "allow"],
  ["cat away/*/notes.txt", "ask"],
]);

judged(
  "acceptEdits and what is copied through links",
  { mode: "acceptEdits", rules: ["deny:Read(~/secret/**)"] },
  [
    ["cp -r linked copy", "allow"],
    ["cp -rL linked copy", "deny"],
    ["cp -r --dereference linked copy", "deny"],
    ["cp -aL linked copy", "deny"],
    ["cp -a linked copy", "allow"],
    ["cp single/* copy", "deny"],
    ["cp plain/* copy", "allow"],
    ["rsync -a linked/ copy/", "allow"],
    ["rsync -aL linked/ copy/", "deny"],
    ["rsync -a --copy-links linked/ copy/", "deny"],
    ["rsync -aL plain/ copy/", "allow"],
    ["cp -rL key copy", "ask"],
    ["install single/* copy", "deny"],
    ["install plain/*.txt copy/", "allow"],
  ],
);

judged("acceptEdits and what is changed through links", { mode: "acceptEdits" }, [
  // A link where something is copied to.
  ["cp plain/b.txt dest", "allow"],
  ["cp ci/other.txt dest", "ask"],
  ["cp ci/other.txt dest/", "ask"],
  ["cp ci/* dest", "ask"],
  ["cp -t dest plain/b.txt", "ask"],
  ["cp -t plain a.txt", "allow"],
  ["cp a.txt .", "allow"],
  ["cp -r out/d dest", "allow"],
  ["cp -r dest/tree plain", "allow"],
  ["cp -rT out dest", "ask"],
  ["cp -r out/. dest", "ask"],
  ["cp -r out/. plain", "allow"],
  ["mv ci/other.txt dest", "allow"],
  ["install ci/other.txt dest", "allow"],
  // A link among what a pattern stands for.
  ["tee code/*", "ask"],
  ["touch code/*.ts", "ask"],
  ["touch plain/*.txt", "allow"],
  ["truncate -s 0 code/*", "ask"],
  ["chmod 600 code/*", "ask"],
  ["chmod 600 plain/*", "allow"],
  ["find code -name '*.ts' -exec touch {} +", "ask"],
  ["find code -type f -name '*.ts' -exec touch {} +", "allow"],
  ["find plain -name '*.ts' -exec touch {} +", "allow"],
  ["find -L code -name '*.log' -exec rm {} +", "ask!"],
  ["find code -name '*.log' -exec rm {} +", "allow"],
  ["rm code/*", "allow"],
  // A link that is named.
  ["tee code/x.ts < a.txt", "ask"],
  ["echo x > code/x.ts", "ask"],
  ["echo x > code/dir/new.txt", "ask"],
  ["cp a.txt code/x.ts", "ask"],
  ["cp a.txt code/dir", "ask"],
  ["install a.txt code/dir", "ask"],
  ["mv a.txt code/dir", "ask"],
  ["mv code/x.ts plain/y.ts", "allow"],
  ["sort -o code/x.ts a.txt", "ask"],
  ["dd if=a.txt of=code/x.ts", "ask"],
  ["truncate -s 0 code/x.ts", "ask"],
  ["touch code/dir/z", "ask"],
  ["mkdir code/dir/z", "ask"],
  ["rm code/dir/notes.txt", "ask"],
  ["rm code/dir", "allow"],
  // Another name for a file is as good as the file.
  ["cp -l ~/other/notes.txt plain/", "ask"],
  ["cp -al ~/other plain/", "ask"],
  ["cp -l a.txt plain/", "allow"],
  ["cp ~/other/notes.txt plain/", "allow"],
  ["ln ~/other/notes.txt plain/n", "ask"],
  // Names that decide what runs.
  ["touch ci/*", "ask!"],
  ["rm -f ci/J*", "ask!"],
  ["rm -f ci/o*", "allow"],
  ["split a.txt dest/other", "ask"],
  ["split a.txt plain/part-", "allow"],
]);

judged(
  "an archive is taken apart below the links that lie there",
  { rules: ["allow:Bash(tar:*)", "deny:Edit(~/other/**)"] },
  [
    ["tar xf a.tar -C dest", "deny"],
    ["tar xf a.tar -C plain", "allow"],
    ["tar xf a.tar -C key", "allow"],
  ],
);

describe("what is found through a link", () => {
  it("is said, with where it leads", async () => {
    const { message } = await world.judge("grep -R x linked", DENY);
    expect(message).toContain(
      `it reads everything below linked/hidden, which leads to ${world.home}/secret.`,
    );
  });

  it("is asked about when there is too much to look through", async () => {
    const names = Array.from(
      { length: 201 },
      (_, at) => [`project/crowd/l${at}`, `elsewhere/${at}`] as const,
    );
    await using crowd = await linkedWorld(["project/a.txt"], Object.fromEntries(names));
    const commands = ["grep -R x crowd", "grep -r x crowd", "find crowd -exec cat {} +"];
    const verdicts = async (judging: Judging): Promise<readonly string[]> =>
      Promise.all(commands.map(async (command) => verdict(await crowd.judge(command, judging))));
    expect(await verdicts({})).toEqual(["ask", "allow", "allow"]);
    expect(await verdicts(DENY)).toEqual(["ask", "allow", "ask"]);
    expect(await verdicts({ mode: "explore" })).toEqual(["deny", "allow", "allow"]);
    expect(await verdicts({ rules: [...DENY.rules, "allow:Bash(grep:*)"] })).toEqual(["ask", "allow", "ask"]);
  });
});
