/** What services treat differently. */
export const MEDIA_KINDS = ["image", "video", "audio", "document", "archive", "data"] as const;

/** One of the kinds above. */
export type MediaKind = (typeof MEDIA_KINDS)[number];

/** A file that was checked, with its bytes: what was checked is what is sent. */
export interface MediaFile {
  /** A plain name, without directories and control characters, whose ending is true of the content. */
  readonly name: string;
  /** `png`, `docx`: the name's ending in small letters. */
  readonly format: string;
  readonly kind: MediaKind;
  /** `image/png` */
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}
