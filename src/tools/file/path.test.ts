import { describe, expect, it } from "vitest";
import { memoryBackend } from "../../backends/memory.ts";
import { newState } from "../../state.ts";
import { filePath } from "./path.ts";
import { MAX_READ_RECORDS, recall, remember } from "./record.ts";

describe("the path that file_path names", () => {
  it.each([
    ["posix", "a.txt", "/work/a.txt"],
    ["posix", "./b/../a.txt", "/work/a.txt"],
    ["posix", "../../../etc/passwd", "/etc/passwd"],
    ["posix", "/x//y/./z/", "/x/y/z"],
    ["posix", "/", "/"],
    ["posix", "~", "/home/user"],
    ["posix", "~/x/../y", "/home/user/y"],
    ["posix", "~other/x", "/work/~other/x"],
    ["posix", "a\\b", "/work/a\\b"],
    ["win32", "a\\b.txt", "C:\\work\\a\\b.txt"],
    ["win32", "a/b.txt", "C:\\work\\a\\b.txt"],
    ["win32", "D:/x/../y", "D:\\y"],
    ["win32", "~/x", "C:\\Users\\user\\x"],
  ] as const)("in %s, %j is %s", (flavour, given, path) => {
    const backend = memoryBackend({ flavour });
    expect(filePath({ file_path: given }, backend.cwd, backend)).toBe(path);
  });
});

describe("what a session remembers of files", () => {
  it("is bounded, and forgets the least recently used first", () => {
    const backend = memoryBackend();
    const state = newState({ cwd: "/" });
    const stat = { kind: "file", size: 1, mtimeMs: 0, mode: 0o644, version: "1" } as const;
    for (let at = 0; at < MAX_READ_RECORDS; at += 1) remember(state, backend, `/${at}`, stat, undefined);
    remember(state, backend, "/0", { ...stat, version: "2" }, "hash");
    remember(state, backend, "/new", stat, undefined);
    expect(recall(state, backend, "/0")).toEqual({ path: "/0", version: "2", size: 1, hash: "hash" });
    expect(recall(state, backend, "/1")).toBeUndefined();
    expect(recall(state, backend, "/2")).toBeDefined();
    expect(Object.keys(state.tools.reads[backend.id] ?? {}).length).toBe(MAX_READ_RECORDS);
  });

  it("doesn't take inherited names for records", () => {
    const backend = Object.assign(Object.create(memoryBackend()), { id: "__proto__" });
    const state = newState({ cwd: "/" });
    expect(recall(state, backend, "toString")).toBeUndefined();
    const stat = { kind: "file", size: 1, mtimeMs: 0, mode: 0o644, version: "1" } as const;
    remember(state, backend, "/x", stat, undefined);
    expect(recall(state, backend, "/x")?.version).toBe("1");
    expect(Object.getPrototypeOf(state.tools.reads)).toBe(Object.prototype);
  });
});
