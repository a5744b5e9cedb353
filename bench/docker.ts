import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { dockerBackend } from "../src/backends/docker.ts";
import { randomHex } from "../src/lib/random-hex.ts";
import { testImage } from "../test/docker.ts";
import {
  AT_A_TIME,
  command,
  comparing,
  FILES,
  grep,
  MEGABYTES,
  many,
  NEEDLE,
  oneByOne,
  plantIn,
} from "./in-place.ts";
import type { Row } from "./table.ts";

const run = promisify(execFile);
const compare = comparing("docker exec");

/** Work in a container, against the engine's own client. */
export async function rows(): Promise<Row[]> {
  const name = `toolgate-bench-${randomHex(4)}`;
  const backend = await dockerBackend({ image: testImage(), name, keep: false });
  const client = (...argv: readonly string[]) =>
    run("docker", ["exec", name, ...argv], { encoding: "buffer", maxBuffer: 100e6 });
  try {
    await plantIn(backend);
    return [
      await compare(
        "a command in a Docker container",
        { times: 10 },
        oneByOne("ours", () => command(backend)),
        oneByOne("docker exec", () => client("true")),
      ),
      await compare(
        `${AT_A_TIME} commands at a time in a Docker container`,
        {},
        oneByOne("ours", () => many(() => command(backend))),
        oneByOne("docker exec", () => many(() => client("true"))),
      ),
      await compare(
        `Read of ${MEGABYTES} MB in a Docker container`,
        { times: 3 },
        oneByOne("ours", () => backend.readFile(`${backend.cwd}/large`)),
        oneByOne("docker exec", () => client("cat", `${backend.cwd}/large`)),
      ),
      await compare(
        `Grep on ${FILES} files in a Docker container`,
        {},
        oneByOne("ours", () => grep(backend)),
        oneByOne("docker exec", () => client("rg", "-l", NEEDLE, backend.cwd)),
      ),
    ];
  } finally {
    await backend[Symbol.asyncDispose]();
  }
}
