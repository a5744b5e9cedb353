import * as models from "@kubernetes/client-node";
import { z } from "zod";

const attributes = z.array(z.looseObject({ baseName: z.string(), type: z.string() }));
const known: Readonly<Record<string, unknown>> = { ...models };

/**
 * What a manifest says that Kubernetes doesn't know, or knows by another type: `spec.replicas is no number`. By the descriptions that the
 * client package has of every object.
 */
export function faultsOf(type: string, value: unknown, path = ""): readonly string[] {
  const list = /^Array<(.+)>$/.exec(type)?.[1];
  if (list !== undefined) {
    if (!Array.isArray(value)) return [`${path} is no list`];
    return value.flatMap((one, at) => faultsOf(list, one, `${path}[${at}]`));
  }
  const map = /^\{ \[key: string\]: (.+); \}$/.exec(type)?.[1];
  if (map !== undefined) return inObject(value, path, () => map);
  if (type === "any" || type === "object") return [];
  if (type === "IntOrString")
    return typeof value === "number" || typeof value === "string" ? [] : [`${path} is neither`];
  if (type === "string" || type === "number" || type === "boolean") {
    return typeof value === type ? [] : [`${path} is no ${type}`];
  }
  const fields = new Map(attributesOf(type).map(({ baseName, type: of }) => [baseName, of]));
  return inObject(value, path, (name) => fields.get(name));
}

function inObject(
  value: unknown,
  path: string,
  typeOf: (name: string) => string | undefined,
): readonly string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [`${path} is no object`];
  return Object.entries(value).flatMap(([name, one]) => {
    const at = path === "" ? name : `${path}.${name}`;
    const type = typeOf(name);
    return type === undefined ? [`${at} is unknown`] : faultsOf(type, one, at);
  });
}

function attributesOf(type: string): z.infer<typeof attributes> {
  const model = known[type];
  if (typeof model !== "function" || !("getAttributeTypeMap" in model))
    throw new Error(`There is no ${type}.`);
  const { getAttributeTypeMap: describe } = model;
  if (typeof describe !== "function") throw new Error(`${type} has no description.`);
  return attributes.parse(describe());
}
