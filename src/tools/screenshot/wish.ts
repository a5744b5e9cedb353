import { ToolgateError } from "../../errors.ts";
import type { Rectangle } from "../../lib/pixels.ts";
import type { ToolInput } from "../../tool.ts";

/** What a picture is wanted of. */
export type Wish =
  | { readonly kind: "desktop"; readonly region: Rectangle | undefined; readonly monitor: number }
  | ({ readonly kind: "web"; readonly url: string; readonly region: Rectangle | undefined } & PageWish);

/** How a page is shown. */
export interface PageWish {
  readonly width: number;
  readonly height: number;
  readonly fullPage: boolean;
  readonly waitMs: number;
  readonly timeoutMs: number;
}

/** Names of the two kinds, ours and others'. */
const KINDS: ReadonlyMap<unknown, Wish["kind"]> = new Map([
  ["desktop", "desktop"],
  ["web", "web"],
  ["webpage", "web"],
]);

/** The kind of picture; `undefined` where nothing says it. */
export function kindOf({ type, mode, url }: ToolInput): Wish["kind"] | undefined {
  return (
    KINDS.get(type ?? mode) ??
    (typeof url === "string" && type === undefined && mode === undefined ? "web" : undefined)
  );
}

/** Whether {@link readWish} can read it. */
export function isWish(input: ToolInput): boolean {
  try {
    readWish(input);
    return true;
  } catch {
    return false;
  }
}

/** @throws ToolgateError `invalid_input` */
export function readWish(input: ToolInput): Wish {
  const region = readRegion(input.region);
  switch (kindOf(input)) {
    case "desktop":
      return { kind: "desktop", region, monitor: numberOf(input.monitor, 0) };
    case "web": {
      if (typeof input.url !== "string") throw invalid("A picture of a web page takes its url.");
      return {
        kind: "web",
        url: input.url,
        region,
        width: numberOf(input.viewport_width, 1280),
        height: numberOf(input.viewport_height, 720),
        fullPage: input.full_page === true,
        waitMs: numberOf(input.wait_time, 1000),
        timeoutMs: numberOf(input.timeout, 30_000),
      };
    }
    default:
      throw invalid('type must be "desktop" or "web".');
  }
}

function readRegion(text: unknown): Rectangle | undefined {
  if (text === undefined || text === "full" || text === "") return undefined;
  const numbers = /^\s*(\d{1,6})\s*,\s*(\d{1,6})\s*,\s*(\d{1,6})\s*,\s*(\d{1,6})\s*$/.exec(String(text));
  const [x = 0, y = 0, width = 0, height = 0] = numbers?.slice(1).map(Number) ?? [];
  if (width > 0 && height > 0) return { x, y, width, height };
  throw invalid(`region is ${JSON.stringify(text)}; expected "full" or "x,y,width,height" in pixels.`);
}

function numberOf(value: unknown, fallback: number): number {
  return typeof value === "number" ? value : fallback;
}

function invalid(message: string): ToolgateError {
  return new ToolgateError("invalid_input", message);
}
