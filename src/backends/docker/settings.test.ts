import { describe, expect, it } from "vitest";
import type { DockerBackendOptions } from "./options.ts";
import { check, differences, settle } from "./settings.ts";

const REFUSED: readonly (readonly [DockerBackendOptions, RegExp])[] = [
  [{}, /Name an image/],
  [{ image: "i", mount: "/a", volume: "v" }, /not both/],
  [{ image: "i", workdir: "relative" }, /absolute/],
  [{ image: "i", workdir: "/" }, /absolute/],
  [{ image: "i", name: "../x" }, /can't be the name/],
  [{ image: "i", volume: "/host/path" }, /can't be the volume/],
  [{ image: "i", pids: -1 }, /limit pids/],
  [{ image: "i", cpus: Number.NaN }, /limit cpus/],
  [{ image: "i", memoryMiB: 4 }, /too few/],
];

const engine = (processors: number) => ({ processors, rootless: false });

describe("the settings of a container", () => {
  it.each(REFUSED)("%j is refused", (options, message) => {
    expect(() => check(options)).toThrow(expect.objectContaining({ code: "usage" }));
    expect(() => check(options)).toThrow(message);
  });

  it("limit what isn't said", () => {
    expect(settle({ image: "i" }, "i", engine(1))).toMatchObject({
      network: "none",
      memoryBytes: 2 ** 31,
      nanoCpus: 1e9,
      pids: 512,
      keep: false,
      user: undefined,
      capabilities: [],
    });
    expect(settle({ image: "i", name: "n", cpus: 0 }, "i", engine(8))).toMatchObject({
      keep: true,
      nanoCpus: 0,
    });
  });

  it("have files in a directory of this machine belong to its user", () => {
    const own = `${process.getuid?.()}:${process.getgid?.()}`;
    expect(settle({ image: "i", mount: "/m" }, "i", engine(1)).user).toBe(own);
    expect(settle({ image: "i", mount: "/m", user: "u" }, "i", engine(1)).user).toBe("u");
    // Its root is that user.
    expect(settle({ image: "i", mount: "/m" }, "i", { processors: 1, rootless: true }).user).toBe("0:0");
  });

  it("are compared one by one", () => {
    const made = settle({ image: "i", labels: { a: "1", b: "2" } }, "i", engine(2));
    const again = settle({ image: "i", labels: { b: "2", a: "1" } }, "i", engine(2));
    expect(differences(JSON.stringify(made), again)).toEqual([]);
    const other = settle({ image: "i", network: "bridge", readOnly: true }, "i", engine(2));
    expect(differences(JSON.stringify(made), other)).toEqual(["network", "readOnly", "labels"]);
    expect(differences("no JSON", again)).toContain("image");
    expect(differences(undefined, again)).toContain("image");
  });
});
