import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isObject } from "../lib/json.ts";
import { CHANNEL_KINDS } from "./kinds.ts";
import { MAX_MEDIA_BYTES } from "./media/check.ts";
import { MEDIA_FORMATS } from "./media/formats.ts";
import { readChannelEntry } from "./settings.ts";

const root = resolve(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/channels.md"), "utf8");
const blocks = (info: string): readonly string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${info}\\n(.*?)^\`\`\`$`, "gms"))].map(([, body = ""]) => body);

describe("docs/channels.md", () => {
  let project: string;
  beforeAll(() => {
    project = mkdtempSync(join(tmpdir(), "toolgate-channels-"));
    const own = join(project, "node_modules", "toolgate");
    mkdirSync(own, { recursive: true });
    writeFileSync(join(project, "package.json"), '{ "type": "module" }');
    const manifest = { name: "toolgate", type: "module", exports: { ".": "./src/index.ts" } };
    writeFileSync(join(own, "package.json"), JSON.stringify(manifest));
    symlinkSync(join(root, "src"), join(own, "src"));
  });
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  it("runs its program", async () => {
    const [body = "", ...more] = blocks("ts");
    expect(more).toEqual([]);
    const file = join(project, "block.ts");
    writeFileSync(file, body);
    const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: project, timeout: 15_000 });
    expect(stdout.replace(/message [0-9a-f]+/, "message #")).toBe(
      [
        "error Sent 1 of 2 files to the channel console.",
        "- notes.md: sent (message #)",
        "- fake.png: not sent: fake.png isn't a PNG image, as its name says. Send it under the ending of what it is.",
        "console: Thanks",
        "",
      ].join("\n"),
    );
  });

  it("has settings for each service that are right", () => {
    const env = new Proxy({}, { get: () => "a value" });
    const keys = blocks("json").flatMap((body) => {
      const { channels } = JSON.parse(body);
      return isObject(channels) ? Object.entries(channels) : [];
    });
    const named = keys
      .filter(([key]) => key !== "xiaozhi")
      .map(([key, entry]) => readChannelEntry(key, entry, env).name);
    expect([...new Set(named)].sort()).toEqual([...CHANNEL_KINDS.keys()].sort());
  });

  it("names the formats and the limit as they are", () => {
    for (const format of MEDIA_FORMATS.keys())
      expect(page).toMatch(new RegExp(`^\\|.*\\b${format}\\b.*\\|$`, "m"));
    expect(page).toContain(MAX_MEDIA_BYTES.toLocaleString("en"));
  });
});
