import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ArchiveEntry, tarArchive, tarGzArchive, zipArchive } from "../../test/archives.ts";
import { testFolder } from "../../test/test-folder.ts";
import { isToolgateError } from "../errors.ts";
import { Toolkit } from "../toolkit/toolkit.ts";
import { LocalWorkspace } from "./local.ts";
import type { AddSkillOptions } from "./skills.ts";

const TEXT = "---\nname: pdf-forms\ndescription: Fill in forms.\n---\n\nRead scripts/fill.py first.\n";
const SKILL: ArchiveEntry = { name: "pdf/SKILL.md", content: TEXT };
const GOOD: readonly ArchiveEntry[] = [
  { name: "pdf/", type: "5" },
  SKILL,
  { name: "pdf/scripts/", type: "5" },
  { name: "pdf/scripts/fill.py", content: "print('filled')\n", mode: 0o755 },
];
const MAKERS = { tar: tarArchive, "tar.gz": tarGzArchive, zip: zipArchive } as const;
type Format = keyof typeof MAKERS;
const FORMATS: readonly Format[] = ["tar", "tar.gz", "zip"];
const MIB = 1024 * 1024;

let workspace: LocalWorkspace;
beforeAll(async () => {
  workspace = await LocalWorkspace.create();
});
afterAll(() => workspace.close());

/** Everything that the workspace keeps, besides the folders themselves. */
async function kept(): Promise<readonly string[]> {
  const home = join(workspace.workdir, ".toolgate", "workspace");
  const entries = await readdir(home, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name));
}

async function* inPieces(bytes: Uint8Array, size = 1000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe("skills of a workspace", () => {
  it.each(FORMATS)("come from a %s archive, as a whole", async (format) => {
    const skill = await workspace.addSkillArchive(inPieces(MAKERS[format](GOOD)));
    const directory = join(workspace.workdir, ".toolgate", "workspace", "skills", "pdf");
    expect(skill).toMatchObject({ name: "pdf-forms", description: "Fill in forms.", directory });
    const { mode } = await workspace.getBackend().stat(join(directory, "scripts/fill.py"));
    expect(mode & 0o777).toBe(0o755);
    expect((await workspace.listSkills()).skills.map(({ name }) => name)).toEqual(["pdf-forms"]);
    expect(await workspace.removeSkill("pdf-forms")).toBe(true);
    expect(await workspace.removeSkill("pdf-forms")).toBe(false);
    expect(await kept()).toEqual([]);
  });

  it("come with their files at the top of an archive, and what a Mac adds is left out", async () => {
    const entries = [
      { name: "./SKILL.md", content: TEXT },
      { name: "__MACOSX/._SKILL.md", content: "x" },
      { name: ".DS_Store", content: "x" },
    ];
    const skill = await workspace.addSkillArchive(
      zipArchive(entries.slice(1).concat({ name: "SKILL.md", content: TEXT })),
    );
    expect(skill.directory).toMatch(/skills\/pdf-forms$/);
    await expect(workspace.addSkillArchive(tarArchive(entries))).rejects.toMatchObject({
      code: "already_exists",
    });
    const again = await workspace.addSkillArchive(tarArchive(entries), { replace: true });
    expect(again.directory).toBe(skill.directory);
    expect((await kept()).map((path) => path.slice(workspace.workdir.length))).toEqual([
      "/.toolgate/workspace/skills/pdf-forms/SKILL.md",
    ]);
    await workspace.removeSkill("pdf-forms");
  });

  it("come from a folder, and a toolkit shows them as they come and go", async () => {
    const { folder, remove } = await testFolder();
    try {
      await mkdir(join(folder, "notes"));
      await writeFile(join(folder, "notes/SKILL.md"), TEXT.replace("pdf-forms", "notes"));
      await using toolkit = new Toolkit({ backend: workspace.getBackend(), skills: [workspace] });
      expect(await toolkit.skillInstructions()).toBe("");
      await workspace.addSkill(join(folder, "notes"));
      expect(await toolkit.skillInstructions()).toContain("<name>notes</name>");
      const shown = await toolkit.execute("Skill", { skill: "notes" });
      expect(shown.text).toContain("scripts/fill.py");
      await workspace.removeSkill("notes");
      expect(await toolkit.skillInstructions()).toBe("");
    } finally {
      await remove();
    }
  });
});

const DEEP = Array.from({ length: 70 }, (_, at) => `d${at}`).join("/");
const ZEROS = new Uint8Array(8 * MIB);

interface Row {
  readonly name: string;
  readonly entries: readonly ArchiveEntry[];
  readonly says: RegExp;
  readonly code?: string;
  readonly formats?: readonly Format[];
  readonly options?: AddSkillOptions;
}

const TAR_ONLY = ["tar", "tar.gz"] as const;
const REFUSED: readonly Row[] = [
  { name: "an absolute name", entries: [SKILL, { name: "/tmp/toolgate-escaped" }], says: /absolute/ },
  { name: "a way out", entries: [SKILL, { name: "../escaped" }], says: /leads out|invalid relative path/ },
  {
    name: "a way out from within",
    entries: [SKILL, { name: "pdf/../../x" }],
    says: /leads out|invalid relative/,
  },
  {
    name: "another system's way out",
    entries: [SKILL, { name: "pdf\\..\\..\\x" }],
    says: /another system|invalid characters/,
  },
  { name: "a drive", entries: [SKILL, { name: "C:/x" }], says: /another system|absolute/ },
  { name: "a control character", entries: [SKILL, { name: "pdf/a\nb" }], says: /control character/ },
  {
    name: "a symbolic link",
    entries: [SKILL, { name: "pdf/l", type: "2", link: "/etc/passwd" }],
    says: /symbolic link/,
  },
  {
    name: "a link to the outside and a file through it",
    entries: [SKILL, { name: "pdf/l", type: "2", link: "/tmp" }, { name: "pdf/l/x" }],
    says: /symbolic link/,
  },
  {
    name: "a hard link",
    entries: [SKILL, { name: "pdf/h", type: "1", link: "pdf/SKILL.md" }],
    says: /hard link/,
    formats: TAR_ONLY,
  },
  { name: "a device", entries: [SKILL, { name: "pdf/null", type: "3" }], says: /neither a file/ },
  {
    name: "a pipe",
    entries: [SKILL, { name: "pdf/pipe", type: "6" }],
    says: /neither a file/,
    formats: TAR_ONLY,
  },
  { name: "a name twice", entries: [SKILL, SKILL], says: /comes twice/ },
  { name: "names that differ in case", entries: [SKILL, { name: "pdf/skill.MD" }], says: /are one name/ },
  { name: "folders that differ in case", entries: [SKILL, { name: "PDF/x" }], says: /are one name/ },
  {
    name: "names that differ in Unicode form",
    entries: [SKILL, { name: "pdf/\u00e9" }, { name: "pdf/e\u0301" }],
    says: /are one name/,
  },
  { name: "something below a file", entries: [SKILL, { name: "pdf/SKILL.md/x" }], says: /no directory/ },
  { name: "a file in a folder's place", entries: [SKILL, { name: "pdf" }], says: /comes twice|no directory/ },
  { name: "a very deep folder", entries: [SKILL, { name: `${DEEP}` }], says: /too long/, formats: ["zip"] },
  {
    name: "too many entries",
    entries: [SKILL, ...Array.from({ length: 20 }, (_, at) => ({ name: `pdf/${at}` }))],
    says: /more than 10 entries/,
    code: "too_large",
    options: { maxEntries: 10 },
  },
  {
    name: "too much",
    entries: [SKILL, { name: "pdf/x", content: "x".repeat(5000) }],
    says: /more than 4096 bytes/,
    code: "too_large",
    options: { maxBytes: 4096 },
    formats: ["tar.gz", "zip"],
  },
  {
    name: "an archive that is itself too large",
    entries: [SKILL, { name: "pdf/x", content: "x".repeat(5000) }],
    says: /larger than 4096 bytes/,
    code: "too_large",
    options: { maxBytes: 4096 },
    formats: ["tar"],
  },
  {
    name: "a bomb",
    entries: [SKILL, { name: "pdf/zeros", content: ZEROS }],
    says: /more than 200 times/,
    code: "too_large",
    formats: ["tar.gz", "zip"],
  },
  {
    name: "a size that is a lie",
    entries: [SKILL, { name: "pdf/x", content: "x".repeat(5000), size: 10 }],
    says: /too many bytes|zip archive/,
    formats: ["zip"],
  },
  { name: "no skill", entries: [{ name: "pdf/README.md", content: "x" }], says: /SKILL\.md isn't there/ },
  { name: "two folders", entries: [SKILL, { name: "other/x" }], says: /there is no SKILL\.md/ },
  {
    name: "a text that is no skill",
    entries: [{ name: "pdf/SKILL.md", content: "hello" }],
    says: /front matter/,
  },
  {
    name: "a folder that is no plain name",
    entries: [{ name: ".git/SKILL.md", content: TEXT }],
    says: /can't be a skill's folder/,
  },
  {
    name: "a folder that was asked for and leads out",
    entries: [SKILL],
    says: /can't be a skill's folder/,
    options: { directory: "../x" },
  },
];

describe("an archive is refused and nothing of it is left:", () => {
  const rows = REFUSED.flatMap((row) => (row.formats ?? FORMATS).map((format) => ({ ...row, format })));
  it.each(rows)("$name ($format)", async ({ entries, format, says, code = "invalid_input", options }) => {
    const error: unknown = await workspace
      .addSkillArchive(inPieces(MAKERS[format](entries)), options)
      .then(() => undefined)
      .catch((reason: unknown) => reason);
    expect(isToolgateError(error) ? error.message : error).toMatch(says);
    expect(error).toMatchObject({ code });
    expect(await kept()).toEqual([]);
  });

  const whole = { tar: tarArchive(GOOD), gz: tarGzArchive(GOOD), zip: zipArchive(GOOD) };
  const flipped = Buffer.from(whole.zip);
  // Within the packed text of the skill.
  flipped[100] = 255 - (flipped[100] ?? 0);
  const DAMAGED: readonly (readonly [string, Uint8Array])[] = [
    ["nothing at all", new Uint8Array()],
    ["a text", Buffer.from("This is no archive. ".repeat(100))],
    ["a tar cut off within a file", whole.tar.subarray(0, 1100)],
    ["a tar cut off between two files", whole.tar.subarray(0, 1536)],
    ["a gzip cut off", whole.gz.subarray(0, whole.gz.length - 20)],
    ["a gzip of a text", gzipSync("no tar")],
    ["a zip cut off", whole.zip.subarray(0, whole.zip.length - 30)],
    ["a zip with a damaged file", flipped],
  ];
  it.each(DAMAGED)("%s", async (_name, bytes) => {
    await expect(workspace.addSkillArchive(bytes)).rejects.toMatchObject({ code: "invalid_input" });
    expect(await kept()).toEqual([]);
  });

  it("a stream that fails, with its own error", async () => {
    const error = new Error("the network went away");
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield whole.tar.subarray(0, 1000);
      throw error;
    }
    await expect(workspace.addSkillArchive(failing())).rejects.toBe(error);
    expect(await kept()).toEqual([]);
  });

  it("one that is stopped", async () => {
    const stop = new AbortController();
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield tarArchive([{ name: "big", content: "", size: 8 * MIB }]).subarray(0, 512);
      stop.abort(new Error("enough"));
      for (;;) yield new Uint8Array(1024);
    }
    await expect(workspace.addSkillArchive(endless(), { signal: stop.signal })).rejects.toThrow("enough");
    expect(await kept()).toEqual([]);
  });
});
