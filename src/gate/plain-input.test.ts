import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../lib/json.ts";
import { fitsPlainly } from "./plain-input.ts";

const text = { type: "string", description: "words" };
const flat = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});

describe("fitsPlainly", () => {
  it.each<readonly [string, JsonObject, JsonObject, boolean]>([
    ["a string", flat({ a: text }, { required: ["a"] }), { a: "x" }, true],
    ["nothing of what may be left out", flat({ a: text }), {}, true],
    ["a boolean", flat({ a: { type: "boolean", default: false } }), { a: true }, true],
    ["a missing one", flat({ a: text }, { required: ["a"] }), {}, false],
    [
      "a name that every object inherits",
      flat({ a: text }, { required: ["constructor"] }),
      { a: "x" },
      false,
    ],
    ["one of another type", flat({ a: text }), { a: 1 }, false],
    ["one that the schema doesn't know", flat({ a: text }), { b: "x" }, false],
    ["a number, which may have to be whole", flat({ a: { type: "integer" } }), { a: 1 }, false],
    ["a string with a pattern", flat({ a: { type: "string", pattern: "^b" } }), { a: "a" }, false],
    ["one of several types", flat({ a: { type: ["string", "null"] } }), { a: "x" }, false],
    ["a reference", flat({ a: { $ref: "#/$defs/a" } }, { $defs: { a: text } }), { a: "x" }, false],
    ["a choice at the root", flat({ a: text }, { anyOf: [{ required: ["b"] }] }), { a: "x" }, false],
    ["a schema that isn't flat", { type: "object" }, {}, false],
  ])("%s", (_what, schema, input, fits) => {
    expect(fitsPlainly(schema, input)).toBe(fits);
  });

  it("says yes to nothing that a validator refuses", () => {
    const value = fc.oneof(fc.string(), fc.boolean(), fc.integer(), fc.constant(null));
    const name = fc.constantFrom("a", "b", "__proto__", "constructor");
    const property = fc.constantFrom(
      text,
      { type: "boolean" },
      { type: "string", minLength: 2 },
      { type: "integer" },
    );
    const schema = fc
      .record({ properties: fc.dictionary(name, property), required: fc.uniqueArray(name) })
      .map(({ properties, required }) => flat(properties as JsonObject, { required }));
    fc.assert(
      fc.property(schema, fc.dictionary(name, value), (made, input) => {
        const ajv = new Ajv2020({ strict: false, ownProperties: true });
        return !fitsPlainly(made, input as JsonObject) || ajv.compile(made)(input);
      }),
    );
  });
});
