/** Settles as `work` does, or rejects with the signal's reason when that comes first. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason);
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
    const done = (): void => signal.removeEventListener("abort", leave);
    work.then(resolve, reject).finally(done);
  });
}
