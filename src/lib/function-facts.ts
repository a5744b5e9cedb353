import type ts from "typescript";
import type { Json, JsonObject } from "./json.ts";
import {
  located,
  NoJsonType,
  type TypeSchemas as Schemas,
  TypeSchemas,
  type TypeScript,
} from "./type-schema.ts";

export { NoJsonType } from "./type-schema.ts";

/** What is known of an exported function by its source. */
export interface FunctionFacts {
  readonly exportName: string;
  readonly name: string;
  readonly description: string;
  /** Of its input as one object. */
  readonly schema: JsonObject;
  /** Names in the order of its parameters; `undefined` when it takes the object itself. */
  readonly parameters: readonly string[] | undefined;
}

type FunctionNode = ts.FunctionDeclaration | ts.FunctionExpression | ts.ArrowFunction;

interface Source {
  readonly ts: TypeScript;
  readonly checker: ts.TypeChecker;
}

/** Reads the functions that a module exports, in the order they stand there. @throws NoJsonType */
export function functionFacts(
  typescript: TypeScript,
  file: string,
  only: readonly string[] | undefined,
): readonly FunctionFacts[] {
  const program = typescript.createProgram([file], {
    target: typescript.ScriptTarget.ESNext,
    module: typescript.ModuleKind.NodeNext,
    moduleResolution: typescript.ModuleResolutionKind.NodeNext,
    strict: true,
    noEmit: true,
    allowJs: true,
    checkJs: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  if (module === undefined) return [];
  return checker
    .getExportsOfModule(module)
    .filter((symbol) => only === undefined || only.includes(symbol.getName()))
    .flatMap((symbol) => {
      const node = functionOf(typescript, checker, symbol);
      return node === undefined
        ? []
        : [located(symbol.getName(), () => factsOf({ ts: typescript, checker }, symbol, node))];
    });
}

function functionOf(
  typescript: TypeScript,
  checker: ts.TypeChecker,
  exported: ts.Symbol,
): FunctionNode | undefined {
  const isAlias = (exported.flags & typescript.SymbolFlags.Alias) !== 0;
  const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported;
  for (const declaration of symbol.getDeclarations() ?? []) {
    if (typescript.isFunctionDeclaration(declaration)) return declaration;
    const value = typescript.isVariableDeclaration(declaration) ? declaration.initializer : undefined;
    if (
      value !== undefined &&
      (typescript.isArrowFunction(value) || typescript.isFunctionExpression(value))
    ) {
      return value;
    }
  }
  return undefined;
}

function factsOf(source: Source, exported: ts.Symbol, node: FunctionNode): FunctionFacts {
  const exportName = exported.getName();
  const own = node.name?.text ?? (exportName === "default" ? "tool" : exportName);
  const name = exportName === "default" ? own : exportName;
  const docs = new Docs(source, exported, node);
  const schemas = new TypeSchemas(source.ts, source.checker);
  const parameters = node.parameters.filter((parameter) => isInput(source, parameter));
  const [single] = parameters;
  const isObjectInput =
    parameters.length === 1 && single !== undefined && source.ts.isObjectBindingPattern(single.name);
  const shape = isObjectInput
    ? objectShape(source, schemas, single, docs)
    : listShape(source, schemas, parameters, docs);
  const { defs } = schemas;
  return {
    exportName,
    name,
    description: docs.description,
    schema: {
      type: "object",
      properties: shape.properties,
      ...(shape.required.length === 0 ? {} : { required: shape.required }),
      additionalProperties: false,
      ...(Object.keys(defs).length === 0 ? {} : { $defs: defs }),
    },
    parameters: isObjectInput
      ? undefined
      : node.parameters.map((parameter) => nameOf(source, parameter)).slice(0, parameters.length),
  };
}

interface Shape {
  readonly properties: JsonObject;
  readonly required: readonly string[];
}

/** The context isn't the model's to give, and of rest parameters nobody knows the names. */
function isInput({ ts: typescript, checker }: Source, parameter: ts.ParameterDeclaration): boolean {
  if (parameter.dotDotDotToken !== undefined) return false;
  const type = checker.getTypeAtLocation(parameter);
  const name = (type.aliasSymbol ?? type.getSymbol())?.getName();
  const written =
    parameter.type !== undefined && typescript.isTypeReferenceNode(parameter.type)
      ? parameter.type.typeName.getText()
      : "";
  return name !== "CallContext" && written !== "CallContext";
}

function nameOf({ ts: typescript }: Source, parameter: ts.ParameterDeclaration): string {
  if (typescript.isIdentifier(parameter.name)) return parameter.name.text;
  throw new NoJsonType("a destructured parameter has no name, unless it is the only one");
}

function listShape(
  source: Source,
  schemas: Schemas,
  parameters: readonly ts.ParameterDeclaration[],
  docs: Docs,
): Shape {
  const properties: Record<string, Json> = {};
  const required: string[] = [];
  for (const parameter of parameters) {
    const name = nameOf(source, parameter);
    const type = source.checker.getTypeAtLocation(parameter);
    const schema = located(name, () => schemas.schemaOf(type, parameter));
    properties[name] = { ...schema, ...docs.ofParameter(name), ...defaultOf(source, parameter.initializer) };
    if (!source.checker.isOptionalParameter(parameter) && !schemas.mayBeUndefined(type)) required.push(name);
  }
  return { properties, required };
}

/** The properties of the one destructured parameter; defaults stand in its pattern. */
function objectShape(
  source: Source,
  schemas: Schemas,
  parameter: ts.ParameterDeclaration,
  docs: Docs,
): Shape {
  const type = source.checker.getTypeAtLocation(parameter);
  const { properties, required } = schemas.propertiesOf(type, parameter, (name) => docs.ofProperty(name));
  const defaults = new Map<string, JsonObject>();
  if (source.ts.isObjectBindingPattern(parameter.name)) {
    for (const element of parameter.name.elements) {
      const name = (element.propertyName ?? element.name).getText();
      if (element.initializer !== undefined) defaults.set(name, defaultOf(source, element.initializer));
    }
  }
  const complete = Object.entries(properties).map(([name, schema]) => {
    const own = defaults.get(name);
    return [name, own === undefined || typeof schema !== "object" ? schema : { ...schema, ...own }] as const;
  });
  return {
    properties: Object.fromEntries(complete),
    required: required.filter((name) => !defaults.has(name)),
  };
}

function defaultOf({ ts: typescript }: Source, initializer: ts.Expression | undefined): JsonObject {
  if (initializer === undefined) return {};
  if (typescript.isStringLiteralLike(initializer)) return { default: initializer.text };
  if (initializer.kind === typescript.SyntaxKind.TrueKeyword) return { default: true };
  if (initializer.kind === typescript.SyntaxKind.FalseKeyword) return { default: false };
  if (initializer.kind === typescript.SyntaxKind.NullKeyword) return { default: null };
  const number = Number(initializer.getText().replaceAll("_", ""));
  return Number.isFinite(number) && /^-?[\d.]/.test(initializer.getText()) ? { default: number } : {};
}

/** What a function's TSDoc says. */
class Docs {
  readonly description: string;
  readonly #parameters: ReadonlyMap<string, string>;

  constructor({ ts: typescript, checker }: Source, exported: ts.Symbol, node: FunctionNode) {
    const isAlias = (exported.flags & typescript.SymbolFlags.Alias) !== 0;
    const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported;
    this.description = typescript.displayPartsToString(symbol.getDocumentationComment(checker)).trim();
    const tags = typescript.getJSDocTags(
      typescript.isFunctionDeclaration(node) ? node : node.parent.parent.parent,
    );
    const own = [...tags, ...typescript.getJSDocTags(node)].filter((tag) =>
      typescript.isJSDocParameterTag(tag),
    );
    this.#parameters = new Map(
      own.map((tag) => {
        const text = typescript.getTextOfJSDocComment(tag.comment) ?? "";
        return [tag.name.getText(), text.replace(/^\s*-\s*/, "").trim()] as const;
      }),
    );
  }

  ofParameter(name: string): JsonObject {
    const text = this.#parameters.get(name);
    return text === undefined || text === "" ? {} : { description: text };
  }

  /** Of a property of the destructured parameter, whose own name anyone may choose: `@param options.city`. */
  ofProperty(name: string): string | undefined {
    for (const [key, text] of this.#parameters) {
      if ((key === name || key.endsWith(`.${name}`)) && text !== "") return text;
    }
    return undefined;
  }
}
