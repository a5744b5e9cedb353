import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { dockerBackend } from "../src/backends/docker.ts";
import { randomHex } from "../src/lib/random-hex.ts";
import { testImage } from "../test/docker.ts";
import { NEEDLE, placeRows, plantIn } from "./in-place.ts";
import type { Row } from "./table.ts";

const run = promisify(execFile);

/** Work in a container, against the engine's own client. */
export async function rows(): Promise<Row[]> {
  const name = `toolgate-bench-${randomHex(4)}`;
  const backend = await dockerBackend({ image: testImage(), name, keep: false });
  const client = (...argv: readonly string[]) =>
    run("docker", ["exec", name, ...argv], { encoding: "buffer", maxBuffer: 100e6 });
  try {
    await plantIn(backend);
    const bare = {
      name: "docker exec",
      command: () => client("true"),
      read: () => client("cat", `${backend.cwd}/large`),
      grep: () => client("rg", "-l", NEEDLE, backend.cwd),
    };
    return await placeRows("in a Docker container", backend, bare, 10);
  } finally {
    await backend[Symbol.asyncDispose]();
  }
}
