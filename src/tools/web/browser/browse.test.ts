import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { has } from "../../../../test/require.ts";
import { type WebSite, webSite } from "../../../../test/web-site.ts";
import { Toolkit } from "../../../toolkit/toolkit.ts";
import { WebFetch } from "../../web-fetch.ts";
import { readAccess, type WebAccess } from "../access.ts";
import { Guard } from "../guard.ts";
import { readTarget } from "../target.ts";
import { type Browsed, type BrowseOptions, browse, type OpenPage } from "./browse.ts";

let secret: WebSite;
let site: WebSite;
beforeAll(async () => {
  secret = await webSite({ "/": "the secret", "/pixel": "x" });
  const inside = (host = "127.0.0.1"): string => secret.url("/pixel", host);
  site = await webSite({
    "/": "<title>Home</title><p>Hello from the page</p>",
    "/shell": `<html><body><div id="root"></div><script>
      setTimeout(() => { document.getElementById("root").innerHTML = "<p>" + "Words that a script made. ".repeat(20) + "</p>"; }, 50);
    </script></body></html>`,
    "/loads": `<html><body><h1>Loads</h1><img src="${inside()}?img"><img src="/bounce?to=${encodeURIComponent(`${inside()}?bounced`)}">
      <iframe src="${inside()}?frame"></iframe><iframe src="${inside("secret.example")}?named"></iframe>
      <link rel="prefetch" href="${inside()}?prefetch"><link rel="preconnect" href="${inside()}">
      <script src="${inside("localhost")}?script"></script><object data="${inside("[::1]")}?object"></object>
      <video src="${inside()}?video"></video><img src="/own">
      <script>
        fetch("${inside()}?fetch", { mode: "no-cors" }).catch(() => {});
        navigator.sendBeacon("${inside()}?beacon", "x");
        try { new WebSocket("ws://127.0.0.1:${secret.port}/?socket"); } catch {}
        try { new EventSource("${inside()}?events"); } catch {}
        open("${inside()}?popup");
        new Worker(URL.createObjectURL(new Blob(["fetch('${inside()}?worker', { mode: 'no-cors' })"])));
        const peer = new RTCPeerConnection({ iceServers: [{ urls: "turn:127.0.0.1:${secret.port}?transport=tcp", username: "u", credential: "c" }] });
        peer.createDataChannel("x"); peer.createOffer().then((offer) => peer.setLocalDescription(offer));
      </script></body></html>`,
    "/bounce": (request, response) => {
      const to = new URL(request.url ?? "", "http://x").searchParams.get("to") ?? "";
      response.writeHead(302, { location: to }).end();
    },
    "/leaves": `<html><body><p>Here first</p><script>location.href = "${inside("other.example")}?left";</script></body></html>`,
    "/refresh": `<html><head><meta http-equiv="refresh" content="0;url=${inside("other.example")}"></head><body>Here first</body></html>`,
    "/frames": `<iframe src="file:///etc/passwd"></iframe><iframe src="data:text/html,hi"></iframe><p>framed</p>`,
  });
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await secret[Symbol.asyncDispose]();
});

/** Every name leads to this machine; two of them are opened, and so is a network at any port, so that others are looked up. */
function access(): WebAccess {
  const allow = [`site.example:${site.port}`, `other.example:${secret.port}`, "10.0.0.0/8"];
  return readAccess({ allow, resolve: async () => ["127.0.0.1"] });
}

function visit<T>(
  path: string,
  work: (open: OpenPage) => Promise<T>,
  more: Partial<BrowseOptions> = {},
): Promise<Browsed<T>> {
  const target = readTarget(site.url(path, "site.example"));
  const own = access();
  const options: BrowseOptions = {
    guard: new Guard(own),
    access: own,
    viewport: { width: 800, height: 600 },
    timeoutMs: 15_000,
    waitMs: 0,
    judged: new Set(["site.example"]),
    say: () => "open",
    signal: new AbortController().signal,
    ...more,
  };
  return browse(target, options, work);
}

const text = async ({ page }: OpenPage): Promise<string> => (await page.textContent("body")) ?? "";

describe.skipIf(!has("chromium"))("a page in the browser", { timeout: 60_000 }, () => {
  it("is opened by way of the guard", async () => {
    expect(await visit("/", text)).toEqual({ kind: "page", value: "Hello from the page" });
  });

  it("reaches nothing of this machine by what it loads, however it tries", async () => {
    const before = secret.asked.length;
    const notes = await visit("/loads", async (open) => open.notes, { waitMs: 500 });
    expect(site.asked).toContain("GET /own");
    expect(site.asked.some((asked) => asked.startsWith("GET /bounce"))).toBe(true);
    expect(secret.asked.slice(before)).toEqual([]);
    expect(JSON.stringify(notes)).toContain("kept from reaching");
  });

  it("reaches nothing that a rule speaks against", async () => {
    const say = (host: string) => (host === "site.example" ? ("refused" as const) : ("open" as const));
    const before = site.asked.length;
    await expect(visit("/", text, { judged: new Set(), say })).resolves.toMatchObject({ kind: "elsewhere" });
    expect(site.asked.length).toBe(before);
  });

  it.each([
    ["/leaves", "Here first"],
    ["/refresh", "Here first"],
  ])("isn't left for another host by %s", async (path, expected) => {
    const before = secret.asked.length;
    const seen = await visit(path, async (open) => [await text(open), ...open.notes].join("\n"), {
      waitMs: 300,
    });
    expect(seen).toMatchObject({ kind: "page", value: expect.stringContaining(expected) });
    expect(JSON.stringify(seen)).toContain("another host than was asked for");
    expect(secret.asked.length).toBe(before);
  });

  it("that redirects to another host is reported", async () => {
    const path = `/bounce?to=${encodeURIComponent(secret.url("/", "other.example"))}`;
    const before = secret.asked.length;
    expect(await visit(path, text)).toMatchObject({
      kind: "elsewhere",
      url: secret.url("/", "other.example"),
    });
    expect(secret.asked.length).toBe(before);
  });

  it("can't be sent to what the guard refuses, even where a rule allows it", async () => {
    const path = `/bounce?to=${encodeURIComponent("http://169.254.169.254/latest/")}`;
    const allowed = { say: () => "allowed" as const };
    expect(await visit(path, text, allowed)).toMatchObject({ why: expect.stringContaining("metadata") });
    const named = `/bounce?to=${encodeURIComponent(secret.url("/", "secret.example"))}`;
    await expect(visit(named, text, allowed)).rejects.toThrow("isn't reached from here");
  });

  it("shows no files", async () => {
    const shown = await visit("/frames", async ({ page }) => page.frames().map((frame) => frame.url()));
    expect(JSON.stringify(shown)).not.toContain("file:");
  });

  it("is closed when the call is cancelled", async () => {
    const controller = new AbortController();
    const work = visit("/", ({ page }) => page.waitForTimeout(60_000), { signal: controller.signal });
    setTimeout(() => controller.abort(new Error("enough")), 1500);
    await expect(work).rejects.toThrow("enough");
  });

  it("gives web_fetch what scripts make of an empty page", async () => {
    const allow = [`site.example:${site.port}`];
    const tool = new WebFetch({ allow, resolve: async () => ["127.0.0.1"] });
    await using toolkit = new Toolkit({ tools: [tool], mode: "bypass", cwd: "/" });
    const url = site.url("/shell", "site.example");
    const rendered = await toolkit.execute("web_fetch", { url });
    expect(rendered.text).toContain("Words that a script made.");
    expect(rendered.text).toContain("opened in a browser");
  });
});

it("a page that only scripts fill is said to be one where no browser may be used", async () => {
  const tool = new WebFetch({
    allow: [`site.example:${site.port}`],
    resolve: async () => ["127.0.0.1"],
    render: false,
  });
  await using toolkit = new Toolkit({ tools: [tool], mode: "bypass", cwd: "/" });
  const { text: said } = await toolkit.execute("web_fetch", { url: site.url("/shell", "site.example") });
  expect(said).toContain("only by scripts, which weren't run");
});
