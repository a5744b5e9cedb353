/** A signal that aborts on Ctrl-C, SIGTERM and SIGHUP. What is stopped by it has the time it needs to end. */
export function onInterrupt(): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(name, () => controller.abort(new Error(`Stopped by ${name}.`)));
  }
  return controller.signal;
}
