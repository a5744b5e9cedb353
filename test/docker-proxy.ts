import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { testFolder } from "./test-folder.ts";

const ENGINE = "/var/run/docker.sock";

/** A way to the engine that can be cut, as a network does. */
export interface DockerProxy extends AsyncDisposable {
  /** As `DOCKER_HOST` spells it. */
  readonly host: string;
  /** Breaks every connection there is; new ones get through. */
  cut(): void;
}

/** Opens one on a socket of its own. */
export async function dockerProxy(): Promise<DockerProxy> {
  const { folder, remove } = await testFolder();
  const path = join(folder, "docker.sock");
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ path: ENGINE, allowHalfOpen: true });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      socket.pipe(other);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        open.delete(socket);
        other.destroy();
      });
    }
  });
  await new Promise<void>((done) => server.listen(path, done));
  const cut = (): void => {
    for (const socket of open) socket.destroy();
  };
  return {
    host: `unix://${path}`,
    cut,
    async [Symbol.asyncDispose]() {
      cut();
      await new Promise((done) => server.close(done));
      await remove();
    },
  };
}
