import { ToolgateError } from "../errors.ts";
import type { AccountSettings } from "./account-settings.ts";
import type {
  Channel,
  ChannelLimits,
  Destination,
  Inbox,
  MediaReceipts,
  Receipt,
  SendMediaOptions,
} from "./channel.ts";
import { download } from "./http/download.ts";
import { listAt, textAt } from "./http/fields.ts";
import { Refusal } from "./http/refusal.ts";
import { request } from "./http/request.ts";
import { serviceAddress } from "./http/service-address.ts";
import { ANY_MEDIA } from "./media/check.ts";
import type { MediaFile } from "./media-file.ts";
import { receiptOf, sendParts, taken } from "./receipts.ts";
import { ServiceChannel } from "./service-channel.ts";
import { type SlackAccess, slackCall } from "./slack/api.ts";
import { escaped, slackChat } from "./slack/chat.ts";
import { readEvent } from "./slack/inbound.ts";
import { loadSlack } from "./slack/load.ts";
import { runSocket } from "./slack/socket.ts";

const API_URL = "https://slack.com/api";
/** Where files go, and come from. */
const FILES_HOST = "files.slack.com";
const LIMITS: ChannelLimits = {
  textLength: 4000,
  captionLength: 4000,
  media: ANY_MEDIA,
};
const UPLOAD_TIMEOUT_MS = 180_000;

/** Makes a channel for a Slack app in Socket Mode. @throws ToolgateError `missing_dependency`, `invalid_settings` */
export async function makeSlack({ account, values }: AccountSettings): Promise<Channel> {
  const { botToken = "", appToken = "", apiUrl = API_URL } = values;
  if (!botToken.startsWith("xoxb-")) throw wrong("botToken is no bot token: those begin with xoxb-.");
  if (!appToken.startsWith("xapp-")) throw wrong("appToken is no app-level token: those begin with xapp-.");
  const address = `${serviceAddress("apiUrl", apiUrl)}/`;
  return new SlackChannel(account, { packages: await loadSlack(), botToken, appToken, apiUrl: address });
}

function wrong(why: string): ToolgateError {
  return new ToolgateError("invalid_settings", why);
}

/** An app at Slack: its direct messages, and the threads that it is mentioned in. */
class SlackChannel extends ServiceChannel {
  readonly #access: SlackAccess;

  constructor(account: string, access: SlackAccess) {
    // A token names the workspace and the bot before its secret.
    const id = /^xoxb-\d+-\d+/.exec(access.botToken)?.[0] ?? access.botToken;
    const isSlack = new URL(access.apiUrl).hostname === "slack.com";
    const addresses = isSlack ? [access.apiUrl, `https://${FILES_HOST}`] : [access.apiUrl];
    super({ name: "slack", account, id, addresses, limits: LIMITS });
    this.#access = access;
  }

  protected sendWords(to: Destination, parts: readonly string[], signal: AbortSignal): Promise<Receipt> {
    return sendParts(parts, async (part) => {
      // Otherwise Slack fetches what a model may have been talked into linking to.
      const quiet = { unfurl_links: false, unfurl_media: false, mrkdwn: false };
      const message = { ...slackChat(to.chat), text: escaped(part), ...quiet };
      const sent = await slackCall(this.#access, "chat.postMessage", message, { signal, acts: true });
      return taken("Slack", textAt(sent, "ts"));
    });
  }

  async sendMedia(
    to: Destination,
    files: readonly MediaFile[],
    { caption, signal }: SendMediaOptions,
  ): Promise<MediaReceipts> {
    const goesAlong = caption !== "" && caption.length <= LIMITS.captionLength;
    const words = caption === "" || goesAlong ? undefined : await this.sendText(to, caption, { signal });
    const uploads = await this.#upload(files, signal);
    const ids = uploads.flatMap((upload) => (typeof upload === "string" ? [upload] : []));
    const shared = await this.#share(to, ids, goesAlong ? caption : "", signal);
    const receipts = uploads.map((upload) => (typeof upload === "string" ? shared(upload) : upload));
    // The words stand with the first file that arrived; where none did, what kept them away did so too.
    const said = goesAlong ? (receipts.find(({ state }) => state === "confirmed") ?? receipts[0]) : words;
    return { files: receipts, ...(said === undefined ? {} : { caption: said }) };
  }

  protected async check(signal: AbortSignal): Promise<string> {
    const me = await slackCall(this.#access, "auth.test", {}, { signal });
    return `Slack knows the bot as ${textAt(me, "user")} in ${textAt(me, "team")}.`;
  }

  protected connect(inbox: Inbox, signal: AbortSignal): Promise<void> {
    const events = {
      connected: () => inbox.connected(),
      event: async (event: unknown): Promise<void> => {
        const message = readEvent(event, (address, stop) => this.#open(address, stop));
        if (message !== undefined) await inbox.deliver(message);
      },
    };
    return runSocket(this.#access, events, signal);
  }

  /** Files as Slack calls them: they are there, and nobody sees them yet. What can't be uploaded has its receipt. */
  async #upload(files: readonly MediaFile[], signal: AbortSignal): Promise<readonly (string | Receipt)[]> {
    const uploads: (string | Receipt)[] = [];
    for (const { name, bytes } of files) {
      try {
        uploads.push(await this.#uploadOne(name, bytes, signal));
      } catch (error) {
        uploads.push(receiptOf(error));
      }
    }
    return uploads;
  }

  async #uploadOne(name: string, bytes: Uint8Array, signal: AbortSignal): Promise<string> {
    const fields = { filename: name, length: bytes.length };
    const place = await slackCall(this.#access, "files.getUploadURLExternal", fields, { signal });
    const [address, id] = [textAt(place, "upload_url"), textAt(place, "file_id")];
    if (address === undefined || id === undefined || !this.#isOurs(address)) {
      throw new Refusal("Slack gave no place to upload to");
    }
    const body = new FormData();
    body.set("filename", new Blob([Uint8Array.from(bytes)]), name);
    const { status } = await request(address, { body, signal, timeoutMs: UPLOAD_TIMEOUT_MS });
    if (status === 200) return id;
    throw new Refusal(`Slack refused the file's bytes (${status})`);
  }

  /** Shows uploaded files in the chat, all in one message, and answers what became of each. */
  async #share(
    to: Destination,
    ids: readonly string[],
    caption: string,
    signal: AbortSignal,
  ): Promise<(id: string) => Receipt> {
    if (ids.length === 0) return () => ({ state: "failed", why: "nothing was uploaded" });
    try {
      const { channel, thread_ts } = slackChat(to.chat);
      const fields = {
        files: ids.map((id) => ({ id })),
        channel_id: channel,
        ...(thread_ts === undefined ? {} : { thread_ts }),
        ...(caption === "" ? {} : { initial_comment: escaped(caption) }),
      };
      const call = { signal, acts: true };
      const said = await slackCall(this.#access, "files.completeUploadExternal", fields, call);
      const shown = new Set(listAt(said, "files").map((file) => textAt(file, "id")));
      return (id) =>
        shown.has(id)
          ? { state: "confirmed", messageId: id }
          : { state: "unknown", why: "Slack didn't name the file among those that it shows" };
    } catch (error) {
      const receipt = receiptOf(error);
      return () => receipt;
    }
  }

  #open(address: string, signal: AbortSignal): AsyncIterable<Uint8Array> {
    // The token goes nowhere else, whatever an event says.
    if (!this.#isOurs(address)) throw new ToolgateError("unsupported", "The file isn't at Slack.");
    const headers = { Authorization: `Bearer ${this.#access.botToken}` };
    return download(address, this.#access.apiUrl, signal, headers);
  }

  #isOurs(address: string): boolean {
    const url = URL.parse(address);
    if (url === null) return false;
    return (
      (url.protocol === "https:" && url.hostname === FILES_HOST) ||
      url.origin === new URL(this.#access.apiUrl).origin
    );
  }
}
