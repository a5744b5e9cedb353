import { expect, it } from "vitest";
import { type ProcessEvent, ProcessEventReader } from "./process-event.ts";

const rows: readonly { readonly message: string; readonly event: object | undefined }[] = [
  { message: '{"event":{"start":{"pid":7}}}', event: { kind: "start", pid: 7 } },
  { message: '{"event":{"keepalive":{}}}', event: undefined },
  { message: "{}", event: undefined },
  { message: '{"event":{"data":{"stdout":"aGk="}}}', event: { kind: "data", stream: "stdout", text: "hi" } },
  {
    message: ' { "event": {"data" :{ "stderr": "/+8=" } } } ',
    event: { kind: "data", stream: "stderr", text: Buffer.from([0xff, 0xef]).toString("latin1") },
  },
  { message: '{"event":{"data":{"stdout":""}}}', event: { kind: "data", stream: "stdout", text: "" } },
  { message: '{"event":{"data":{"pty":"aGk="}}}', event: undefined },
  { message: '{"event":{"end":{"exited":true,"status":"exit status 0"}}}', event: end(0) },
  { message: '{"event":{"end":{"exitCode":3,"exited":true,"status":"exit status 3"}}}', event: end(3) },
  { message: '{"event":{"end":{"exitCode":-1,"status":"signal: killed"}}}', event: end(null, "SIGKILL") },
  {
    message: '{"event":{"end":{"exitCode":-1,"status":"signal: segmentation fault (core dumped)"}}}',
    event: end(null, "SIGSEGV"),
  },
  {
    message: '{"event":{"end":{"exitCode":-1,"status":"signal: signal 36"}}}',
    event: end(null, "signal 36"),
  },
];

it.each(rows)("reads $message", ({ message, event }) => {
  const reader = new ProcessEventReader();
  expect(shown(reader.read(Buffer.from(message)))).toEqual(event);
});

it("keeps no output of one message in the next", () => {
  const reader = new ProcessEventReader();
  reader.read(Buffer.from(`{"event":{"data":{"stdout":"${Buffer.alloc(300).toString("base64")}"}}}`));
  const next = reader.read(Buffer.from('{"event":{"data":{"stdout":"aGk="}}}'));
  expect(shown(next)).toMatchObject({ text: "hi" });
});

function end(exitCode: number | null, signal: string | null = null): object {
  return { kind: "end", exitCode, signal };
}

function shown(event: ProcessEvent | undefined): object | undefined {
  if (event?.kind !== "data") return event;
  const { kind, stream, bytes } = event;
  return { kind, stream, text: bytes.toString("latin1") };
}
