import { existsSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Store } from "../store.ts";
import { LazyStore } from "./lazy-store.ts";
import { ownSettings } from "./own-settings.ts";

/** Where sessions and questions are kept. */
export interface StorePlace {
  readonly kind: "sqlite" | "postgres";
  /** A file, or an address without its password. */
  readonly where: string;
  /** What chose it, for people. */
  readonly chosenBy: string;
  /** The store; loaded and opened when it is first used. */
  open(): Store;
}

/** The place that was given, else the configured database, else the project's own file. @throws ToolgateError `invalid_settings` */
export async function storePlace(project: string, given: string | undefined): Promise<StorePlace> {
  if (given !== undefined) return placeAt(given, "--store");
  const url = process.env.TOOLGATE_DATABASE_URL || undefined;
  if (url !== undefined) return placeAt(url, "TOOLGATE_DATABASE_URL");
  const { databaseUrl } = await ownSettings(project);
  if (databaseUrl !== undefined) return placeAt(databaseUrl, "~/.toolgate/settings.json");
  return placeAt(join(project, ".toolgate", "state.db"), "the project");
}

function placeAt(text: string, chosenBy: string): StorePlace {
  if (/^postgres(?:ql)?:/.test(text)) {
    return {
      kind: "postgres",
      where: withoutPassword(text),
      chosenBy,
      open: () =>
        new LazyStore("postgres", async () =>
          (await import("../store/postgres.ts")).postgresStore({ url: text }),
        ),
    };
  }
  const path = resolve(text);
  return {
    kind: "sqlite",
    where: path,
    chosenBy,
    open: () =>
      new LazyStore("sqlite", async () =>
        (await import("../store/sqlite.ts")).sqliteStore({ path, keyPath: await keyPathOf(path) }),
      ),
  };
}

/** In the user's own folder: a project may come with a database, and must not come with the key to it. */
async function keyPathOf(database: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", Buffer.from(database));
  const name = Buffer.from(digest).toString("hex").slice(0, 32);
  return join(homedir(), ".toolgate", "keys", `${name}.key`);
}

/** Keeps what is one machine's out of a project's commits. For after a store was used; a `.gitignore` that is there stays as it is. */
export function leaveOutOfGit(project: string): void {
  const folder = join(project, ".toolgate");
  const ignore = join(folder, ".gitignore");
  if (!existsSync(join(folder, "state.db")) || existsSync(ignore)) return;
  try {
    writeFileSync(ignore, "state.*\nconsole/\npostgres/\nsettings.local.json\n", { flag: "wx" });
  } catch {
    // A convenience: what was done doesn't depend on it.
  }
}

/** The part of a command line that leads to the same store from the current directory; empty where nothing is needed. */
export function storeFlags(place: StorePlace, project: string, projectHere: string): string {
  if (place.chosenBy === "--store") return ` --store ${quoted(place.where)}`;
  if (place.chosenBy === "the project" && project !== projectHere)
    return ` --cwd ${quoted(dirname(dirname(place.where)))}`;
  return "";
}

/** A text as one word of a command line. */
export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return "(an address that can't be read)";
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
