import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { ERROR_CODES } from "../src/errors.ts";

const root = resolve(import.meta.dirname, "..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

describe("docs/errors.md", () => {
  it("explains each code, and no other", () => {
    const codes = [...read("docs/errors.md").matchAll(/^\| `([a-z_]+)` \|/gm)].map((match) => match[1]);
    expect(codes).toEqual([...ERROR_CODES]);
  });
});
