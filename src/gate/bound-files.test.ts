import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { has } from "../../test/require.ts";
import { testFolder } from "../../test/test-folder.ts";
import type { GateEvent } from "../event.ts";
import { memoryStore } from "../store/memory.ts";
import { Toolkit } from "../toolkit/toolkit.ts";
import { Bash } from "../tools/bash.ts";
import { answerApproval } from "./answer-approval.ts";

async function last(stream: AsyncIterable<GateEvent>): Promise<GateEvent | undefined> {
  let event: GateEvent | undefined;
  for await (event of stream);
  return event;
}

const ROWS: readonly {
  readonly command: string;
  /** What is bound, in the folder. */
  readonly files: readonly string[];
  /** Changed between the yes and the run. */
  readonly change?: (folder: string) => Promise<unknown>;
  readonly runs: boolean;
}[] = [
  { command: "bash deploy.sh", files: ["deploy.sh"], runs: true },
  {
    command: "bash deploy.sh",
    files: ["deploy.sh"],
    change: (folder) => writeFile(join(folder, "deploy.sh"), "echo other > out.txt\n"),
    runs: false,
  },
  {
    command: "./deploy.sh",
    files: ["deploy.sh"],
    change: (folder) => writeFile(join(folder, "deploy.sh"), "echo other > out.txt\n"),
    runs: false,
  },
  { command: "cp notes.txt out.txt", files: ["out.txt"], runs: true },
  {
    // What is only read may change.
    command: "cp notes.txt out.txt",
    files: ["out.txt"],
    change: (folder) => writeFile(join(folder, "notes.txt"), "other"),
    runs: true,
  },
  {
    command: "cp notes.txt out.txt",
    files: ["out.txt"],
    change: (folder) => writeFile(join(folder, "out.txt"), "made meanwhile"),
    runs: false,
  },
  {
    command: "rm -r old",
    files: ["old"],
    change: (folder) => writeFile(join(folder, "old", "new.txt"), "made meanwhile"),
    runs: false,
  },
  {
    command: "rm -r old",
    files: ["old"],
    change: (folder) => rm(join(folder, "old"), { recursive: true }),
    runs: false,
  },
];

describe.skipIf(!has("bash"))(
  "a parked command is bound to the files that it changes and the scripts that it runs",
  () => {
    it.each(ROWS)("$command, $files", async ({ command, files, change, runs }) => {
      const { folder, remove } = await testFolder();
      try {
        await mkdir(join(folder, "old"));
        await writeFile(join(folder, "deploy.sh"), "#!/bin/bash\necho deployed > out.txt\n", { mode: 0o755 });
        await writeFile(join(folder, "notes.txt"), "notes");
        await using store = memoryStore();
        await using toolkit = new Toolkit({ tools: [new Bash()], cwd: folder, store });
        await last(toolkit.run({ id: "c1", name: "Bash", input: { command } }));
        const [approval] = (await store.approvals()).items;
        expect(approval?.files.map(({ path }) => path)).toEqual(files.map((file) => join(folder, file)));
        await answerApproval(store, approval?.id ?? "", { approved: true, by: "ann" });
        await change?.(folder);
        const event = await last(toolkit.resumeCall("c1"));
        expect(event?.type).toBe(runs ? "TOOL_RESULT_END" : "TOOL_CALL_PARKED");
      } finally {
        await remove();
      }
    });
  },
);
