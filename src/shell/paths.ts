/** A path made absolute and free of `.`, `..` and doubled slashes, by its text alone, as the shell does for `cd`. */
export function resolvePath(base: string, path: string): string {
  const whole = path.startsWith("/") ? path : `${base}/${path}`;
  if (!/\/\.{0,2}(?:\/|$)/.test(whole)) return whole;
  const parts: string[] = [];
  for (const part of whole.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") parts.pop();
    else parts.push(part);
  }
  return `/${parts.join("/")}`;
}

/**
 * A path made absolute as a program's operand: the kernel follows `link/..` through the link, so `..` behind a name is kept for
 * whoever can see the file system. So is one in front where the command itself went to `base`, which may have led through a link.
 */
export function operandPath(base: string, path: string, start: string): string {
  const up = path.startsWith("/") || base !== start ? null : /^(?:\.{1,2}(?:\/+|$))+/.exec(path)?.[0];
  const from = path.startsWith("/") ? "/" : resolveUp(base, up);
  const rest = path
    .slice(up?.length ?? 0)
    .split("/")
    .filter((part) => part !== "" && part !== ".");
  if (rest.length === 0) return from;
  return from === "/" ? `/${rest.join("/")}` : `${from}/${rest.join("/")}`;
}

function resolveUp(base: string, up: string | null | undefined): string {
  return up == null ? base : resolvePath(base, up);
}

/** Devices that swallow, produce or pass on bytes and keep nothing. */
const HARMLESS_DEVICE = /^\/dev\/(?:null|zero|full|random|urandom|stdin|stdout|stderr|tty|fd\/\d+)$/;

/** True for `/dev/null` and its like: reading or writing them changes nothing. */
export function isHarmlessDevice(path: string): boolean {
  return path.startsWith("/dev/") && HARMLESS_DEVICE.test(path);
}

/** True for paths below `/dev` that stand for hardware; shared memory is ordinary files. */
export function isDevice(path: string): boolean {
  return path.startsWith("/dev/") && !path.startsWith("/dev/shm/") && path !== "/dev/shm";
}
