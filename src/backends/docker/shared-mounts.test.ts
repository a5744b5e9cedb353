import { describe, expect, it } from "vitest";
import { sharedMounts } from "./shared-mounts.ts";

type Mounted = Parameters<typeof sharedMounts>[0][number];

const MOUNTS: readonly Mounted[] = [
  mount({ Type: "bind", Source: "/home/me/project", Destination: "/work", RW: true }),
  mount({ Type: "volume", Name: "tmp", Source: "/volumes/tmp", Destination: "/tmp", RW: true }),
  mount({ Type: "bind", Source: "/home/me/data", Destination: "/work/data", RW: false }),
];

/** What may be written, and what then is: `target` as it is, or `target=source` for a mount of its own. */
const ROWS: readonly (readonly [paths: readonly string[], written: readonly string[]])[] = [
  [[], []],
  [["/work"], ["/work"]],
  [["/work/src"], ["/work/src=/home/me/project/src"]],
  [
    ["/work/a", "/tmp/b"],
    ["/work/a=/home/me/project/a", "/tmp/b=/volumes/tmp/b"],
  ],
  [["/"], ["/work", "/tmp"]],
  [["/workshop", "/etc"], []],
  [["/work/data/x"], []],
  [["/work/data"], []],
];

describe("the mounts that a container shares", () => {
  it.each(ROWS)("with %j to be written", (paths, written) => {
    const { mounts, parts } = sharedMounts(
      MOUNTS,
      paths.map((path) => ({ path, identity: `of ${path}` })),
    );
    const found = mounts.flatMap(({ Target, Source, ReadOnly }) => {
      if (ReadOnly === true) return [];
      return MOUNTS.some(({ Destination }) => Destination === Target) ? [Target] : [`${Target}=${Source}`];
    });
    expect(found).toEqual(written);
    expect(parts.map(({ path }) => path)).toEqual(
      written.filter((text) => text.includes("=")).map((text) => text.slice(0, text.indexOf("="))),
    );
    expect(mounts.slice(0, 3).map(({ Target, Type }) => [Target, Type])).toEqual([
      ["/work", "bind"],
      ["/tmp", "volume"],
      ["/work/data", "bind"],
    ]);
  });
});

function mount(given: Pick<Mounted, "Type" | "Source" | "Destination" | "RW"> & Partial<Mounted>): Mounted {
  return { Mode: "", Propagation: "", ...given };
}
