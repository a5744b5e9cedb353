import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { has } from "../../../test/require.ts";
import { type E2BStandIn, startE2BStandIn } from "../../../test/stand-ins/e2b/stand-in.ts";
import type { E2BBackendOptions } from "./options.ts";
import { openSandbox } from "./sandbox.ts";
import { e2bTransport } from "./transport.ts";

describe.skipIf(!has("bwrap"))("Opening an E2B sandbox, against a stand-in of E2B", () => {
  let standIn: E2BStandIn;

  beforeAll(async () => {
    standIn = await startE2BStandIn();
  });
  afterAll(() => standIn[Symbol.asyncDispose]());
  afterEach(() => void vi.unstubAllEnvs());

  it("takes the way to E2B from the environment", async () => {
    vi.stubEnv("E2B_API_KEY", standIn.apiKey);
    vi.stubEnv("E2B_API_URL", standIn.url);
    vi.stubEnv("E2B_SANDBOX_URL", standIn.url);
    const open = await openSandbox({});
    expect(await standIn.state(open.id)).toBe("running");
    await open.close();
    expect(await standIn.state(open.id)).toBeUndefined();
  });

  const faults: readonly {
    readonly title: string;
    readonly options: E2BBackendOptions;
    readonly refuse?: number;
    readonly error: object;
  }[] = [
    {
      title: "no key",
      options: { apiKey: "" },
      error: { code: "backend_unavailable", hint: expect.stringContaining("E2B_API_KEY") },
    },
    {
      title: "a wrong key",
      options: { apiKey: "e2b_wrong" },
      error: { code: "backend_unavailable", message: expect.stringContaining("refused the API key") },
    },
    {
      title: "a template that isn't there",
      options: { template: "nope" },
      error: { code: "not_found", message: expect.stringContaining('"nope"') },
    },
    {
      title: "too many requests",
      options: {},
      refuse: 429,
      error: { code: "backend_unavailable", hint: expect.stringContaining("Wait a minute") },
    },
    { title: "a busy service", options: {}, refuse: 503, error: { code: "backend_unavailable" } },
    {
      title: "nobody there",
      options: { apiUrl: "http://127.0.0.1:9" },
      error: { code: "backend_unavailable", message: expect.stringContaining("E2B: ") },
    },
  ];
  it.each(faults)("says what is wrong: $title", async ({ options, refuse, error }) => {
    if (refuse !== undefined) await standIn.refuse(1, refuse);
    await expect(openSandbox({ ...standIn.options, ...options })).rejects.toMatchObject(error);
  });

  it("tries again when E2B says when", async () => {
    await standIn.refuse(2, 429, "0");
    const open = await openSandbox(standIn.options);
    await open.close();
  });

  it.each([
    { onDispose: "kill", left: undefined },
    { onDispose: "pause", left: "paused" },
    { onDispose: "leave", left: "running" },
  ] as const)("at the end does as it is told: $onDispose", async ({ onDispose, left }) => {
    const open = await openSandbox({ ...standIn.options, onDispose });
    await open.close();
    expect(await standIn.state(open.id)).toBe(left);
    // A second time, or after it has gone, is no fault.
    if (onDispose !== "leave") await open.close();
  });

  it.each(["pause", "leave"] as const)("finds a sandbox again by its name: %s", async (onDispose) => {
    const options = {
      ...standIn.options,
      name: `mine, & "ours": ${onDispose}`,
      metadata: { team: "x" },
      onDispose,
    };
    const first = await openSandbox(options);
    await e2bTransport(first).run(["sh", "-c", "echo kept > /home/user/file"]);
    await first.close();
    const other = await openSandbox({ ...options, name: "other", onDispose: "kill" });
    expect(other.id).not.toBe(first.id);
    await other.close();
    const second = await openSandbox({ ...options, onDispose: "kill" });
    expect(second.id).toBe(first.id);
    let text = "";
    await e2bTransport(second).run(["cat", "/home/user/file"], {
      onOutput: (bytes) => {
        text += Buffer.from(bytes);
      },
    });
    expect(text).toBe("kept\n");
    await second.close();
    const third = await openSandbox({ ...options, onDispose: "kill" });
    expect(third.id).not.toBe(first.id);
    await third.close();
  });

  it("puts the end off while something runs", async () => {
    const open = await openSandbox({ ...standIn.options, timeoutMs: 3000 });
    await standIn.requests();
    await e2bTransport(open).run(["sleep", "1.7"]);
    expect(await standIn.requests()).toContain(`POST /sandboxes/${open.id}/timeout`);
    await open.close();
  });
});
