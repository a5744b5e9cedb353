import type { Channel, ChannelDirectory, MediaReceipts, Receipt } from "../channels/channel.ts";
import type { MediaFile } from "../channels/media-file.ts";
import { failed, refusalOf } from "../channels/receipts.ts";
import type { ChannelTarget } from "../channels/target.ts";
import { type ToolChunk, toolChunk } from "../chunk.ts";
import type { Effect } from "../effect.ts";
import type { MaybePromise } from "../lib/json.ts";
import type { PermissionRule } from "../rule.ts";
import type { CallContext, JsonSchema, PermissionContext, ToolInput } from "../tool.ts";
import { AssistantTool, type AssistantToolOptions, onceFor } from "./assistant/assistant-tool.ts";
import { counted, deliveryAnswer, type Sent } from "./media/delivery.ts";
import { type OpenedFile, openFiles, readEffects } from "./media/open-files.ts";

/** What {@link SendMedia} takes. */
export interface SendMediaToolOptions extends AssistantToolOptions {
  /** Where channels are found: `Channels`. */
  readonly channels: ChannelDirectory;
  /** The chat that the session is held in, if it is held in one. A model has no say in it. */
  readonly target: () => ChannelTarget | undefined;
}

const MOST_FILES = 20;
const PREFIX = "channel:";

/** Sends files from the workspace to the chat that the session is held in. */
export class SendMedia extends AssistantTool {
  readonly name = "send_media";
  readonly description: string =
    "Sends files of the workspace to the person in the chat that this conversation is held in, with an optional message. " +
    "Images (png, jpg, gif, bmp, webp), documents (pdf, doc, docx, xls, xlsx, ppt, pptx, txt), archives (zip, rar, 7z), " +
    "audio and video (mp3, mp4, avi, mov), data (json, xml, csv, md); 20 MiB a file at most, some chats take less. " +
    "The answer says of each file whether it arrived.";
  readonly inputSchema: JsonSchema = {
    type: "object",
    properties: {
      file_paths: {
        type: "array",
        items: { type: "string", minLength: 1 },
        minItems: 1,
        maxItems: MOST_FILES,
        description: "The files, relative to the workspace.",
      },
      message: { type: "string", description: "Words that go with them." },
    },
    required: ["file_paths"],
    additionalProperties: false,
  };
  readonly longestRunMs = 600_000;
  readonly #channels: SendMediaToolOptions["channels"];
  readonly #target: SendMediaToolOptions["target"];
  readonly #files = onceFor(fileInputs);
  /** Where each input was to go when it was judged. */
  readonly #judged = new WeakMap<ToolInput, { readonly target: ChannelTarget | undefined }>();

  constructor({ channels, target, ...options }: SendMediaToolOptions) {
    super(options);
    this.#channels = channels;
    this.#target = target;
  }

  override async effects(input: ToolInput, given: PermissionContext): Promise<readonly Effect[]> {
    const context = this.backend === undefined ? given : { ...given, backend: this.backend };
    const target = this.#target();
    this.#judged.set(input, { target });
    const reads = await readEffects(this.#files(input), context);
    const hosts = this.#channelOf(target)?.hosts ?? [];
    return [...reads, ...hosts.map((host): Effect => ({ kind: "connect", host }))];
  }

  /** Besides hosts and paths there is `send_media(channel:telegram)`, and `send_media(channel:telegram:sales)` for one account. */
  override matchRule(
    ruleContent: string | null,
    input: ToolInput,
    context: PermissionContext,
  ): MaybePromise<boolean> {
    if (!ruleContent?.startsWith(PREFIX)) return super.matchRule(ruleContent, input, context);
    const target = this.#targetOf(input);
    if (target === undefined) return false;
    const named = ruleContent.slice(PREFIX.length).trim();
    return named === target.channel || named === `${target.channel}:${target.account}`;
  }

  override generateSuggestions(
    input: ToolInput,
    context: PermissionContext,
  ): MaybePromise<readonly PermissionRule[]> {
    const target = this.#targetOf(input);
    if (target === undefined) return super.generateSuggestions(input, context);
    const ruleContent = `${PREFIX}${target.channel}`;
    return [{ toolName: this.name, ruleContent, behavior: "allow", source: "suggested" }];
  }

  override async call(input: ToolInput, given: CallContext): Promise<ToolChunk> {
    const context = this.backend === undefined ? given : { ...given, backend: this.backend };
    const opened = await openFiles(this.#files(input), context);
    const target = this.#targetOf(input);
    if (target === undefined) return notSent("This session isn't held in a channel", opened);
    const channel = this.#channelOf(target);
    if (channel === undefined) return notSent(`There is no channel ${target.channel} here`, opened);
    const caption = typeof input.message === "string" ? input.message.trim() : "";
    const outcome = await send(channel, target, { opened, caption }, context);
    const name = target.account === "default" ? target.channel : `${target.channel} (${target.account})`;
    return deliveryAnswer({ channel: name, ...outcome });
  }

  /** The target that was judged; for an input that was judged by nobody, the session's. */
  #targetOf(input: ToolInput): ChannelTarget | undefined {
    const judged = this.#judged.get(input);
    return judged === undefined ? this.#target() : judged.target;
  }

  #channelOf(target: ChannelTarget | undefined): Channel | undefined {
    return target === undefined ? undefined : this.#channels.get(target.channel, target.account);
  }
}

interface Parcel {
  readonly opened: readonly OpenedFile[];
  readonly caption: string;
}

/** Hands over what is fit to be sent, and answers for each file that was named. */
async function send(
  channel: Channel,
  { to }: ChannelTarget,
  { opened, caption }: Parcel,
  context: CallContext,
): Promise<{ readonly files: readonly Sent[]; readonly caption: Receipt | undefined }> {
  const receipts = new Map<OpenedFile, Receipt>();
  const fit: { readonly of: OpenedFile; readonly file: MediaFile }[] = [];
  const most = channel.limits.files ?? Number.POSITIVE_INFINITY;
  for (const each of opened) {
    const why = "why" in each ? each.why : refusalOf(each.file, channel.limits);
    if (why !== undefined) receipts.set(each, failed(why));
    else if (fit.length >= most) receipts.set(each, failed(`the channel takes ${counted(most)} at a time`));
    else if ("file" in each) fit.push({ of: each, file: each.file });
  }
  let said: MediaReceipts = { files: [] };
  if (fit.length > 0) {
    context.progress(`Sending ${counted(fit.length)} to ${channel.name}`);
    const files = fit.map(({ file }) => file);
    said = await channel.sendMedia(to, files, { caption, signal: context.signal });
  }
  for (const [at, { of }] of fit.entries()) {
    receipts.set(of, said.files[at] ?? { state: "unknown", why: "the channel said nothing of it" });
  }
  const files = opened.map((each) => ({
    path: each.given,
    receipt: receipts.get(each) ?? failed("not handed over"),
  }));
  const words = fit.length === 0 && caption !== "" ? failed("none of the files could be sent") : said.caption;
  return { files, caption: words };
}

/** Nothing went anywhere, and nothing is said to have. */
function notSent(why: string, opened: readonly OpenedFile[]): ToolChunk {
  const faults = opened.flatMap((each) => ("why" in each ? [`- ${each.given}: ${each.why}`] : []));
  const missing = opened.flatMap((each) => ("why" in each && each.isMissing ? [each.given] : []));
  const found = opened.length - faults.length;
  const text = [
    `${why}: nothing was sent. ${counted(found)} of ${opened.length} could have been.`,
    ...faults,
    "Tell the person where the files are instead.",
  ].join("\n");
  return toolChunk({ text, state: "error", metadata: { sent: 0, missing } });
}

function fileInputs({ file_paths: paths }: ToolInput): readonly ToolInput[] {
  return Array.isArray(paths) ? [...new Set(paths)].map((path) => ({ file_path: path })) : [];
}
