import { createServer } from "node:http";
import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";
import { request } from "undici";
import { Toolkit } from "../src/toolkit/toolkit.ts";
import { WebFetch } from "../src/tools/web-fetch.ts";
import { type Contender, measure } from "./measure.ts";
import { atMost, type Row } from "./table.ts";

const PARAGRAPH =
  "<p>Some words, with commas, and <a href='/more'>more words</a> that make a paragraph, long enough to count as text.</p>";
const ARTICLE = `<!doctype html><html><head><title>T</title></head><body><nav>Menu</nav><article>${PARAGRAPH.repeat(800)}</article></body></html>`;
const JSON_TEXT = JSON.stringify(
  Array.from({ length: 2000 }, (_, at) => ({ at, name: `row ${at}`, tags: ["a", "b"] })),
);

/** web_fetch through gate and guard against undici alone, and against undici with linkedom and Readability. */
export async function rows(): Promise<Row[]> {
  const server = createServer((asked, answer) => {
    const isPage = asked.url === "/article";
    answer.writeHead(200, {
      "content-type": isPage ? "text/html" : "application/json",
      "cache-control": "no-store",
    });
    answer.end(isPage ? ARTICLE : JSON_TEXT);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  const site = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  await using toolkit = new Toolkit({ tools: [new WebFetch({ allow: ["127.0.0.1"] })], mode: "bypass" });
  const ours = (path: string): Contender => ({
    name: `web_fetch ${path}`,
    run: async (times) => {
      for (let time = 0; time < times; time++) {
        const response = await toolkit.execute("web_fetch", { url: site + path });
        if (response.state !== "success") throw new Error(response.text);
      }
    },
  });
  const bare = (path: string, use: (text: string) => void): Contender => ({
    name: `bare ${path}`,
    run: async (times) => {
      for (let time = 0; time < times; time++) use(await (await request(site + path)).body.text());
    },
  });
  try {
    const [json, bareJson] = await measure([ours("/data"), bare("/data", JSON.parse)], { times: 20 });
    const extract = (text: string): void => void new Readability(parseHTML(text).document).parse();
    const [page, barePage] = await measure([ours("/article"), bare("/article", extract)], { times: 5 });
    const nan = Number.NaN;
    return [
      atMost("web_fetch of 130 kB JSON", json?.us ?? nan, bareJson?.us ?? nan, "bare undici"),
      atMost(
        "web_fetch of a 95 kB article",
        page?.us ?? nan,
        barePage?.us ?? nan,
        "undici, linkedom, Readability",
        2,
      ),
    ];
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
