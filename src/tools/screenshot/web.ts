import { ToolgateError } from "../../errors.ts";
import { type Rectangle, within } from "../../lib/pixels.ts";
import { type Browsed, type BrowseOptions, browse, type OpenPage } from "../web/browser/browse.ts";
import type { Target } from "../web/target.ts";
import type { PageWish } from "./wish.ts";

/** A picture of a page. */
export interface PagePicture {
  readonly bytes: Uint8Array;
  readonly status: number;
  /** In the page's own words. */
  readonly title: string;
  readonly notes: readonly string[];
}

/** Chromium draws nothing that is longer. */
const MAX_SIDE = 16_384;

/** Opens a page and takes a picture of what is seen, of all of it, or of a part. */
export function pictureOfPage(
  target: Target,
  wish: PageWish & { readonly region: Rectangle | undefined },
  options: Omit<BrowseOptions, "viewport" | "waitMs" | "timeoutMs">,
): Promise<Browsed<PagePicture>> {
  const { width, height, waitMs, timeoutMs } = wish;
  const how = { ...options, viewport: { width, height }, waitMs, timeoutMs };
  return browse(target, how, async (open) => {
    const { page, session, status, notes } = open;
    const { clip, note } = await clipOf(open, wish);
    const taken = await session.send("Page.captureScreenshot", {
      format: "png",
      clip: { ...clip, scale: 1 },
      captureBeyondViewport: true,
    });
    const title = (await page.title()).slice(0, 500);
    return { bytes: Buffer.from(taken.data, "base64"), status, title, notes: [...notes, ...note] };
  });
}

/** Which part of the page, in its own pixels. @throws ToolgateError `invalid_input` */
async function clipOf(
  { session }: OpenPage,
  { width, height, fullPage, region }: PageWish & { readonly region: Rectangle | undefined },
): Promise<{ readonly clip: Rectangle; readonly note: readonly string[] }> {
  const { cssContentSize: whole } = await session.send("Page.getLayoutMetrics");
  const page = {
    width: Math.max(width, Math.ceil(whole.width)),
    height: Math.max(height, Math.ceil(whole.height)),
  };
  if (region !== undefined) {
    const clip = within(region, page);
    if (clip !== undefined) return { clip, note: [] };
    throw new ToolgateError(
      "invalid_input",
      `region lies outside the page, which is ${page.width}×${page.height}.`,
    );
  }
  if (!fullPage) return { clip: { x: 0, y: 0, width, height }, note: [] };
  const clip = { x: 0, y: 0, width: Math.min(page.width, MAX_SIDE), height: Math.min(page.height, MAX_SIDE) };
  const isCut = clip.width < page.width || clip.height < page.height;
  return {
    clip,
    note: isCut ? [`The page is ${page.width}×${page.height}; the picture ends at ${MAX_SIDE}.`] : [],
  };
}
