import type { Backend } from "../backend.ts";
import type { ContentBlock, DataBlock } from "../chunk.ts";
import { isToolgateError, ToolgateError } from "../errors.ts";
import type { Layout } from "./layout.ts";
import { pathsOf } from "./tree/paths-of.ts";

/** The beginning of the addresses of what was moved into a workspace. */
export const WORKSPACE_URL = "workspace:///";

/** Where something was moved to. */
export interface Offloaded {
  /** Absolute, in the place: a model reads it with Read. */
  readonly path: string;
  /** `workspace:///sessions/…`, for {@link Offload.read}. */
  readonly url: string;
  readonly bytes: number;
}

/** Which part of something is read back. */
export interface ReadBackOptions {
  /** Byte offset. @default 0 */
  readonly offset?: number;
  /** Bytes, 1 MiB at most. @default 64 KiB */
  readonly length?: number;
}

interface Place {
  readonly backend: Backend;
  readonly layout: Layout;
}

const READ_BYTES = 64 * 1024;
const MOST_READ_BYTES = 1024 * 1024;
const MOST_CLASHES = 1000;

/** What a conversation is too small for, kept in its workspace and read back in parts. */
export class Offload {
  readonly #place: () => Place;

  constructor(place: () => Place) {
    this.#place = place;
  }

  /** Keeps an answer; bytes in it go to a file of their own, of which the text has the address. */
  async toolResult(
    sessionId: string,
    callId: string,
    content: string | readonly ContentBlock[],
  ): Promise<Offloaded> {
    const blocks = typeof content === "string" ? [] : content;
    const parts: string[] = typeof content === "string" ? [content] : [];
    for (const block of blocks) {
      if (block.type === "text") parts.push(block.text);
      else parts.push(dataLine(await this.dataBlock(block)));
    }
    const bytes = Buffer.from(parts.join("\n"));
    const name = `tool_result-${await plainName(callId)}`;
    for (let count = 0; count < MOST_CLASHES; count += 1) {
      const file = count === 0 ? `${name}.txt` : `${name}(${count}).txt`;
      const path = await this.#newFile(sessionId, file, bytes);
      if (path !== undefined) return this.#at(path, bytes.length);
    }
    throw new ToolgateError("already_exists", `There are too many results of the call ${callId}.`);
  }

  /** Adds to the record of what was taken out of a conversation, one JSON text a line. */
  async context(sessionId: string, messages: readonly unknown[]): Promise<Offloaded> {
    const { backend } = this.#place();
    const path = await this.#inSession(sessionId, "context.jsonl");
    const lines = messages.map((message) => `${JSON.stringify(message)}\n`).join("");
    const { size } = await backend.writeFile(path, Buffer.from(lines), {
      append: true,
      parents: true,
      mode: 0o600,
    });
    return this.#at(path, size);
  }

  /** Moves a block's bytes out of it, by their hash: the same bytes are kept once. One that has an address is answered as it is. */
  async dataBlock(block: DataBlock): Promise<DataBlock> {
    const { source } = block;
    if (source.type !== "base64") return block;
    const { backend, layout } = this.#place();
    const bytes = Buffer.from(source.data, "base64");
    const name = `${await sha256(bytes)}${endingOf(source.mediaType)}`;
    const path = pathsOf(backend).join(layout.data, name);
    try {
      await backend.writeFile(path, bytes, { ifVersion: "absent", parents: true, mode: 0o600 });
    } catch (error) {
      if (!isToolgateError(error, "stale")) throw error;
    }
    const { mediaType } = source;
    return { ...block, source: { type: "url", url: `${WORKSPACE_URL}data/${name}`, mediaType } };
  }

  /**
   * Reads back a part of what was moved here, by its address.
   * @throws ToolgateError `invalid_input` for an address of anything else, `not_found`
   */
  async read(url: string, { offset = 0, length = READ_BYTES }: ReadBackOptions = {}): Promise<Uint8Array> {
    const { backend, layout } = this.#place();
    const [, folder, rest] = /^workspace:\/\/\/(data|sessions)\/([^\0\\]+)$/.exec(url) ?? [];
    const parts = rest?.split("/") ?? [];
    if (folder === undefined || parts.some((part) => part === "" || part === "." || part === "..")) {
      throw new ToolgateError("invalid_input", `${JSON.stringify(url)} is no address of this workspace.`);
    }
    const path = pathsOf(backend).join(layout.home, folder, ...parts);
    // A link that was put in the way would lead elsewhere.
    return backend.readFile(path, { offset, length: Math.min(length, MOST_READ_BYTES), realPath: path });
  }

  /** Does away with all that was kept for a session. */
  async purge(sessionId: string): Promise<void> {
    const { backend, layout } = this.#place();
    try {
      const folder = pathsOf(backend).join(layout.sessions, await plainName(sessionId));
      await backend.remove(folder, { recursive: true });
    } catch (error) {
      if (!isToolgateError(error, "not_found")) throw error;
    }
  }

  async #newFile(sessionId: string, name: string, bytes: Uint8Array): Promise<string | undefined> {
    const path = await this.#inSession(sessionId, name);
    try {
      await this.#place().backend.writeFile(path, bytes, { ifVersion: "absent", parents: true, mode: 0o600 });
      return path;
    } catch (error) {
      if (isToolgateError(error, "stale")) return undefined;
      throw error;
    }
  }

  async #inSession(sessionId: string, name: string): Promise<string> {
    const { backend, layout } = this.#place();
    return pathsOf(backend).join(layout.sessions, await plainName(sessionId), name);
  }

  #at(path: string, bytes: number): Offloaded {
    const { backend, layout } = this.#place();
    const below = pathsOf(backend).relative(layout.home, path).replaceAll("\\", "/");
    return { path, url: `${WORKSPACE_URL}${below}`, bytes };
  }
}

function dataLine({ name, source }: DataBlock): string {
  return `[${name ?? "data"}, ${source.mediaType}: ${source.type === "url" ? source.url : ""}]`;
}

/** An id as a file's name: as it is where that is harmless, else by its hash. */
async function plainName(id: string): Promise<string> {
  return /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$/.test(id) ? id : sha256(Buffer.from(id));
}

async function sha256(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", Buffer.from(bytes))).toString("hex");
}

function endingOf(mediaType: string): string {
  const [, kind] = /^[a-z]+\/([a-z0-9]{1,8})$/.exec(mediaType) ?? [];
  return kind === undefined ? ".bin" : `.${kind}`;
}
