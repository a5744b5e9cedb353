import { expect, it } from "vitest";
import { memoryBackend } from "../backends/memory.ts";
import { defineTool } from "../define-tool.ts";
import { Toolkit } from "../toolkit/toolkit.ts";

it("gives a context that may be copied: a tool puts its own backend in, and keeps the rest", async () => {
  const seen: string[] = [];
  const tool = defineTool({
    name: "copier",
    description: "Copies what it is given.",
    input: { type: "object", properties: {} },
    isReadOnly: true,
    isStateInjected: true,
    call(_input, given) {
      const copy = { ...given, backend: given.backend };
      copy.progress("half", 1, 2);
      seen.push(...Object.keys(copy).filter((name) => given[name as keyof typeof given] !== undefined));
      return copy.signal.aborted ? "stopped" : "fine";
    },
  });
  const response = await new Toolkit({ tools: [tool], backend: memoryBackend() }).execute("copier");
  expect(response.text).toBe("fine");
  expect(seen).toEqual(expect.arrayContaining(["callId", "cwd", "backend", "signal", "state", "progress"]));
});
