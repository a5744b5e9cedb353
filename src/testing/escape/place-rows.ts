import { deepStrictEqual, ok } from "node:assert/strict";
import { inTime } from "../../lib/in-time.ts";
import { pause, refuses } from "../contract/world.ts";
import { type EscapeRow, type EscapeRowWorld, refusedWithin } from "./world.ts";

const MIB = 1024 * 1024;
/** Long enough for a dead connection to be noticed. */
const NOTICE_MS = 15_000;
const GONE = ["backend_unavailable", "aborted"];

/** What happens to the place itself. */
export const PLACE_ROWS: readonly EscapeRow[] = [
  {
    title: "leaves the old content and nothing else when the disk is full",
    needs: "smallDisk",
    async test(w) {
      const { small } = w.given;
      if (small === undefined) return w.skip("no small file system was given");
      const path = `${small}/file`;
      await w.backend.writeFile(path, Buffer.from("old"));
      const flood = async function* () {
        for (let index = 0; index < 64; index += 1) yield Buffer.alloc(MIB, 1);
      };
      await refuses(w.backend.writeFile(path, flood()), "no_space", "a stream");
      await refuses(w.backend.writeFile(`${small}/new`, Buffer.alloc(64 * MIB)), "no_space", "bytes");
      const logged = w.backend.writeFile(`${small}/log`, flood(), { append: true });
      await refuses(logged, "no_space", "a log");
      await w.backend.remove(`${small}/log`);
      deepStrictEqual(Buffer.from(await w.backend.readFile(path)).toString(), "old");
      deepStrictEqual(await namesIn(w, small), ["file"]);
      await fillUp(w, small);
      await refuses(w.backend.writeFile(path, Buffer.alloc(1000, 2)), "no_space", "the last bytes");
      deepStrictEqual(Buffer.from(await w.backend.readFile(path)).toString(), "old");
      await w.leavesNoFile(small);
    },
  },
  {
    title: "says that the connection was lost in the middle of a command, and leaves nothing running",
    needs: "connection",
    async test(w) {
      const { loseConnection } = w.given;
      if (loseConnection === undefined) return w.skip("the connection can't be cut");
      const running = w.sh('trap "" TERM; echo $$ > pid; while :; do sleep 0.2; done');
      running.catch(() => undefined);
      await w.tools.appears("pid");
      await loseConnection();
      await refusedWithin(NOTICE_MS, running, GONE);
      await w.leavesNothingRunning();
    },
  },
  {
    title: "leaves the old content and nothing else when the connection is lost in the middle of a write",
    needs: "connection",
    async test(w) {
      const { loseConnection } = w.given;
      if (loseConnection === undefined) return w.skip("the connection can't be cut");
      const path = await w.put("file", "old");
      const cut = async function* () {
        yield Buffer.alloc(2 * MIB, 1);
        await pause(200);
        await loseConnection();
        await pause(200);
        yield Buffer.alloc(2 * MIB, 1);
      };
      await refusedWithin(NOTICE_MS, w.backend.writeFile(path, cut()), GONE);
      await w.leavesNoFile();
      if (w.given.leftFiles !== undefined) return;
      deepStrictEqual(Buffer.from(await w.backend.readFile(path)).toString(), "old");
    },
  },
  {
    title: "says that the place is gone when it was taken away, and can be disposed of",
    needs: "removal",
    async test(w) {
      const { removePlace } = w.given;
      if (removePlace === undefined) return w.skip("the place can't be taken away");
      await w.put("file", "x");
      const running = w.sh("echo $$ > pid; sleep 60");
      running.catch(() => undefined);
      await w.tools.appears("pid");
      await removePlace();
      await refusedWithin(NOTICE_MS, running, GONE);
      const codes = [...GONE, "not_found"];
      await refusedWithin(NOTICE_MS, w.backend.readFile(w.path("file")), codes);
      await refusedWithin(NOTICE_MS, w.backend.writeFile(w.path("file"), Buffer.from("y")), codes);
      await refusedWithin(NOTICE_MS, w.sh("true"), codes);
      const { state, text } = await w.tools.call("Read", { file_path: w.path("file") });
      ok(state !== "success" && text.length > 0, text);
      const disposing = (async () => w.backend[Symbol.asyncDispose]())();
      ok(await inTime(disposing, NOTICE_MS), "disposed of");
    },
  },
  {
    title: "isn't misled by a clock that is wrong",
    async test(w) {
      const { tools } = w;
      for (const when of ["203501010000", "199901010000"]) {
        const file_path = await w.put("file", "one\n");
        await w.sh(`touch -t ${when} file`);
        await tools.does("Read", { file_path });
        // The same size and, by touch, the same time as before: only a closer look tells.
        await w.sh(`echo two > file; touch -t ${when} file`);
        await tools.fails("Edit", { file_path, old_string: "one", new_string: "x" }, "stale");
        await tools.does("Read", { file_path });
        await tools.does("Edit", { file_path, old_string: "two", new_string: "three" });
        deepStrictEqual(await tools.text("file"), "three\n", when);
      }
    },
  },
];

async function namesIn(w: EscapeRowWorld, directory: string): Promise<readonly string[]> {
  return (await w.backend.list(directory)).map((entry) => entry.name).sort();
}

/** Leaves no byte free. */
async function fillUp(w: EscapeRowWorld, directory: string): Promise<void> {
  const script =
    'dd if=/dev/zero of="$1/filler" bs=65536 2>/dev/null; dd if=/dev/zero of="$1/rest" bs=1 2>/dev/null; :';
  await w.tools.run(["sh", "-c", script, "sh", directory]);
}
