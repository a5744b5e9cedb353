import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testFolder } from "../../test/test-folder.ts";
import { defineTool } from "../define-tool.ts";
import { Toolkit } from "../toolkit/toolkit.ts";
import { jsonlAuditLog } from "./jsonl-log.ts";
import { type MergedCall, mergedCalls } from "./merged-calls.ts";
import { auditRecords } from "./read.ts";
import { verifyAudit } from "./verify.ts";

const SECRET = `ghp_${"a1B2".repeat(9)}`;

describe("answers in the records", () => {
  let folder: Awaited<ReturnType<typeof testFolder>>;
  beforeAll(async () => {
    folder = await testFolder();
  });
  afterAll(() => folder.remove());

  const rows: readonly (readonly [number | undefined, string, RegExp])[] = [
    [undefined, "hello", /^5 characters$/],
    [0, "hello", /^5 characters$/],
    [100, "hello", /^hello$/],
    [200, "ab\n".repeat(1700), /^(?:ab\n){50,}.*… \[5100 characters\]$/s],
    [100, `the token ${SECRET}`, /^the token \[redacted [\w ]+\]$/],
  ];
  it.each(rows)("of %s characters at most: %.20s", async (answerCharacters, text, result) => {
    const directory = `${folder.folder}/${crypto.randomUUID()}`;
    const say = defineTool({
      name: "say",
      description: "Says it.",
      input: { type: "object", properties: {} },
      isReadOnly: true,
      call: () => text,
    });
    {
      await using audit = jsonlAuditLog({
        directory,
        ...(answerCharacters === undefined ? {} : { answerCharacters }),
      });
      await using toolkit = new Toolkit({ tools: [say], audit, cwd: folder.folder });
      expect((await toolkit.execute("say", {})).text).toBe(text);
    }
    const calls: MergedCall[] = [];
    for await (const call of mergedCalls(auditRecords(directory))) calls.push(call);
    expect(calls).toMatchObject([
      { tool_name: "say", status: "success", result: expect.stringMatching(result) },
    ]);
    expect((await verifyAudit({ directory })).ok).toBe(true);
  });
});
