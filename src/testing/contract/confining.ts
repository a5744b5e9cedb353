import { deepStrictEqual, ok } from "node:assert/strict";
import type { Confinement } from "../../backend.ts";
import { type ContractRow, type RowWorld, refuses } from "./world.ts";

const NOTHING: Confinement = { write: "none", network: false };

/** Runs that may not touch everything. Held only where the backend says that it confines. */
export const CONFINING_ROWS: readonly ContractRow[] = [
  {
    title: "says of each confined run whether it was, and of others nothing",
    async test(w) {
      const { confine } = await w.backend.capabilities();
      const { result } = await w.run(["true"], { confine: NOTHING });
      deepStrictEqual(result.confined?.enforced, confine.available);
      if (!confine.available) ok((result.confined?.why ?? "").length > 0, "why not");
      deepStrictEqual((await w.run(["true"])).result.confined, undefined);
    },
  },
  confining("lets nothing be written, and everything be read", async (w) => {
    await w.put("folder/file", "content");
    const script =
      "cat folder/file; echo x > folder/file; echo x > new; rm folder/file; mkdir d; echo x >> folder/file";
    const { stdout, result } = await w.sh(script, { confine: NOTHING });
    deepStrictEqual(stdout, "content");
    ok(result.exitCode !== 0);
    deepStrictEqual([await w.names(), await w.text("folder/file")], [["folder"], "content"]);
  }),
  confining("gives each run a temporary directory of its own, empty", async (w) => {
    const script = 'ls -A "$TMPDIR"; echo x > "$TMPDIR/file" && cat "$TMPDIR/file"';
    for (let round = 0; round < 2; round += 1) {
      deepStrictEqual((await w.sh(script, { confine: NOTHING })).stdout, "x\n");
    }
  }),
  confining("leaves no trace where it ran", async (w) => {
    await w.put("file", "x");
    // Without `..`, where others may be at work meanwhile.
    const look = "ls -lAR --time-style=full-iso . && ls -ld --time-style=full-iso . || ls -lAR .";
    const before = await w.sh(look);
    await w.sh("true", { confine: NOTHING });
    await w.sh("true", { confine: { write: [w.path("missing")], network: false } });
    const after = await w.sh(look);
    deepStrictEqual(after.stdout, before.stdout);
  }),
  confining("lets only the named directories be written", async (w) => {
    for (const name of ["allowed", "other"]) await w.backend.mkdir(w.path(name));
    const confine = { write: [w.path("allowed"), w.path("missing")], network: false };
    await w.sh("echo x > allowed/file; echo x > other/file; echo x > file", { confine });
    deepStrictEqual([await w.names("allowed"), await w.names("other")], [["file"], []]);
    deepStrictEqual(await w.names(), ["allowed", "other"]);
  }),
  confining("keeps outputs, null device, input, exit codes and refusals as they are", async (w) => {
    const { stdout, stderr, result } = await w.sh(
      "cat; echo out > /dev/stdout; echo err > /dev/stderr; echo x > /dev/null; exit 9",
      { confine: NOTHING, stdin: Buffer.from("in\n") },
    );
    deepStrictEqual([stdout, stderr, result.exitCode], ["in\nout\n", "err\n", 9]);
    await refuses(w.run(["no-such-program"], { confine: NOTHING }), "not_found", "program");
    await refuses(w.run(["true"], { confine: NOTHING, cwd: w.path("missing") }), "not_found", "directory");
  }),
  confining("reaches no network unless it may", async (w) => {
    if (!(await w.has("python3"))) return w.skip("python3 is missing");
    const serving = new AbortController();
    const server = w.run(["python3", "-c", SERVER], { signal: serving.signal });
    try {
      const port = await w.appears("port");
      const client = ["python3", "-c", CLIENT, port];
      deepStrictEqual(
        (await w.run(client, { confine: { write: "none", network: true } })).stdout,
        "through\n",
      );
      deepStrictEqual((await w.run(client, { confine: NOTHING })).stdout, "refused\n");
    } finally {
      serving.abort();
      await server;
    }
  }),
  confining("reaches no socket in the file system either", async (w) => {
    if (!(await w.has("python3"))) return w.skip("python3 is missing");
    const serving = new AbortController();
    const server = w.run(["python3", "-c", SOCKET_SERVER], { signal: serving.signal });
    try {
      await w.appears("ready");
      const client = ["python3", "-c", SOCKET_CLIENT];
      deepStrictEqual((await w.run(client)).stdout, "through\n");
      deepStrictEqual((await w.run(client, { confine: NOTHING })).stdout, "refused\n");
    } finally {
      serving.abort();
      await server;
    }
  }),
  confining("gives a confined program time to clean up, too", async (w) => {
    const stop = new AbortController();
    const said: string[] = [];
    const { result } = await w.sh(
      'trap "sleep 0.3; echo cleaned; exit 7" TERM; echo ready; while :; do sleep 0.1; done',
      {
        confine: NOTHING,
        signal: stop.signal,
        onOutput(bytes, stream) {
          if (stream === "stdout") said.push(Buffer.from(bytes).toString());
          stop.abort();
        },
      },
    );
    deepStrictEqual([said.join(""), result.exitCode, result.stopped], ["ready\ncleaned\n", 7, true]);
  }),
  confining("stops a confined tree", async (w) => {
    const stop = new AbortController();
    const script = 'trap "" TERM; echo ready; (trap "" TERM; sleep 60) & sleep 60; sleep 60';
    const { result } = await w.sh(script, {
      confine: NOTHING,
      signal: stop.signal,
      onOutput: () => stop.abort(),
    });
    deepStrictEqual([result.stopped, result.survivors], [true, []]);
  }),
];

function confining(title: string, test: (world: RowWorld) => Promise<void>): ContractRow {
  return {
    title,
    async test(w) {
      const { confine } = await w.backend.capabilities();
      if (confine.available) return test(w);
      // Where it can't be had, each run says so.
      const { result } = await w.sh("true", { confine: NOTHING });
      deepStrictEqual(result.confined?.enforced, false);
    },
  };
}

const SERVER = `
import socket
s = socket.create_server(("127.0.0.1", 0))
open("port", "w").write(str(s.getsockname()[1]) + "\\n")
while True:
    s.accept()[0].close()
`;

const CLIENT = `
import socket, sys
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[1])), 2)
    print("through")
except OSError:
    print("refused")
`;

const SOCKET_SERVER = `
import socket
s = socket.socket(socket.AF_UNIX)
s.bind("socket")
s.listen()
open("ready", "w").write("ready\\n")
while True:
    s.accept()[0].close()
`;

const SOCKET_CLIENT = `
import socket
try:
    socket.socket(socket.AF_UNIX).connect("socket")
    print("through")
except OSError:
    print("refused")
`;
