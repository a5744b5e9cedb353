import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { ModelServer } from "../model-server.ts";

const EXAMPLE = resolve(import.meta.dirname, "../../examples/human-approval.ts");
const run = promisify(execFile);

it("a person approves in another process than the one that asked", { timeout: 60_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "toolgate-example-"));
  await using server = await ModelServer.start(
    {
      text: "That can't be undone.",
      calls: [
        {
          id: "c1",
          name: "HumanApproval",
          arguments: { action: "Delete Miller", reason: "It is for good." },
        },
      ],
    },
    { text: "Deleted, invoices kept." },
  );
  const env = {
    PATH: process.env.PATH,
    MODEL_URL: server.url,
    MODEL: "scripted",
    STATE_FILE: join(folder, "state.db"),
  };
  const example = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await run(process.execPath, [EXAMPLE, ...args], { cwd: folder, env, timeout: 20_000 });
    return stdout;
  };
  try {
    expect(await example("ask", "Delete the customer Miller")).toBe(
      "That can't be undone.\nWaiting: Delete Miller (It is for good.)\n",
    );
    expect(await example("show")).toBe("Waiting: Delete Miller (It is for good.)\n");
    expect(await example("answer", "Approved, but keep the invoices.")).toBe("Deleted, invoices kept.\n");
    expect(await example("show")).toBe("Nothing waits.\n");
    expect(server.requests).toHaveLength(2);
    expect(server.requests[1]?.messages.at(-1)).toEqual({
      role: "tool",
      tool_call_id: "c1",
      content: "Approved, but keep the invoices.",
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});
