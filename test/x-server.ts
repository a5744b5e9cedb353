import { spawn } from "node:child_process";
import { once } from "node:events";

/** A screen of a test that nobody sees. */
export interface XServer extends AsyncDisposable {
  /** As `DISPLAY` names it. */
  readonly display: string;
}

/** Starts an X server in memory at a free number. Gives up after ten seconds. */
export async function xServer(size = "640x480"): Promise<XServer> {
  const options = ["-displayfd", "1", "-screen", "0", `${size}x24`, "-nolisten", "tcp", "-noreset"];
  const server = spawn("Xvfb", options, { stdio: ["ignore", "pipe", "ignore"] });
  const ended = once(server, "exit");
  const [number] = await once(server.stdout, "data", { signal: AbortSignal.timeout(10_000) });
  return {
    display: `:${String(number).trim()}`,
    [Symbol.asyncDispose]: async () => {
      server.kill();
      await ended;
    },
  };
}
