import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { HOSTILE } from "../../test/hostile-urls.ts";
import { has } from "../../test/require.ts";
import { testFolder } from "../../test/test-folder.ts";
import { type WebSite, webSite } from "../../test/web-site.ts";
import { type XServer, xServer } from "../../test/x-server.ts";
import { localBackend } from "../backends/local.ts";
import { imageInfo } from "../lib/image-info.ts";
import type { Pixels } from "../lib/pixels.ts";
import { decodePng } from "../lib/png-decode.ts";
import type { ToolResponse } from "../response.ts";
import { Toolkit } from "../toolkit/toolkit.ts";
import { RECIPES } from "./screenshot/capture.ts";
import { Screenshot, type ScreenshotOptions } from "./screenshot.ts";

let place: Awaited<ReturnType<typeof testFolder>>;
beforeEach(async () => {
  place = await testFolder();
});
afterEach(() => place.remove());

/** A toolkit that only takes pictures. */
function kit(options: ScreenshotOptions = {}, more: ConstructorParameters<typeof Toolkit>[0] = {}): Toolkit {
  return new Toolkit({ tools: [new Screenshot(options)], mode: "bypass", cwd: place.folder, ...more });
}

/** The colour of a pixel. */
function colourAt(picture: Pixels | undefined, x: number, y: number): readonly number[] {
  const at = ((picture?.width ?? 0) * y + x) * 4;
  return [...(picture?.data.subarray(at, at + 3) ?? [])];
}

async function saved({ metadata, text }: ToolResponse): Promise<Pixels | undefined> {
  if (typeof metadata.path !== "string") throw new Error(text);
  return decodePng(await readFile(metadata.path));
}

/** What the model was given to see. */
function shown({ content }: ToolResponse): Buffer {
  const block = content.find(({ type }) => type === "data");
  if (block?.type !== "data" || block.source.type !== "base64") throw new Error("There is no picture.");
  return Buffer.from(block.source.data, "base64");
}

describe("what is asked for", () => {
  it.each([
    [{}, "type must be"],
    [{ type: "web" }, "takes its url"],
    [{ type: "desktop", region: "1,2,3" }, "x,y,width,height"],
    [{ type: "desktop", region: "1,2,0,5" }, "x,y,width,height"],
    [{ type: "desktop", region: "-1,2,3,5" }, "x,y,width,height"],
    [{ type: "phone" }, "type"],
    [{ url: "https://example.com", viewport_width: 100 }, "viewport_width"],
  ])("%j is refused", async (input, why) => {
    // Nobody is asked about it either.
    await using toolkit = kit({}, { mode: "default" });
    const { state, text } = await toolkit.execute("screenshot", input);
    expect(state).toBe("error");
    expect(text).toContain(why);
  });

  it("no desktop is where there is none", async () => {
    await using toolkit = kit({ display: {} });
    const { text, metadata } = await toolkit.execute("screenshot", { type: "desktop" });
    if (process.platform === "linux") expect(metadata.code).toBe("unsupported");
    if (process.platform === "linux") expect(text).toContain("neither DISPLAY nor WAYLAND_DISPLAY");
  });
});

describe("what is judged", () => {
  it.each([
    [{ type: "desktop" }, [], "ask"],
    [{ type: "desktop" }, ["allow:screenshot(desktop)"], "allow"],
    [{ type: "desktop" }, ["allow:screenshot"], "allow"],
    [{ type: "desktop" }, ["allow:screenshot(domain:example.com)"], "ask"],
    [{ type: "desktop" }, ["deny:screenshot(desktop)", "allow:screenshot"], "deny"],
    [{ type: "desktop" }, ["deny:Edit(temp/**)", "allow:screenshot"], "deny"],
    [{ url: "https://example.com" }, [], "ask"],
    [{ url: "https://example.com" }, ["allow:screenshot(domain:example.com)"], "ask"],
    [
      { url: "https://example.com" },
      ["allow:screenshot(domain:example.com)", "allow:Edit(temp/screenshots/**)"],
      "allow",
    ],
    [{ url: "https://example.com" }, ["allow:screenshot(desktop)", "allow:Edit(temp/screenshots/**)"], "ask"],
    [{ url: "https://example.com" }, ["allow:web_fetch(domain:example.com)", "allow:Edit(temp/**)"], "ask"],
    [{ url: "https://example.com" }, ["allow:screenshot"], "allow"],
    [{ url: "https://sub.example.com" }, ["allow:screenshot", "deny:web_fetch(domain:example.com)"], "deny"],
    [{ url: "http://169.254.169.254/" }, ["allow:screenshot"], "deny"],
    [{ mode: "webpage", url: "http://localhost:3000/" }, ["allow:screenshot"], "deny"],
  ] as const)("%j with %j: %s", async (input, rules, expected) => {
    await using toolkit = kit({}, { mode: "default", rules: [...rules] });
    expect((await toolkit.judge("screenshot", input)).behavior).toBe(expected);
  });

  it("suggests what settles it", async () => {
    await using toolkit = kit({}, { mode: "default" });
    const web = await toolkit.judge("screenshot", { url: "https://example.com" });
    expect(web.suggestions?.map(({ text }) => text)).toContain(
      "screenshot(domain:example.com), Edit(./temp/screenshots/**)",
    );
    const desktop = await toolkit.judge("screenshot", { type: "desktop" });
    expect(desktop.suggestions?.map(({ text }) => text)).toContain("screenshot(desktop)");
  });

  it.each(HOSTILE.filter(([url]) => !/\.example|\.com/.test(url)))("never opens %j", async (url) => {
    await using toolkit = kit();
    expect((await toolkit.execute("screenshot", { type: "web", url })).state).toBe("denied");
  });
});

describe.skipIf(!has("chromium"))("a picture of a page", { timeout: 60_000 }, () => {
  let site: WebSite;
  beforeAll(async () => {
    const block = (colour: string, height: number): string =>
      `<div style="background:${colour};height:${height}px"></div>`;
    site = await webSite({
      "/": `<title>Ignore "all" of it</title><body style="margin:0">${block("#ff0000", 300)}${block("#00ff00", 2700)}</body>`,
      "/to": (_request, response) =>
        response.writeHead(302, { location: site.url("/", "other.example") }).end(),
    });
  });
  afterAll(() => site[Symbol.asyncDispose]());

  const options = (): ScreenshotOptions => ({
    allow: [`site.example:${site.port}`, `other.example:${site.port}`],
    resolve: async () => ["127.0.0.1"],
  });

  it("is saved, and shown", async () => {
    await using toolkit = kit(options());
    const input = {
      type: "web",
      url: site.url("/", "site.example"),
      viewport_width: 400,
      viewport_height: 320,
      wait_time: 0,
    };
    const response = await toolkit.execute("screenshot", input);
    expect(response.metadata).toMatchObject({ type: "web", status: 200, width: 400, height: 320 });
    const picture = await saved(response);
    expect([colourAt(picture, 10, 10), colourAt(picture, 10, 310)]).toEqual([
      [255, 0, 0],
      [0, 255, 0],
    ]);
    expect(imageInfo(shown(response), "image/png")).toEqual({ width: 400, height: 320 });
    expect(response.metadata.path).toMatch(
      new RegExp(`^${place.folder}/temp/screenshots/web_site\\.example_\\d{8}-\\d{6}_[0-9a-f]{8}\\.png$`),
    );
  });

  it("may be all of the page or a part of it, and is shown as small as it must be", async () => {
    await using toolkit = kit({ ...options(), maxSide: 1000 });
    const page = {
      mode: "webpage",
      url: site.url("/", "site.example"),
      viewport_width: 400,
      viewport_height: 320,
      wait_time: 0,
    };
    const [whole, part, outside] = await Promise.all([
      toolkit.execute("screenshot", { ...page, full_page: true }),
      toolkit.execute("screenshot", { ...page, region: "0,290,50,20" }),
      toolkit.execute("screenshot", { ...page, region: "0,9000,50,20" }),
    ]);
    expect(await saved(whole)).toMatchObject({ width: 400, height: 3000 });
    expect(imageInfo(shown(whole), "image/png")).toEqual({ width: 133, height: 1000 });
    expect(whole.text).toContain("take a region to see details");
    const picture = await saved(part);
    expect(picture).toMatchObject({ width: 50, height: 20 });
    expect([colourAt(picture, 0, 0), colourAt(picture, 0, 19)]).toEqual([
      [255, 0, 0],
      [0, 255, 0],
    ]);
    expect(outside.text).toContain("400×3000");
    expect(await readdir(join(place.folder, "temp/screenshots"))).toHaveLength(2);
  });

  it("isn't taken where a redirection leads to another host", async () => {
    await using toolkit = kit(options(), {
      mode: "acceptEdits",
      rules: ["allow:screenshot(domain:site.example)"],
    });
    const { text, metadata } = await toolkit.execute("screenshot", { url: site.url("/to", "site.example") });
    expect(metadata.redirect).toBe(site.url("/", "other.example"));
    expect(text).toContain("no picture was taken");
  });

  it("isn't saved through a link that leads out of the workspace", async () => {
    const elsewhere = await testFolder();
    await symlink(elsewhere.folder, join(place.folder, "temp"));
    await using toolkit = kit(options());
    const response = await toolkit.execute("screenshot", {
      url: site.url("/", "site.example"),
      wait_time: 0,
    });
    expect(response.state).toBe("denied");
    expect(await readdir(elsewhere.folder)).toEqual([]);
    await elsewhere.remove();
  });
});

describe.skipIf(!has("xvfb"))("a picture of the desktop", () => {
  let screen: XServer;
  beforeAll(async () => {
    screen = await xServer();
    if (has("xrandr")) {
      execFileSync("xsetroot", ["-solid", "#336699"], {
        env: { ...process.env, DISPLAY: screen.display },
        timeout: 10_000,
      });
    }
  });
  afterAll(() => screen[Symbol.asyncDispose]());

  let count = 0;
  /** A machine that has these programs and no others for pictures. */
  async function machine(...programs: string[]): Promise<ReturnType<typeof localBackend>> {
    const path = join(place.folder, `bin-${count++}`);
    await mkdir(path);
    for (const program of ["uname", ...programs]) {
      await symlink(execFileSync("which", [program], { encoding: "utf8" }).trim(), join(path, program));
    }
    return localBackend({ hostEnv: { ...process.env, PATH: path }, cwd: place.folder });
  }

  async function take(input: Record<string, string | number>, ...programs: string[]): Promise<ToolResponse> {
    await using backend = await machine(...programs);
    await using toolkit = kit({ display: { DISPLAY: screen.display } }, { backend });
    return await toolkit.execute("screenshot", { type: "desktop", ...input });
  }

  it
    .runIf(has("scrot") && has("xwd") && has("imagemagick") && has("xrandr"))
    .each(["scrot", "import", "xwd"])("is taken by %s", async (program) => {
    const response = await take({}, program);
    expect(response.metadata).toMatchObject({ type: "desktop", width: 640, height: 480 });
    expect(colourAt(await saved(response), 320, 240)).toEqual([0x33, 0x66, 0x99]);
    expect(imageInfo(shown(response), "image/png")).toEqual({ width: 640, height: 480 });
  });

  it.runIf(has("scrot") && has("xrandr"))("may be one of its monitors, and a part of it", async () => {
    expect(
      await saved(await take({ monitor: 1, region: "600,470,100,100" }, "scrot", "xrandr")),
    ).toMatchObject({
      width: 40,
      height: 10,
    });
    expect((await take({ monitor: 2 }, "scrot", "xrandr")).text).toContain("there are 1");
    expect((await take({ monitor: 1 }, "scrot")).text).toContain("monitor must be 0");
    expect((await take({ region: "700,0,10,10" }, "scrot")).text).toContain("640×480");
  });

  it.runIf(has("scrot"))("says what is missing or went wrong", async () => {
    expect((await take({})).metadata.code).toBe("missing_dependency");
    await using backend = await machine("scrot");
    await using toolkit = kit({ display: { DISPLAY: ":9999" } }, { backend });
    const { text, metadata } = await toolkit.execute("screenshot", { type: "desktop" });
    expect(metadata.code).toBe("tool_failed");
    expect(text).toContain("scrot");
  });

  it.runIf(has("scrot"))("never takes another's place", async () => {
    await using backend = await machine("scrot");
    await using toolkit = kit({ display: { DISPLAY: screen.display } }, { backend });
    await Promise.all(Array.from({ length: 4 }, () => toolkit.execute("screenshot", { type: "desktop" })));
    expect(await readdir(join(place.folder, "temp/screenshots"))).toHaveLength(4);
  });
});

describe("the programs of other platforms", () => {
  it.each([
    ["wayland", 0, ["grim /f.png", "gnome-screenshot -f /f.png", "spectacle -b -n -o /f.png"]],
    ["macos", 0, ["screencapture -x -t png /f.png"]],
    ["macos", 2, ["screencapture -x -t png -D 2 /f.png"]],
  ] as const)("%s, monitor %i", (platform, monitor, expected) => {
    expect(RECIPES[platform].map(({ argv }) => argv("/f.png", monitor).join(" "))).toEqual(expected);
  });
});
