import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { has } from "../../../test/require.ts";
import { testFolder } from "../../../test/test-folder.ts";
import { type WebSite, webSite } from "../../../test/web-site.ts";
import { isToolgateError } from "../../errors.ts";
import { readAccess, type WebAccessOptions } from "./access.ts";
import { PageCache } from "./cache.ts";
import { follow } from "./follow.ts";
import { type Answer, makeGet } from "./get.ts";
import { Guard } from "./guard.ts";
import { readTarget } from "./target.ts";

const TEXT = "The same words again and again. ".repeat(100);
const { signal } = new AbortController();

let site: WebSite;
beforeAll(async () => {
  const packed =
    (coding: string, bytes: Uint8Array) =>
    (_request: unknown, response: import("node:http").ServerResponse) =>
      void response.writeHead(200, { "content-encoding": coding, "content-type": "text/plain" }).end(bytes);
  site = await webSite({
    "/gzip": packed("gzip", gzipSync(TEXT)),
    "/br": packed("br", brotliCompressSync(TEXT)),
    "/deflate": packed("deflate", deflateSync(TEXT)),
    "/twice": packed("gzip, br", brotliCompressSync(gzipSync(TEXT))),
    "/thrice": packed("gzip, gzip, gzip", gzipSync(gzipSync(gzipSync(TEXT)))),
    "/unknown": packed("compress", Buffer.from(TEXT)),
    "/lie": packed("gzip", Buffer.from(TEXT)),
    "/short": packed("gzip", gzipSync(TEXT).subarray(0, 60)),
    "/bomb": packed("gzip", gzipSync(Buffer.alloc(200 << 20))),
    "/bomb-in-bomb": packed("gzip, gzip", gzipSync(gzipSync(Buffer.alloc(200 << 20)))),
    "/endless": (_request, response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      const more = (): boolean => response.write(Buffer.alloc(65_536, 120));
      response.on("drain", more);
      while (more());
    },
    "/cut-off": (_request, response) => {
      response.writeHead(200, { "content-length": "100" }).write("half");
      setTimeout(() => response.destroy(), 20);
    },
    "/tagged": (request, response) => {
      if (request.headers["if-none-match"] === '"v1"')
        return void response.writeHead(304, { etag: '"v1"' }).end();
      response.writeHead(200, { etag: '"v1"', "content-type": "text/plain" }).end("tagged");
    },
    "/fresh": (_request, response) =>
      void response.writeHead(200, { "cache-control": "max-age=60" }).end("fresh"),
    "/stored-by-nobody": (_request, response) =>
      void response.writeHead(200, { "cache-control": "no-store, max-age=60" }).end("secret"),
  });
});
afterAll(() => site[Symbol.asyncDispose]());

function getter(options: WebAccessOptions = {}): ReturnType<typeof makeGet> {
  const access = readAccess({ allow: [`127.0.0.1:${site.port}`], ...options });
  return makeGet(new Guard(access), access, "test");
}

const get = (path: string, maxBytes = 1 << 20): Promise<Answer> =>
  getter()(readTarget(site.url(path)), { maxBytes, signal });

async function failureOf(work: Promise<unknown>): Promise<string> {
  const error = await work.catch((thrown: unknown) => thrown);
  return isToolgateError(error) ? `${error.code}: ${error.message}` : String(error);
}

describe("a body that comes packed", () => {
  it.each(["gzip", "br", "deflate", "twice"])("%s is unpacked", async (coding) => {
    expect(Buffer.from((await get(`/${coding}`)).bytes).toString()).toBe(TEXT);
  });

  it("is used as far as it came where it ends too early", async () => {
    const { bytes } = await get("/short");
    expect(TEXT.startsWith(Buffer.from(bytes).toString())).toBe(true);
    expect(bytes.length).toBeGreaterThan(0);
  });

  it.each([
    ["/thrice", /unsupported/],
    ["/unknown", /unsupported.*compress/],
    ["/lie", /connection_failed.*no valid gzip/],
  ])("%s is refused", async (path, why) => {
    expect(await failureOf(get(path))).toMatch(why);
  });

  it.each(["/bomb", "/bomb-in-bomb", "/endless"])(
    "%s is cut at the limit, in little memory",
    async (path) => {
      const before = process.memoryUsage().arrayBuffers;
      const { bytes, isCut } = await get(path, 100_000);
      expect({ length: bytes.length, isCut }).toEqual({ length: 100_000, isCut: true });
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20 << 20);
    },
  );

  it("that breaks off is a failure", async () => {
    expect(await failureOf(get("/cut-off"))).toMatch(/^connection_failed/);
  });
});

describe("a site that can't be reached", () => {
  it("is told by its reason", async () => {
    const closed = await webSite({});
    const { port } = closed;
    await closed[Symbol.asyncDispose]();
    const refused = getter({ allow: [`127.0.0.1:${port}`] })(readTarget(`http://127.0.0.1:${port}/`), {
      maxBytes: 10,
      signal,
    });
    expect(await failureOf(refused)).toMatch(/nothing listens at that port \(ECONNREFUSED\)/);
  });

  it("that talks something else than HTTP is told so", async () => {
    const { createServer: createPlain } = await import("node:net");
    const server = createPlain((socket) =>
      socket.on("error", () => undefined).end("220 mail.example ESMTP\r\n"),
    );
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    const asked = getter({ allow: [`127.0.0.1:${port}`] })(readTarget(`http://127.0.0.1:${port}/`), {
      maxBytes: 10,
      signal,
    });
    expect(await failureOf(asked)).toMatch(/doesn't talk HTTP properly/);
    server.close();
  });
});

describe("pages in memory", () => {
  const options = () => {
    const cache = new PageCache(1 << 20);
    const get = getter();
    return { get, cache, maxBytes: 1000, signal, judged: new Set(["127.0.0.1"]), say: () => "open" as const };
  };
  const asks = (path: string): number => site.asked.filter((asked) => asked === `GET ${path}`).length;

  it.each([
    ["/tagged", 2, true],
    ["/fresh", 1, true],
    ["/stored-by-nobody", 2, false],
  ])("%s is asked for %i times in two", async (path, times, fromCache) => {
    const how = options();
    const before = asks(path);
    const first = await follow(readTarget(site.url(path)), { ...how, toReadOn: false });
    const second = await follow(readTarget(site.url(path)), { ...how, toReadOn: false });
    expect(asks(path) - before).toBe(times);
    expect(second).toMatchObject({ kind: "page", fromCache, answer: { status: 200 } });
    expect(first).toMatchObject({ kind: "page", fromCache: false });
  });

  it("a page that is read on is the one that was begun", async () => {
    const how = options();
    const before = asks("/tagged");
    await follow(readTarget(site.url("/tagged")), { ...how, toReadOn: false });
    await follow(readTarget(site.url("/tagged")), { ...how, toReadOn: true });
    expect(asks("/tagged") - before).toBe(1);
  });

  it("are let go of when there are too many, the longest unused first", () => {
    let now = 0;
    const cache = new PageCache(1000, () => now);
    const answer = (size: number): Answer => ({
      status: 200,
      headers: new Map([["cache-control", "max-age=10"]]),
      bytes: new Uint8Array(size),
      isCut: false,
    });
    for (const name of ["a", "b", "c", "d"]) cache.put(name, answer(240));
    cache.find("a", false);
    cache.put("e", answer(240));
    expect(["a", "b", "c", "d", "e"].filter((name) => cache.find(name, false) !== undefined)).toEqual([
      "a",
      "c",
      "d",
      "e",
    ]);
    cache.put("large", answer(600));
    expect(cache.find("large", false)).toBeUndefined();
    now = 11_000;
    expect(cache.find("a", false)?.isFresh).toBe(false);
    expect(cache.find("a", true)?.isFresh).toBe(true);
  });
});

describe("a proxy", () => {
  it("is told addresses that were checked, and no names", async () => {
    const told: string[] = [];
    const proxy = createServer();
    proxy.on("connect", (request, client, head) => {
      told.push(`${request.url} ${request.headers["proxy-authorization"]}`);
      const to = connect(Number(request.url?.split(":")[1]), "127.0.0.1", () => {
        client.write("HTTP/1.1 200 OK\r\n\r\n");
        to.write(head);
        to.pipe(client).pipe(to);
      });
      to.on("error", () => client.destroy());
      client.on("error", () => to.destroy());
    });
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
    const address = proxy.address();
    const port = typeof address === "object" ? address?.port : 0;
    const names: Readonly<Record<string, string>> = {
      "site.example": "127.0.0.1",
      "meta.example": "169.254.169.254",
    };
    const through = getter({
      allow: [`127.0.0.1:${site.port}`],
      proxy: `http://user:pass@127.0.0.1:${port}`,
      resolve: async (host) => [names[host] ?? ""],
    });
    const { bytes } = await through(readTarget(site.url("/fresh", "site.example")), {
      maxBytes: 100,
      signal,
    });
    expect(Buffer.from(bytes).toString()).toBe("fresh");
    expect(told).toEqual([`127.0.0.1:${site.port} Basic dXNlcjpwYXNz`]);
    const hidden = through(readTarget("http://meta.example/"), { maxBytes: 100, signal });
    expect(await failureOf(hidden)).toMatch(/^blocked_host.*metadata/);
    expect(told).toHaveLength(1);
    proxy.closeAllConnections();
    proxy.close();
  });
});

describe.skipIf(!has("openssl"))("certificates", () => {
  let folder: Awaited<ReturnType<typeof testFolder>>;
  let secure: WebSite;
  let cert = "";
  beforeAll(async () => {
    folder = await testFolder();
    const [keyFile, certFile] = [join(folder.folder, "key.pem"), join(folder.folder, "cert.pem")];
    const made = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=test";
    const names = ["-addext", "subjectAltName=DNS:site.example", "-keyout", keyFile, "-out", certFile];
    execFileSync("openssl", [...made.split(" "), ...names], { stdio: "ignore", timeout: 20_000 });
    const key = await readFile(keyFile, "utf8");
    cert = await readFile(certFile, "utf8");
    secure = await webSite({ "/": "safe" }, { secure: { key, cert } });
  });
  afterAll(async () => {
    await secure[Symbol.asyncDispose]();
    await folder.remove();
  });

  const visit = (host: string, ca?: string): Promise<Answer> => {
    const options = { allow: [`127.0.0.1:${secure.port}`], resolve: async () => ["127.0.0.1"] };
    const asked = getter(ca === undefined ? options : { ...options, ca });
    return asked(readTarget(secure.url("/", host)), { maxBytes: 100, signal });
  };

  it("of nobody known are refused", async () => {
    expect(await failureOf(visit("site.example"))).toMatch(/^connection_failed.*certificate isn't valid/);
  });

  it("of a given authority are taken for the name they are for, and no other", async () => {
    expect((await visit("site.example", cert)).status).toBe(200);
    expect(await failureOf(visit("other.example", cert))).toMatch(/certificate isn't valid/);
  });
});
