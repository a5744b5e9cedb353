import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { isBusy, isDamaged, isSqliteFailure } from "./sqlite-failure.ts";

/** A row as SQLite gives it. */
export type Row = Readonly<Record<string, SQLOutputValue>>;

/** To open a file that others are making, or that is damaged. */
const ATTEMPTS = 20;

/** Changes with the tables, and with what words are: an index of another kind is made anew. */
const KIND = `3 ${process.versions.icu ?? ""} ${process.versions.unicode ?? ""}`;

/** Punctuation that words may hold; only blanks part them, since they come parted. */
const TABLES = [
  "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID",
  `CREATE TABLE block (id INTEGER PRIMARY KEY, bytes INTEGER, lines INTEGER, entries INTEGER, digest TEXT,
    isOpen INTEGER, firstDay TEXT, lastDay TEXT, sources TEXT, indexed INTEGER)`,
  `CREATE VIRTUAL TABLE entry USING fts5(words, content='', contentless_delete=1, detail=none,
    tokenize="ascii tokenchars '!#$%&()*+,-./:;<=>?@[]^_{|}~'")`,
  "CREATE VIRTUAL TABLE vocabulary USING fts5vocab(entry, row)",
  "CREATE TABLE word (id INTEGER PRIMARY KEY, word TEXT UNIQUE)",
  `CREATE VIRTUAL TABLE part USING fts5(word, content='word', content_rowid='id', detail=none, columnsize=0,
    tokenize='trigram case_sensitive 1')`,
];

/** A memory's index: a cache in SQLite, made anew whenever it is missing, damaged or of another kind. */
export class IndexFile {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Opens the index in a directory, which is made; in memory where there is none, or where it can't be. */
  static async open(directory: string | undefined): Promise<IndexFile> {
    const { DatabaseSync } = await import("node:sqlite");
    const open = (path: string): IndexFile => {
      const database = new DatabaseSync(path);
      try {
        return prepared(new IndexFile(database));
      } catch (error) {
        database.close();
        throw error;
      }
    };
    if (directory === undefined) return open(":memory:");
    for (let attempt = 1; ; attempt += 1) {
      try {
        mkdirSync(directory, { recursive: true, mode: 0o700 });
        return open(join(directory, "index.db"));
      } catch (error) {
        // A place that can't be written, or a full one. What it holds can be had from the file itself.
        if (attempt === ATTEMPTS || !(isBusy(error) || isDamaged(error))) return open(":memory:");
        if (isDamaged(error)) removeIndex(directory);
        // SQLite doesn't wait when several processes make the same file.
        await delay(5 + Math.random() * 20);
      }
    }
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  rows(sql: string, ...values: readonly SQLInputValue[]): readonly Row[] {
    return this.#statement(sql).all(...values);
  }

  row(sql: string, ...values: readonly SQLInputValue[]): Row | undefined {
    return this.#statement(sql).get(...values);
  }

  /** Answers how many rows were changed. */
  run(sql: string, ...values: readonly SQLInputValue[]): number {
    return Number(this.#statement(sql).run(...values).changes);
  }

  /** Does all of it or nothing. */
  all(work: () => void): void {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      work();
      this.#database.exec("COMMIT");
    } finally {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
    }
  }

  /** Runs statements that have no values. */
  execute(sql: string): void {
    this.#database.exec(sql);
  }

  /** What is kept under a name. */
  about(name: string): string | undefined {
    const value = this.row("SELECT value FROM about WHERE name = ?", name)?.value;
    return typeof value === "string" ? value : undefined;
  }

  note(name: string, value: string): void {
    this.run("INSERT INTO about VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", name, value);
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const made = this.#database.prepare(sql);
    this.#statements.set(sql, made);
    return made;
  }
}

/** Removes an index that is good for nothing; the file it was made from is elsewhere. */
export function removeIndex(directory: string): void {
  for (const ending of ["", "-wal", "-shm", "-journal"]) {
    rmSync(join(directory, `index.db${ending}`), { force: true });
  }
}

/** Makes the tables, where they aren't those of today. */
function prepared(index: IndexFile): IndexFile {
  index.execute("PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  index.execute("PRAGMA cache_size = -32000; PRAGMA temp_store = MEMORY");
  if (kindOf(index) === KIND) return index;
  index.all(() => {
    // Another process may have been faster.
    if (kindOf(index) === KIND) return;
    for (const table of ["vocabulary", "entry", "part", "word", "block", "about"]) {
      index.execute(`DROP TABLE IF EXISTS ${table}`);
    }
    for (const table of TABLES) index.execute(table);
    index.note("kind", KIND);
  });
  return index;
}

function kindOf(index: IndexFile): string | undefined {
  try {
    return index.about("kind");
  } catch (error) {
    if (isSqliteFailure(error) && !isDamaged(error)) return undefined; // no such table
    throw error;
  }
}
