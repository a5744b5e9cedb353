import type ts from "typescript";
import type { Json, JsonObject } from "./json.ts";

/** The compiler, loaded by whoever needs it. */
export type TypeScript = typeof ts;

/** A type that no JSON value has. */
export class NoJsonType extends Error {
  /** The parameter or property it was found at, innermost first. */
  readonly path: string[] = [];
}

/** Schemas for the types of one program. Types that contain themselves go into `$defs`. */
export class TypeSchemas {
  readonly #ts: TypeScript;
  readonly #checker: ts.TypeChecker;
  readonly #open: ts.Type[] = [];
  readonly #names = new Map<ts.Type, string>();
  readonly #defs: Record<string, Json> = {};

  constructor(typescript: TypeScript, checker: ts.TypeChecker) {
    this.#ts = typescript;
    this.#checker = checker;
  }

  /** What `$ref`s in schemas made so far refer to; empty when no type contains itself. */
  get defs(): JsonObject {
    return this.#defs;
  }

  /** The JSON Schema of a type. @throws NoJsonType */
  schemaOf(type: ts.Type, at: ts.Node): JsonObject {
    const { TypeFlags } = this.#ts;
    const { flags } = type;
    if (flags & (TypeFlags.Any | TypeFlags.Unknown)) return {};
    if (flags & TypeFlags.Null) return { type: "null" };
    if (flags & TypeFlags.StringLiteral) return { type: "string", const: literalOf(type) };
    if (flags & TypeFlags.NumberLiteral) return { type: "number", const: literalOf(type) };
    if (flags & TypeFlags.BooleanLiteral) {
      return { type: "boolean", const: this.#checker.typeToString(type) === "true" };
    }
    if (flags & TypeFlags.Boolean) return { type: "boolean" };
    if (flags & TypeFlags.StringLike && !type.isUnion()) return { type: "string" };
    if (flags & TypeFlags.NumberLike && !type.isUnion()) return { type: "number" };
    if (type.isUnion()) return this.#unionOf(type.types, at);
    if (flags & TypeFlags.TypeParameter) return this.#parameterOf(type, at);
    if (flags & (TypeFlags.Object | TypeFlags.Intersection | TypeFlags.NonPrimitive)) {
      return this.#objectOrRef(type, at);
    }
    throw new NoJsonType(`the type ${this.#checker.typeToString(type)} has no JSON form`);
  }

  /** The properties of an object type as `properties` and `required`. @throws NoJsonType */
  propertiesOf(
    type: ts.Type,
    at: ts.Node,
    describe: (name: string) => string | undefined = () => undefined,
  ): { readonly properties: JsonObject; readonly required: readonly string[] } {
    const properties: Record<string, Json> = {};
    const required: string[] = [];
    for (const property of this.#checker.getPropertiesOfType(type)) {
      const name = property.getName();
      const isOptional = (property.flags & this.#ts.SymbolFlags.Optional) !== 0;
      const inner = this.#checker.getTypeOfSymbolAtLocation(property, at);
      const schema = located(name, () =>
        this.schemaOf(isOptional ? withoutUndefined(this.#checker, inner) : inner, at),
      );
      const text = describe(name) ?? this.#docOf(property);
      properties[name] = text === undefined ? schema : { ...schema, description: text };
      if (!isOptional && !this.mayBeUndefined(inner)) required.push(name);
    }
    return { properties, required };
  }

  /** Whether leaving it out is as good as giving it. */
  mayBeUndefined(type: ts.Type): boolean {
    const { TypeFlags } = this.#ts;
    return type.isUnion() && type.types.some(({ flags }) => (flags & TypeFlags.Undefined) !== 0);
  }

  #unionOf(types: readonly ts.Type[], at: ts.Node): JsonObject {
    const { TypeFlags } = this.#ts;
    const defined = types.filter(({ flags }) => !(flags & (TypeFlags.Undefined | TypeFlags.Void)));
    const schemas = withWholeBoolean(defined.map((type) => this.schemaOf(type, at)));
    const [only] = schemas;
    if (only !== undefined && schemas.length === 1) return only;
    if (schemas.every((schema) => "const" in schema || schema.type === "null")) return enumOf(schemas);
    const kinds = schemas.map((schema) => (Object.keys(schema).length === 1 ? schema.type : undefined));
    if (kinds.every((kind) => typeof kind === "string")) return { type: [...new Set(kinds)] };
    const literals = schemas.filter((schema) => "const" in schema);
    const others = schemas.filter((schema) => !("const" in schema));
    return { anyOf: literals.length > 1 ? [enumOf(literals), ...others] : schemas };
  }

  #parameterOf(type: ts.Type, at: ts.Node): JsonObject {
    const constraint = this.#checker.getBaseConstraintOfType(type);
    return constraint === undefined || constraint === type ? {} : this.schemaOf(constraint, at);
  }

  #objectOrRef(type: ts.Type, at: ts.Node): JsonObject {
    const known = this.#names.get(type);
    if (known !== undefined) return { $ref: `#/$defs/${known}` };
    if (this.#open.includes(type)) {
      const name = this.#nameFor(type);
      this.#names.set(type, name);
      return { $ref: `#/$defs/${name}` };
    }
    this.#open.push(type);
    const schema = this.#objectOf(type, at);
    this.#open.pop();
    const name = this.#names.get(type);
    if (name === undefined) return schema;
    this.#defs[name] = schema;
    return { $ref: `#/$defs/${name}` };
  }

  #nameFor(type: ts.Type): string {
    const name = (type.aliasSymbol ?? type.getSymbol())?.getName().replace(/\W/g, "") ?? "";
    const base = name === "" ? "Type" : name;
    const taken = new Set(this.#names.values());
    for (let at = 2; ; at += 1) {
      const candidate = at === 2 ? base : `${base}${at - 1}`;
      if (!taken.has(candidate)) return candidate;
    }
  }

  #objectOf(type: ts.Type, at: ts.Node): JsonObject {
    const checker = this.#checker;
    if (checker.isTupleType(type)) return this.#tupleOf(type, at);
    if (checker.isArrayType(type)) {
      const [item] = checker.getTypeArguments(referenceOf(type));
      return { type: "array", items: item === undefined ? {} : located("[]", () => this.schemaOf(item, at)) };
    }
    this.#refuseNonJson(type);
    const { properties, required } = this.propertiesOf(type, at);
    const index = checker.getIndexTypeOfType(type, this.#ts.IndexKind.String);
    return {
      type: "object",
      ...(Object.keys(properties).length === 0 ? {} : { properties }),
      ...(required.length === 0 ? {} : { required }),
      ...(index === undefined ? {} : { additionalProperties: this.schemaOf(index, at) }),
    };
  }

  #tupleOf(type: ts.Type, at: ts.Node): JsonObject {
    const reference = referenceOf(type);
    const items = this.#checker.getTypeArguments(reference).map((item) => this.schemaOf(item, at));
    const flags = tupleFlags(reference);
    const rest = flags.findIndex((flag) => (flag & this.#ts.ElementFlags.Rest) !== 0);
    const fixed = rest < 0 ? items : items.slice(0, rest);
    const needed = flags.filter((flag) => (flag & this.#ts.ElementFlags.Required) !== 0).length;
    return {
      type: "array",
      ...(fixed.length === 0 ? {} : { prefixItems: fixed }),
      ...(rest < 0 ? { items: false, maxItems: items.length } : { items: items[rest] ?? {} }),
      minItems: needed,
    };
  }

  /** Functions, dates, maps: what has methods of its own isn't made of JSON. */
  #refuseNonJson(type: ts.Type): void {
    const text = this.#checker.typeToString(type);
    const isCallable = type.getCallSignatures().length > 0 || type.getConstructSignatures().length > 0;
    if (isCallable) throw new NoJsonType(`a function (${text}) can't be given as JSON`);
    const declarations = type.getSymbol()?.getDeclarations() ?? [];
    const isBuiltIn = declarations.some((declaration) =>
      /\/lib\.[\w.]*d\.ts$/.test(declaration.getSourceFile().fileName),
    );
    const isClass = declarations.some((declaration) => this.#ts.isClassDeclaration(declaration));
    if (
      isClass ||
      (isBuiltIn &&
        text !== "object" &&
        text !== "{}" &&
        !/^(?:Record|Partial|Pick|Omit|Readonly|Required)</.test(text))
    ) {
      throw new NoJsonType(`${text} can't be given as JSON`);
    }
  }

  #docOf(symbol: ts.Symbol): string | undefined {
    const text = this.#ts.displayPartsToString(symbol.getDocumentationComment(this.#checker)).trim();
    return text === "" ? undefined : text;
  }
}

/** Adds where it happened to a {@link NoJsonType}. */
export function located<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof NoJsonType) error.path.push(name);
    throw error;
  }
}

function withoutUndefined(checker: ts.TypeChecker, type: ts.Type): ts.Type {
  // Takes `null` away too, so it is only for types that don't have it.
  return type.isUnion() && type.types.some((item) => checker.typeToString(item) === "null")
    ? type
    : checker.getNonNullableType(type);
}

function literalOf(type: ts.Type): Json {
  const value: unknown = type.isLiteral() ? type.value : undefined;
  return typeof value === "string" || typeof value === "number" ? value : null;
}

/** `true | false` is how the compiler sees a boolean inside a union. */
function withWholeBoolean(schemas: readonly JsonObject[]): readonly JsonObject[] {
  const isBoolean = (schema: JsonObject): boolean => typeof schema.const === "boolean";
  if (schemas.filter(isBoolean).length < 2) return schemas;
  return [...schemas.filter((schema) => !isBoolean(schema)), { type: "boolean" }];
}

function enumOf(schemas: readonly JsonObject[]): JsonObject {
  const values = schemas.map((schema) => (schema.type === "null" ? null : (schema.const ?? null)));
  const kinds = [...new Set(schemas.map(({ type }) => type ?? null))];
  const [kind] = kinds;
  return { type: kinds.length === 1 && kind !== undefined ? kind : kinds, enum: values };
}

/** Arrays and tuples are references to a generic type; the checker has just said that this is one. */
function referenceOf(type: ts.Type): ts.TypeReference {
  return type as ts.TypeReference;
}

function tupleFlags({ target }: ts.TypeReference): readonly ts.ElementFlags[] {
  return (target as ts.TupleType).elementFlags;
}
