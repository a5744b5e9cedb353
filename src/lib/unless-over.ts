/**
 * Waits for one promise after another, each only until `over` has settled: then the answer is `undefined`. Unlike `Promise.race`
 * with a promise that lives on, it keeps nothing of those before.
 */
export function unlessOver(over: Promise<unknown>): <T>(promise: Promise<T>) => Promise<T | undefined> {
  let isOver = false;
  let stop = (): void => undefined;
  const end = (): void => {
    isOver = true;
    stop();
  };
  over.then(end, end);
  return (promise) =>
    new Promise((resolve, reject) => {
      stop = () => resolve(undefined);
      if (isOver) stop();
      promise.then(resolve, reject);
    });
}
