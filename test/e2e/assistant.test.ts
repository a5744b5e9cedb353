import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { ConsoleHistory } from "../../src/index.ts";
import { ModelServer, type Scripted, type ScriptedCall, type SeenRequest } from "../model-server.ts";
import { has } from "../require.ts";
import { testFolder } from "../test-folder.ts";

const EXAMPLE = resolve(import.meta.dirname, "../../examples/assistant.ts");
const PAGE =
  "<!doctype html><title>Tea house</title><article><h1>Tea house</h1><p>Open from ten to six, closed on Mondays. We serve green and black tea from seven gardens, and cake on Sundays.</p></article>";
const run = promisify(execFile);

describe.skipIf(!has("chromium"))("an assistant's conversation", () => {
  it("reads a page, remembers, finds a file, takes a picture and sends it to the console", {
    timeout: 90_000,
  }, async () => {
    const { folder, remove } = await testFolder();
    const site = createServer((_request, response) => {
      response.setHeader("content-type", "text/html; charset=utf-8").end(PAGE);
    });
    await new Promise<void>((done) => site.listen(0, "127.0.0.1", done));
    const place = `127.0.0.1:${(site.address() as AddressInfo).port}`;
    const url = `http://${place}/`;
    writeFileSync(join(folder, "opening-hours.txt"), "ask them\n");
    await using server = await ModelServer.answering((request) => nextStep(request, url));
    try {
      const env = {
        PATH: process.env.PATH,
        HOME: folder,
        MODEL_URL: server.url,
        MODEL: "scripted",
        REACH: place,
      };
      const { stdout } = await run(process.execPath, [EXAMPLE, "What is", url], {
        cwd: folder,
        env,
        timeout: 60_000,
      });
      expect(stdout.match(/^← \w+$/gm)).toEqual(Array(5).fill("← success"));
      expect(stdout).toContain("I have sent you a picture.");
      expect(readFileSync(join(folder, "memory", "MEMORY.md"), "utf8")).toMatch(
        /^\d{4}-\d\d-\d\d\|console\|The tea house is closed on Mondays\n$/,
      );
      const texts = server.requests.map(({ messages }) => JSON.stringify(messages.at(-1)));
      expect(texts[1]).toContain("closed on Mondays");
      expect(texts[3]).toContain("opening-hours.txt");
      expect(texts[5]).toContain("sent");
      const history = new ConsoleHistory(join(folder, ".toolgate", "console"));
      expect(JSON.stringify(await history.entries(AbortSignal.timeout(1000)))).toContain("The tea house");
    } finally {
      site.close();
      await remove();
    }
  });
});

/** What a model would do next, by what it has seen. */
function nextStep({ messages }: SeenRequest, url: string): Scripted {
  const answers = messages
    .filter(({ role }) => role === "tool")
    .map(({ content }) => JSON.stringify(content));
  // The picture's name is in the answer of the tool that took it.
  const saved = /temp\/screenshots\/[\w.-]+\.png/.exec(answers.at(-1) ?? "")?.[0] ?? "";
  const steps: readonly ScriptedCall[] = [
    { name: "web_fetch", arguments: { url } },
    { name: "memory", arguments: { action: "write", content: "The tea house is closed on Mondays" } },
    { name: "file_search", arguments: { path: ".", pattern: "opening*" } },
    { name: "screenshot", arguments: { type: "web", url, viewport_width: 640, viewport_height: 480 } },
    { name: "send_media", arguments: { file_paths: [saved], message: "The tea house" } },
  ];
  const next = steps[answers.length];
  return next === undefined ? { text: "I have sent you a picture." } : { calls: [next] };
}
