import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { FAMILIES } from "../../src/shell/commands/index.ts";
import { compile, words } from "../../src/shell/compile.ts";
import type { OptionKind, Program, ValueKind } from "../../src/shell/program.ts";
import { isInstalled } from "./judge.ts";
import type { Sandbox } from "./sandbox.ts";

/** An option that some source knows. */
export interface KnownOption {
  readonly name: string;
  /** What the tables say of it; `undefined` when only the program's own help or manual names it. */
  readonly kind: OptionKind | undefined;
  readonly takesValue: boolean;
}

/** A program, or a subcommand of one, as the generator uses it. */
export interface Verb {
  /** The words that come first: `["git", "log"]`. */
  readonly words: readonly string[];
  readonly options: readonly KnownOption[];
  readonly operands: readonly ValueKind[];
  /** Its operands have a grammar of their own. */
  readonly language: string | undefined;
}

/** Programs that are slow, interactive, or talk to a service that isn't here. */
const LEFT_OUT: ReadonlySet<string> = new Set(
  "aws az gcloud gsutil bq docker podman nerdctl kubectl helm terraform tofu npm npx pnpm yarn bun pip pip3 uv poetry cargo rustc go mvn gradle java javac php ruby gem node deno tsc perl openssl ssh scp rsync systemctl journalctl psql mysql mongosh redis-cli apt apt-get apt-cache dpkg watch top htop vi vim nano emacs less more most man info".split(
    " ",
  ),
);

/** Programs that get half of all commands: what agents run most. */
export const USUAL: readonly string[] =
  "grep echo head sed cat ls git nl find tail wc rm mkdir awk which sort xargs jq od mv cp diff cut tr uniq tar rg stat file tree du printf test [ basename dirname realpath readlink date env paste comm join fold column hexdump xxd base64 sha256sum cmp touch chmod ln tee unzip zip gzip zcat yq sqlite3".split(
    " ",
  );

/** What the installed programs of the tables can be told: from the tables, their `--help`, and their manual. */
export async function vocabulary(sandbox: Sandbox): Promise<readonly Verb[]> {
  const rows = FAMILIES.flat().flatMap((row) =>
    words(row.names).flatMap((name) =>
      isInstalled(name) && !LEFT_OUT.has(name) ? [{ row, path: [name] }] : [],
    ),
  );
  const verbs = rows.flatMap(({ row, path }) => withCommands(row, path));
  const helps = await helpTexts(sandbox, [...new Set(verbs.map(({ path }) => helpOf(path).join(" ")))]);
  return verbs.map(({ row, path }) => verb(row, path, helps.get(helpOf(path).join(" ")) ?? ""));
}

interface Found {
  readonly row: Program;
  readonly path: readonly string[];
}

function withCommands(row: Program, path: readonly string[]): Found[] {
  const commands = (row.commands ?? []).flatMap((command) =>
    words(command.names).flatMap((name) => withCommands(command, [...path, name])),
  );
  return [{ row, path }, ...commands];
}

function helpOf([program = "", verb]: readonly string[]): readonly string[] {
  return program === "git" && verb !== undefined ? ["git", verb, "-h"] : [program, "--help"];
}

async function helpTexts(sandbox: Sandbox, questions: readonly string[]): Promise<Map<string, string>> {
  const half = Math.ceil(questions.length / 2);
  const answers = await Promise.all(
    [questions.slice(0, half), questions.slice(half)].map((part) =>
      sandbox.ask(
        part.map((question) => question.split(" ")),
        2,
      ),
    ),
  );
  return new Map(answers.flat().map(({ output }, index) => [questions[index] ?? "", output]));
}

function verb(row: Program, path: readonly string[], help: string): Verb {
  const compiled = compile(row);
  const options = new Map<string, KnownOption>();
  for (const { name, takesValue } of [...mine(help), ...mine(manual(path))]) {
    const before = options.get(name);
    if (before === undefined || takesValue) options.set(name, { name, takesValue, kind: undefined });
  }
  for (const [name, kind] of compiled.options) {
    const plain = kind === "flag" || kind === "recursive" || kind === "force";
    options.set(name, { name, kind, takesValue: kind === "maybe" || !plain });
  }
  options.delete("-#");
  return {
    words: path,
    options: [...options.values()],
    operands: words(row.operands ?? "text*").flatMap(kindsOf),
    language: row.reader ?? languageOf(row),
  };
}

function kindsOf(slot: string): ValueKind[] {
  const kind = slot.replace("*", "");
  // The record of kinds is the table's own.
  return isKind(kind) ? [kind] : [];
}

function isKind(kind: string): kind is ValueKind {
  return kind !== "";
}

function languageOf(row: Program): string | undefined {
  return ["sed", "awk", "jq"].find((language) => words(row.operands ?? "").includes(language));
}

const OPTION = /(?<![\w-])(--?[A-Za-z0-9][\w-]*)(\[?=|[ ](?=[A-Z<]))?/g;

/** The options that a help text or manual names. */
function mine(text: string): { name: string; takesValue: boolean }[] {
  const found: { name: string; takesValue: boolean }[] = [];
  for (const [, name = "", value] of text.matchAll(OPTION)) {
    if (name.length > 30 || /^-[a-z]{2,}$/.test(name)) continue;
    found.push({ name, takesValue: value !== undefined });
  }
  return found;
}

function manual(path: readonly string[]): string {
  for (const section of ["1", "8"]) {
    const file = `/usr/share/man/man${section}/${path.slice(0, 2).join("-")}.${section}.gz`;
    if (!existsSync(file)) continue;
    const text = gunzipSync(readFileSync(file)).toString("latin1");
    return text.replace(/\\f(?:\[\w*\]|.)/g, "").replace(/\\-/g, "-");
  }
  return "";
}
