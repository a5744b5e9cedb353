import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Judging, type LinkedWorld, linkedWorld } from "../../test/linked-world.ts";
import { verdict } from "../../test/permission-world.ts";

let world: LinkedWorld;

beforeAll(async () => {
  world = await linkedWorld(
    [
      "secret/plan.txt",
      "other/notes.txt",
      "tree/Jenkinsfile",
      "project/Jenkinsfile",
      "project/a.txt",
      "project/b.txt",
      "project/plain/c.txt",
    ],
    {
      "project/link": "other/notes.txt",
      "project/away": "other",
      "project/plan": "secret/plan.txt",
      "project/holder/deep/link": "other/notes.txt",
      "project/inner": "project/plain",
    },
  );
});
afterAll(() => world[Symbol.asyncDispose]());

function judged(title: string, judging: Judging, rows: readonly (readonly [string, string])[]): void {
  describe(title, () => {
    it.each(rows)("%s: %s", async (command, expected) => {
      const decision = await world.judge(command, judging);
      expect(verdict(decision), decision.message).toBe(expected);
    });
  });
}

judged("what a command has put there itself is gone through as the link it is", { mode: "acceptEdits" }, [
  ["mv link y && echo x > y", "ask"],
  ["mv link y; sed -i s/a/b/ y", "ask"],
  ["mv away d && echo x > d/y", "ask"],
  ["mkdir q && mv link q/ && echo x > q/link", "ask"],
  ["cp -P link y && echo x >> y", "ask"],
  ["cp -a link y; tee y < a.txt", "ask"],
  ["cp -s ~/other/notes.txt y; echo x >> y", "ask"],
  ["cp -r holder h && echo x > h/deep/link", "ask"],
  ["rsync -a holder/ h && echo x > h/deep/link", "ask"],
  ["mv link t && mv t u && echo x > u", "ask"],
  ["for i in 1 2; do echo x > y; mv link y; done", "ask"],
  // Its neighbours.
  ["mv a.txt y && echo x > y", "allow"],
  ["mv a.txt y && sed -i s/a/b/ y && cat y", "allow"],
  ["cp a.txt y && sed -i s/a/b/ y", "allow"],
  ["cp link y && echo x > y", "allow"],
  ["cp -r plain p && sed -i s/a/b/ p/c.txt", "allow"],
  ["mv inner in && echo x > in/c.txt", "allow"],
  ["mv link y && rm y", "allow"],
  ["mv link y && ls y", "allow"],
  ["echo x > t && mv t b.txt", "allow"],
  ["mv link y; echo x > z", "allow"],
]);

judged("what rsync brings is judged by its names", { mode: "acceptEdits" }, [
  ["rsync -a plain/ p", "allow"],
  ["rsync -a plain .", "allow"],
  ["rsync -a ../tree/ .", "ask"],
  ["rsync -a ../tree/Jenkinsfile .", "ask!"],
]);

judged("rules see it as well", { mode: "acceptEdits", rules: ["deny:Read(~/secret/**)"] }, [
  ["mv plan y && cat y", "deny"],
  ["cp -r holder h && cat h/deep/link", "allow"],
  ["mv plan y && cat a.txt", "allow"],
]);
