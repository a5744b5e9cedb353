import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testFolder } from "../../../test/test-folder.ts";
import { isToolgateError } from "../../errors.ts";
import { listDirectory, lstatPath, statPath } from "./files.ts";
import { glance } from "./glance.ts";

let folder = "";
let remove: () => Promise<void>;
beforeAll(async () => {
  ({ folder, remove } = await testFolder());
  mkdirSync(join(folder, "sub"));
  writeFileSync(join(folder, "file"), "x");
  symlinkSync("file", join(folder, "link"));
  symlinkSync("sub", join(folder, "to-sub"));
  symlinkSync("nowhere", join(folder, "dangling"));
  symlinkSync("loop", join(folder, "loop"));
});
afterAll(() => remove());

describe("a glance", () => {
  it.each(["", "sub", "file", "link", "to-sub", "dangling", "missing", "file/below", "/dev/null"])(
    "at %j says what a look says",
    async (name) => {
      const path = name.startsWith("/") ? name : join(folder, name);
      const looked = async (look: (path: string) => Promise<{ kind: string }>): Promise<string | undefined> =>
        look(path).then(
          ({ kind }) => kind,
          () => undefined,
        );
      expect(glance.kind(path, "lstat")).toBe(await looked(lstatPath));
      expect(glance.kind(path, "stat")).toBe(await looked(statPath));
      const listed = await listDirectory(path).catch(() => []);
      expect(glance.list(path).toSorted()).toEqual(listed.toSorted());
    },
  );

  it("says what it can't look at", () => {
    expect(() => glance.kind(join(folder, "loop"), "stat")).toThrow(expect.toSatisfy(isToolgateError));
    expect(() => glance.list("relative")).toThrow(expect.toSatisfy(isToolgateError));
    expect(glance.kind(join(folder, "loop"), "lstat")).toBe("symlink");
  });
});
