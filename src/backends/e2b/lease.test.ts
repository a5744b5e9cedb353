import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { lease } from "./lease.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("is put off when something passes, at most once in a third of the time", () => {
  const extend = vi.fn(async () => undefined);
  const { touch } = lease(90_000, extend);
  for (let second = 0; second < 60; second += 1) {
    vi.advanceTimersByTime(1000);
    touch();
  }
  expect(extend).toHaveBeenCalledTimes(2);
});

it("is put off while something silent runs, and not afterwards", () => {
  const extend = vi.fn(async () => undefined);
  const { hold } = lease(90_000, extend);
  const [first, second] = [hold(), hold()];
  vi.advanceTimersByTime(60_000);
  first();
  vi.advanceTimersByTime(60_000);
  expect(extend.mock.calls.length).toBeGreaterThanOrEqual(3);
  second();
  const soFar = extend.mock.calls.length;
  vi.advanceTimersByTime(600_000);
  expect(extend).toHaveBeenCalledTimes(soFar);
});

it("is not put off for what only waits", () => {
  const extend = vi.fn(async () => undefined);
  const { hold } = lease(90_000, extend);
  let rests = true;
  hold(() => rests);
  vi.advanceTimersByTime(600_000);
  expect(extend).not.toHaveBeenCalled();
  rests = false;
  vi.advanceTimersByTime(60_000);
  expect(extend).toHaveBeenCalled();
});

it("bears that it can't be put off, and goes on trying", async () => {
  const extend = vi.fn(() => Promise.reject(new Error("no")));
  const held = lease(90_000, extend);
  const release = held.hold();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(extend.mock.calls.length).toBeGreaterThan(1);
  release();
  held.end();
});
