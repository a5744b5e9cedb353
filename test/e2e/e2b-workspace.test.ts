import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { has } from "../require.ts";
import { startE2BStandIn } from "../stand-ins/e2b/stand-in.ts";

const EXAMPLE = resolve(import.meta.dirname, "../../examples/e2b-workspace.ts");
const run = promisify(execFile);

it.skipIf(!has("bwrap"))(
  "the example works in an E2B sandbox and goes on in it, against a stand-in of E2B",
  { timeout: 60_000 },
  async () => {
    await using standIn = await startE2BStandIn();
    const { apiKey, apiUrl, sandboxUrl } = standIn.options;
    const env = {
      PATH: process.env.PATH,
      E2B_API_KEY: apiKey,
      E2B_API_URL: apiUrl,
      E2B_SANDBOX_URL: sandboxUrl,
    };
    const example = async (): Promise<string> => {
      const { stdout } = await run(process.execPath, [EXAMPLE], { cwd: "/", env, timeout: 25_000 });
      return stdout;
    };
    const first = await example();
    expect(first).toMatch(/^success in e2b:(\w+):\n1\ne2b\n/);
    const id = /e2b:(\w+):/.exec(first)?.[1] ?? "";
    expect(await standIn.state(id)).toBe("paused");
    expect(await example()).toBe(first.replace("\n1\n", "\n2\n"));
  },
);
