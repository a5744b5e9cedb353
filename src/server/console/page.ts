import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Context, Hono } from "hono";

/** Scripts, styles and pictures of this server only; nothing in a frame, nothing sent elsewhere. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const FILES: ReadonlyMap<string, string> = new Map([
  ["index.html", "text/html; charset=utf-8"],
  ["console.css", "text/css; charset=utf-8"],
  ["console.js", "text/javascript; charset=utf-8"],
  ["icon.svg", "image/svg+xml"],
]);

/** The page at `/console` and what it loads. It holds no secret, so it needs no token; what it shows does. */
export function consolePage(): Hono {
  const routes = new Hono();
  const folder = pageFolder();
  const serve = async (context: Context, name: string): Promise<Response> => {
    const type = FILES.get(name);
    if (type === undefined || folder === undefined) return context.notFound();
    context.header("Content-Security-Policy", POLICY);
    context.header("Content-Type", type);
    context.header("Cache-Control", "no-cache");
    return context.body(await readFile(join(folder, name), "utf8"));
  };
  routes.get("/console", (context) => serve(context, "index.html"));
  routes.get("/console/:name", (context) => serve(context, context.req.param("name")));
  return routes;
}

/** Where the page lies: beside the sources, or beside the bundle. */
function pageFolder(): string | undefined {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (let depth = 0; depth < 4; depth += 1) {
    const page = join(folder, "console");
    if (existsSync(join(page, "index.html"))) return page;
    folder = dirname(folder);
  }
  return undefined;
}
