import { ToolgateError } from "../../errors.ts";
import { view } from "../../lib/encoding.ts";
import { kindByContent } from "../../lib/file-kind.ts";
import type { ChannelLimits } from "../channel.ts";
import { MEDIA_KINDS, type MediaFile } from "../media-file.ts";
import { isOfFormat } from "./content.ts";
import { endingOf, MEDIA_FORMATS, type MediaFormat } from "./formats.ts";
import { plainName } from "./plain-name.ts";

/** The most bytes of one file, whatever the service. Exactly so many pass. */
export const MAX_MEDIA_BYTES: number = 20 * 1024 * 1024;

/** Every kind of file, as large as toolgate sends them: for services that take as much. */
export const ANY_MEDIA: ChannelLimits["media"] = Object.fromEntries(
  MEDIA_KINDS.map((kind) => [kind, { maxBytes: MAX_MEDIA_BYTES }]),
);

/**
 * Checks a file by name, size and content, and gives what may be sent: a copy is not made, so the bytes must not be changed.
 * @throws ToolgateError `unsupported` for a format that can't be sent, `too_large`, `invalid_input` for what isn't what its name says
 */
export async function checkMedia(name: string, bytes: Uint8Array): Promise<MediaFile> {
  const shown = plainName(name);
  const { format, known } = formatOf(shown);
  if (bytes.length > MAX_MEDIA_BYTES) throw tooLarge(shown, bytes.length);
  if (bytes.length === 0) throw new ToolgateError("invalid_input", `${shown} is empty.`);
  if ((await isOfFormat(view(bytes), format)) !== true) {
    const is = kindByContent(bytes)?.what;
    const instead = is === undefined ? "" : ` Its content is that of another: ${is}.`;
    throw new ToolgateError("invalid_input", `${shown} isn't ${known.what}, as its name says.${instead}`, {
      hint: isTextFormat(known) ? "Texts are sent as UTF-8." : "Send it under the ending of what it is.",
    });
  }
  return { name: shown, format, kind: known.kind, mediaType: known.mediaType, bytes };
}

/** The format that a name promises. @throws ToolgateError `unsupported` */
export function formatOf(name: string): { readonly format: string; readonly known: MediaFormat } {
  const format = endingOf(name);
  const known = MEDIA_FORMATS.get(format);
  if (known !== undefined) return { format, known };
  throw new ToolgateError("unsupported", `${name} is of a format that can't be sent.`, {
    hint: `These can: ${[...MEDIA_FORMATS.keys()].join(", ")}.`,
  });
}

/** The refusal of a file that is too large. */
export function tooLarge(name: string, size: number): ToolgateError {
  return new ToolgateError(
    "too_large",
    `${name} has ${size} bytes; ${MAX_MEDIA_BYTES} (20 MiB) are the most.`,
  );
}

function isTextFormat({ kind, mediaType }: MediaFormat): boolean {
  return kind === "data" || mediaType === "text/plain";
}
