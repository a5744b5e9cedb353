import { readTarget } from "../target.ts";
import { type BrowseOptions, browse } from "./browse.ts";

/** How a page is opened to be read. */
type RenderOptions = Omit<BrowseOptions, "viewport" | "waitMs">;

/** A page's HTML after its scripts have run, or where they wanted to go. */
export async function renderPage(
  url: URL,
  options: RenderOptions,
): Promise<string | { readonly url: string; readonly why: string }> {
  const target = readTarget(url.href);
  // A redirection that was followed has been judged.
  const judged = new Set([...options.judged, target.host]);
  const how = { ...options, judged, viewport: { width: 1280, height: 1600 }, waitMs: 0 };
  const browsed = await browse(target, how, ({ page }) => page.content());
  return browsed.kind === "page" ? browsed.value : { url: browsed.url, why: browsed.why };
}
