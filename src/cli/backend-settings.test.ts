import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { testFolder } from "../../test/test-folder.ts";
import { backendSetting } from "./backend-settings.ts";

let folder = "";
let remove: () => Promise<void>;
beforeEach(async () => {
  ({ folder, remove } = await testFolder());
  vi.stubEnv("HOME", join(folder, "home"));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await remove();
});

interface Row {
  readonly name: string;
  readonly user?: unknown;
  readonly project?: unknown;
  readonly local?: unknown;
  readonly trusted?: boolean;
  readonly session?: string;
  readonly is: string | undefined;
  readonly notice?: RegExp;
}

const ROWS: readonly Row[] = [
  { name: "nothing", is: undefined },
  { name: "the user's own", user: "docker:alpine", is: "docker:alpine" },
  { name: "the user's own, as an object", user: { default: "ssh:host/x" }, is: "ssh:host/x" },
  { name: "bubblewrap by a project that nobody trusts", project: "bubblewrap", is: "bubblewrap" },
  {
    name: "docker by a project that nobody trusts",
    project: "docker:evil",
    is: undefined,
    notice: /left out.*docker:evil/,
  },
  { name: "ssh by its local file", local: "ssh:evil.example", is: undefined, notice: /left out.*ssh:evil/ },
  {
    name: "local by it, against the user",
    user: "bubblewrap",
    project: "local",
    is: "bubblewrap",
    notice: /left out.*local/,
  },
  {
    name: "bubblewrap by it, against the user's docker",
    user: "docker:alpine",
    project: "bubblewrap",
    is: "docker:alpine",
  },
  { name: "bubblewrap by it, with the user's local", user: "local", project: "bubblewrap", is: "bubblewrap" },
  {
    name: "a trusted project's",
    user: "local",
    project: "docker:node:24",
    trusted: true,
    is: "docker:node:24",
  },
  { name: "its local file before it", project: "docker:a", local: "docker:b", trusted: true, is: "docker:b" },
  {
    name: "a session's",
    user: { default: "local", sessions: { "ci-*": "docker:alpine" } },
    session: "ci-1",
    is: "docker:alpine",
  },
  {
    name: "another session's",
    user: { default: "bubblewrap", sessions: { "ci-*": "docker:alpine" } },
    session: "x-ci-1",
    is: "bubblewrap",
  },
  { name: "no session's", user: { sessions: { "*": "docker:alpine" } }, is: undefined },
  {
    name: "a name with signs of its own",
    user: { sessions: { "a.b": "docker:alpine" } },
    session: "a-b",
    is: undefined,
  },
];

const WRONG: readonly (readonly [string, unknown, RegExp])[] = [
  ["a number", 1, /must be a text, or an object/],
  ["no backend", "podman:x", /names no place: "podman:x"/],
  ["another key", { docker: "x" }, /has no key `docker`/],
  ["a session without a place", { sessions: { a: 1 } }, /names no place: it must be a text/],
  ["a list of sessions", { sessions: [] }, /must be an object/],
];

async function settings(at: string, value: unknown): Promise<void> {
  if (value === undefined) return;
  await mkdir(join(folder, at, ".."), { recursive: true });
  await writeFile(join(folder, at), JSON.stringify({ backend: value }));
}

describe("the backend in settings", () => {
  it.each(ROWS)("$name", async ({ user, project, local, trusted = false, session, is, notice }) => {
    await settings("home/.toolgate/settings.json", user);
    await settings("project/.toolgate/settings.json", project);
    await settings("project/.toolgate/settings.local.json", local);
    const at = { project: join(folder, "project"), projectTrusted: trusted, session };
    const found = await backendSetting(at);
    expect(found.text).toBe(is);
    expect(found.notices.join("\n")).toMatch(notice ?? /^$/);
  });

  it.each(WRONG)("can't be %s", async (_name, value, says) => {
    await settings("home/.toolgate/settings.json", value);
    const at = { project: join(folder, "project"), projectTrusted: false };
    await expect(backendSetting(at)).rejects.toMatchObject({
      code: "invalid_settings",
      message: expect.stringMatching(says),
    });
  });
});
