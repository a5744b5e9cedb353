import { deepStrictEqual, ok } from "node:assert/strict";
import { type ContractRow, growth } from "./world.ts";

const MIB = 1024 * 1024;
const PIECES = 200;

/** What takes a large file: flat memory. */
export const HEAVY_ROWS: readonly ContractRow[] = [
  {
    title: "streams a large file in and out with flat memory",
    async test(w) {
      const path = w.path("large");
      // Each has memory of its own: who keeps them is found out.
      const pieces = async function* () {
        for (let index = 0; index < PIECES; index += 1) yield Buffer.alloc(MIB, 7);
      };
      let count = 0;
      const grown = await growth(async () => {
        await w.backend.writeFile(path, pieces());
        for await (const read of w.backend.readStream(path)) count += read.length;
      });
      deepStrictEqual(count, PIECES * MIB);
      ok(grown < 128 * MIB, `grew by ${grown} bytes`);
      const tail = await w.backend.readFile(path, { offset: PIECES * MIB - 3 });
      deepStrictEqual([...tail], [7, 7, 7]);
    },
  },
];
