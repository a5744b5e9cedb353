import { deepStrictEqual, ok, rejects } from "node:assert/strict";
import { type ContractRow, growth, pause } from "./world.ts";

const MB = 1_000_000;

/** What programs say, and how it arrives. */
export const OUTPUT_ROWS: readonly ContractRow[] = [
  {
    title: "keeps the two outputs apart and in order",
    async test(w) {
      const { stdout, stderr } = await w.sh("for i in 1 2 3 4 5; do echo out$i; echo err$i >&2; done");
      deepStrictEqual(stdout, "out1\nout2\nout3\nout4\nout5\n");
      deepStrictEqual(stderr, "err1\nerr2\nerr3\nerr4\nerr5\n");
    },
  },
  {
    title: "lets programs open their outputs by name",
    async test(w) {
      const { stdout, stderr } = await w.sh("echo one > /dev/stdout; echo two > /dev/stderr");
      deepStrictEqual([stdout, stderr], ["one\n", "two\n"]);
    },
  },
  {
    title: "passes every byte, and text cut anywhere",
    async test(w) {
      const all = Buffer.from(Uint8Array.from({ length: 256 * 400 }, (_, index) => index % 256));
      const pieces: Buffer[] = [];
      await w.run(["cat"], { stdin: all, onOutput: (bytes) => void pieces.push(Buffer.from(bytes)) });
      ok(Buffer.concat(pieces).equals(all));
      const words = "漢字🎉".repeat(40_000);
      deepStrictEqual((await w.run(["cat"], { stdin: Buffer.from(words) })).stdout, words);
    },
  },
  {
    title: "passes a line of any length",
    async test(w) {
      const { stdout } = await w.sh(`head -c ${5 * MB} /dev/zero | tr '\\0' x`);
      deepStrictEqual(
        [stdout.length, stdout.startsWith("xxx"), stdout.endsWith("xxx")],
        [5 * MB, true, true],
      );
    },
  },
  {
    title: "passes much output with flat memory",
    async test(w) {
      let count = 0;
      const grown = await growth(async () => {
        await w.run(["head", "-c", String(200 * MB), "/dev/zero"], {
          onOutput: (bytes) => {
            count += bytes.length;
          },
        });
      });
      deepStrictEqual(count, 200 * MB);
      ok(grown < 128 * MB, `grew by ${grown} bytes`);
    },
  },
  {
    title: "waits for whoever takes the output, one piece at a time",
    async test(w) {
      let count = 0;
      let inside = 0;
      let most = 0;
      let slow = 3;
      const grown = await growth(async () => {
        await w.sh(`head -c ${50 * MB} /dev/zero & head -c ${50 * MB} /dev/zero >&2; wait`, {
          async onOutput(bytes) {
            inside += 1;
            most = Math.max(most, inside);
            count += bytes.length;
            if (slow > 0) await pause(100);
            slow -= 1;
            inside -= 1;
          },
        });
      });
      deepStrictEqual([count, most], [100 * MB, 1]);
      ok(grown < 128 * MB, `grew by ${grown} bytes`);
    },
  },
  {
    title: "gives all that was written before the end to a slow taker",
    async test(w) {
      let count = 0;
      await w.run(["head", "-c", String(3 * MB), "/dev/zero"], {
        async onOutput(bytes) {
          count += bytes.length;
          await pause(5);
        },
      });
      deepStrictEqual(count, 3 * MB);
    },
  },
  {
    title: "stops the program and rejects when the output can't be taken",
    async test(w) {
      const boom = new Error("taker failed");
      const script = "echo x; sleep 0.5; echo x > marker";
      const fails: readonly (() => void | Promise<void>)[] = [
        () => {
          throw boom;
        },
        () => Promise.reject(boom),
      ];
      for (const onOutput of fails) await rejects(w.sh(script, { onOutput }), boom);
      await pause(700);
      deepStrictEqual(await w.names(), []);
    },
  },
  {
    title: "shows output while the program runs",
    async test(w) {
      const waited = w.sh("echo first; while [ ! -e go ]; do sleep 0.02; done; echo second", {
        onOutput: (bytes) => {
          if (Buffer.from(bytes).includes("first")) void w.put("go", "");
        },
        signal: AbortSignal.timeout(5000),
      });
      deepStrictEqual((await waited).result.stopped, false);
    },
  },
];
