// Writes docs/reference.md: every name of the public entries with its kind, its doc comment and its signature.
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";

const root = resolve(import.meta.dirname, "..");
const page = join(root, "docs", "reference.md");
/** The public entries, as package.json exports them. */
const ENTRIES: Readonly<Record<string, string>> = publicEntries();

function publicEntries(): Record<string, string> {
  const { exports }: { exports: Record<string, string | { default: string }> } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  );
  return Object.fromEntries(
    Object.entries(exports).flatMap(([name, entry]) => {
      const file = typeof entry === "string" ? undefined : /^\.\/dist\/(.*)\.js$/.exec(entry.default)?.[1];
      return file === undefined ? [] : [[name.replace(".", "toolgate"), `src/${file}.ts`]];
    }),
  );
}

/** The whole page. */
export function reference(): string {
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile).config,
    ts.sys,
    root,
  );
  const files = Object.values(ENTRIES).map((file) => join(root, file));
  const program = ts.createProgram(files, { ...options, noEmit: true, incremental: false });
  const sections = Object.entries(ENTRIES).map(([name, file]) => section(program, name, join(root, file)));
  return `# Reference\n\nMade from the code by \`npm run reference\`; a test keeps it true.\n\n${sections.join("\n")}`;
}

function section(program: ts.Program, name: string, file: string): string {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  const symbols = module === undefined ? [] : checker.getExportsOfModule(module);
  const entries = symbols
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((symbol) => entry(checker, symbol));
  return `## \`${name}\`\n\n${entries.join("\n")}`;
}

function entry(checker: ts.TypeChecker, symbol: ts.Symbol): string {
  const doc = ts.displayPartsToString(symbol.getDocumentationComment(checker)).replaceAll(/\s*\n\s*/g, " ");
  const throws = symbol
    .getJsDocTags(checker)
    .filter((tag) => tag.name === "throws")
    .map((tag) => ` Throws ${ts.displayPartsToString(tag.text).replaceAll(/\s+/g, " ")}.`);
  return `- **\`${symbol.name}\`** (${kind(symbol)}): ${doc}${throws.join("")}${signature(checker, symbol)}\n`;
}

function kind(symbol: ts.Symbol): string {
  if (symbol.flags & ts.SymbolFlags.Class) return "class";
  if (symbol.flags & ts.SymbolFlags.Function) return "function";
  if (symbol.flags & ts.SymbolFlags.Interface) return "interface";
  return symbol.flags & ts.SymbolFlags.TypeAlias ? "type" : "constant";
}

function signature(checker: ts.TypeChecker, symbol: ts.Symbol): string {
  if (!(symbol.flags & ts.SymbolFlags.Function)) return "";
  const declaration = symbol.valueDeclaration;
  if (declaration === undefined) return "";
  const [call] = checker.getTypeOfSymbolAtLocation(symbol, declaration).getCallSignatures();
  return call === undefined ? "" : `\n  \`${symbol.name}${checker.signatureToString(call)}\``;
}

if (process.argv[1] === import.meta.filename) {
  const next = reference();
  if (process.argv.includes("--check")) {
    if (readFileSync(page, "utf8") !== next) {
      console.error("docs/reference.md is not what the code says: run `npm run reference`.");
      process.exitCode = 1;
    }
  } else writeFileSync(page, next);
}
