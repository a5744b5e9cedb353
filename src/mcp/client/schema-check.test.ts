import { describe, expect, it } from "vitest";
import { schemaFault } from "./schema-check.ts";

/** A schema that is nested so deep. */
function deep(levels: number): object {
  let schema: object = { type: "string" };
  for (let level = 0; level < levels; level += 1) schema = { type: "object", properties: { a: schema } };
  return schema;
}

describe("schemaFault", () => {
  it.each<[string, unknown]>([
    ["no parameters", { type: "object" }],
    ["no type at the root", { properties: {} }],
    ["an object or null at the root", { type: ["object", "null"] }],
    ["unions at the root", { anyOf: [{ type: "object" }, { type: "object" }] }],
    ["types in a list", { type: "object", properties: { a: { type: ["string", "null"] } } }],
    ["true and false as schemas", { type: "object", properties: { a: true }, additionalProperties: false }],
    [
      "a reference to a definition",
      { type: "object", properties: { a: { $ref: "#/$defs/x" } }, $defs: { x: {} } },
    ],
    [
      "a reference with escapes",
      { type: "object", properties: { a: { $ref: "#/$defs/x~1y%20z" } }, $defs: { "x/y z": {} } },
    ],
    ["a reference to the root", { type: "object", properties: { a: { $ref: "#" } } }],
    ["an anchor", { type: "object", properties: { a: { $ref: "#x" } }, $defs: { x: { $anchor: "x" } } }],
    [
      "items in a list, as older drafts have them",
      { type: "object", properties: { a: { type: "array", items: [{ type: "string" }] } } },
    ],
    [
      "a parameter named as a keyword",
      { type: "object", properties: { required: { type: "string" }, type: { type: "string" } } },
    ],
    [
      "an example that looks like a schema",
      { type: "object", properties: { a: { default: { type: "nonsense" } } } },
    ],
  ])("takes %s", (_name, schema) => {
    expect(schemaFault(schema)).toBe(undefined);
  });

  it.each<[string, unknown, string]>([
    ["none at all", undefined, "it is no object"],
    ["a text", "string", "it is no object"],
    ["another root", { type: "array" }, "its root is no object"],
    [
      "a reference to nothing",
      { properties: { a: { $ref: "#/$defs/x" } } },
      "/properties/$ref leads nowhere",
    ],
    [
      "a reference to what every object inherits",
      { properties: { a: { $ref: "#/constructor" } } },
      "/properties/$ref leads nowhere",
    ],
    [
      "a reference to elsewhere",
      { properties: { a: { $ref: "https://example.com/x.json" } } },
      "/properties/$ref leads nowhere",
    ],
    ["an unknown type", { properties: { a: { type: "text" } } }, "/properties/type is none of JSON's"],
    [
      "a bad type in an item",
      { properties: { a: { items: { type: "any" } } } },
      "/properties/items/type is none of JSON's",
    ],
    [
      "required as in older drafts",
      { properties: { a: { required: true } } },
      "/properties/required is no list of names",
    ],
    ["properties as a list", { properties: [] }, "/properties is no object"],
    ["a union of nothing", { anyOf: [] }, "/anyOf is no list of schemas"],
    ["a bad branch", { anyOf: [{ type: "object" }, 5] }, "/anyOf is no schema"],
    [
      "a bad pattern",
      { properties: { a: { pattern: "[" } } },
      "/properties/pattern is no regular expression",
    ],
    ["enum as a text", { properties: { a: { enum: "x" } } }, "/properties/enum is no list"],
    ["endless depth", deep(500), "it is too large"],
    ["endless breadth", { anyOf: Array.from({ length: 30_000 }, () => ({})) }, "it is too large"],
  ])("finds %s", (_name, schema, fault) => {
    expect(schemaFault(schema)).toBe(fault);
  });
});
