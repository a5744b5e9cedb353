import type { Backend } from "../../backend.ts";
import { isToolgateError, ToolgateError } from "../../errors.ts";
import type { Rectangle } from "../../lib/pixels.ts";
import { encodePng } from "../../lib/png-encode.ts";
import { randomHex } from "../../lib/random-hex.ts";
import { decodeXwd } from "../../lib/xwd-decode.ts";
import { pathsOf } from "../file/path.ts";

/** Where the screen is and who is asked for it. */
export interface Place {
  readonly backend: Backend;
  readonly cwd: string;
  /** `DISPLAY` and what else leads to the screen. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** A picture of a screen, and the part of it that is wanted, if the program couldn't take only that. */
export interface ScreenPicture {
  readonly bytes: Uint8Array;
  readonly part: Rectangle | undefined;
}

/** How a program is asked for a picture in a file. */
interface Recipe {
  readonly program: string;
  readonly argv: (file: string, monitor: number) => readonly string[];
  /** It takes one monitor's picture by itself. */
  readonly byMonitor?: true;
}

const WINDOWS = [
  "Add-Type -AssemblyName System.Windows.Forms, System.Drawing",
  "$n = [int]$env:TOOLGATE_MONITOR",
  "$all = [System.Windows.Forms.Screen]::AllScreens",
  'if ($n -gt $all.Length) { [Console]::Error.Write("There are $($all.Length) monitors."); exit 3 }',
  "$b = if ($n -gt 0) { $all[$n - 1].Bounds } else { [System.Windows.Forms.SystemInformation]::VirtualScreen }",
  "$m = New-Object System.Drawing.Bitmap $b.Width, $b.Height",
  "$g = [System.Drawing.Graphics]::FromImage($m)",
  "$g.CopyFromScreen($b.Location, [System.Drawing.Point]::Empty, $b.Size)",
  "$m.Save($env:TOOLGATE_FILE, [System.Drawing.Imaging.ImageFormat]::Png)",
].join("; ");

/** The programs of each kind of desktop, the first that is there counts. */
export const RECIPES: Readonly<Record<"x11" | "wayland" | "macos" | "windows", readonly Recipe[]>> = {
  x11: [
    { program: "scrot", argv: (file) => ["scrot", "-o", file] },
    { program: "import", argv: (file) => ["import", "-silent", "-window", "root", `png:${file}`] },
    { program: "maim", argv: (file) => ["maim", file] },
    { program: "xwd", argv: (file) => ["xwd", "-silent", "-root", "-out", file] },
  ],
  wayland: [
    { program: "grim", argv: (file) => ["grim", file] },
    { program: "gnome-screenshot", argv: (file) => ["gnome-screenshot", "-f", file] },
    { program: "spectacle", argv: (file) => ["spectacle", "-b", "-n", "-o", file] },
  ],
  macos: [
    {
      program: "screencapture",
      argv: (file, monitor) => [
        "screencapture",
        "-x",
        "-t",
        "png",
        ...(monitor > 0 ? ["-D", String(monitor)] : []),
        file,
      ],
      byMonitor: true,
    },
  ],
  windows: [
    {
      program: "powershell",
      argv: () => ["powershell", "-NoProfile", "-NonInteractive", "-Command", WINDOWS],
      byMonitor: true,
    },
  ],
};

/**
 * A picture of the desktop by the platform's own program.
 * @throws ToolgateError `missing_dependency`, `unsupported`, `tool_failed`, `invalid_input`
 */
export async function captureScreen(place: Place, monitor: number): Promise<ScreenPicture> {
  const { backend } = place;
  const recipes = RECIPES[await desktopOf(place)];
  const file = pathsOf(backend.flavour).join(backend.scratch, `screen-${randomHex(6)}.png`);
  await backend.mkdir(backend.scratch);
  try {
    const recipe = await firstThatWorks(recipes, place, file, monitor);
    const bytes = asPng(await backend.readFile(file, { signal: place.signal }), recipe.program);
    return {
      bytes,
      part: monitor > 0 && recipe.byMonitor !== true ? await monitorOf(place, monitor) : undefined,
    };
  } finally {
    await backend.remove(file).catch(() => undefined); // It may never have been made.
  }
}

async function desktopOf(place: Place): Promise<keyof typeof RECIPES> {
  if (place.backend.flavour === "win32") return "windows";
  const system = await run(place, ["uname", "-s"]);
  if (system?.output.startsWith("Darwin")) return "macos";
  if ("WAYLAND_DISPLAY" in place.env) return "wayland";
  if ("DISPLAY" in place.env) return "x11";
  throw new ToolgateError(
    "unsupported",
    "There is no desktop here: neither DISPLAY nor WAYLAND_DISPLAY is set.",
    {
      hint: "Pictures of web pages need none: type web.",
    },
  );
}

async function firstThatWorks(
  recipes: readonly Recipe[],
  place: Place,
  file: string,
  monitor: number,
): Promise<Recipe> {
  const failures: string[] = [];
  for (const recipe of recipes) {
    const env = { TOOLGATE_FILE: file, TOOLGATE_MONITOR: String(monitor) };
    const ended = await run({ ...place, env: { ...place.env, ...env } }, recipe.argv(file, monitor));
    if (ended?.exitCode === 0) return recipe;
    if (ended !== undefined)
      failures.push(`${recipe.program}: ${ended.output.trim().slice(0, 300) || "it failed"}`);
  }
  if (failures.length > 0) {
    throw new ToolgateError("tool_failed", `The screen's picture couldn't be taken. ${failures.join(" ")}`);
  }
  const names = recipes.map(({ program }) => program);
  throw new ToolgateError(
    "missing_dependency",
    `No program for pictures of this screen is there: ${names.join(", ")}.`,
    {
      hint: `Install one, best ${names[0]}.`,
    },
  );
}

/** Where a monitor is in the picture of all of them, from 1. */
async function monitorOf(place: Place, monitor: number): Promise<Rectangle> {
  const listed = await run(place, ["xrandr", "--listmonitors"]);
  const known = [...(listed?.output ?? "").matchAll(/(\d+)\/\d+x(\d+)\/\d+\+(\d+)\+(\d+)/g)].map((found) => {
    const [width = 0, height = 0, x = 0, y = 0] = found.slice(1).map(Number);
    return { x, y, width, height };
  });
  if (known.length === 0) {
    throw new ToolgateError(
      "unsupported",
      "Which monitors there are can't be told here; monitor must be 0, for all.",
    );
  }
  const wanted = known[monitor - 1];
  if (wanted !== undefined) return wanted;
  throw new ToolgateError(
    "invalid_input",
    `monitor is ${monitor}; there are ${known.length}, and 0 stands for all.`,
  );
}

function asPng(bytes: Uint8Array, program: string): Uint8Array {
  if (program !== "xwd") return bytes;
  const pixels = decodeXwd(bytes);
  if (pixels !== undefined) return encodePng(pixels);
  throw new ToolgateError(
    "unsupported",
    "The screen's colours are of a kind that only other programs than xwd show.",
    {
      hint: "Install scrot.",
    },
  );
}

/** A program's end and what it said; `undefined` when it isn't there. */
async function run(
  { backend, cwd, env, signal }: Place,
  argv: readonly string[],
): Promise<{ readonly exitCode: number | null; readonly output: string } | undefined> {
  const pieces: Buffer[] = [];
  try {
    const { exitCode } = await backend.exec(argv, {
      cwd,
      env,
      signal: AbortSignal.any([signal, AbortSignal.timeout(20_000)]),
      onOutput: (bytes) => void (pieces.length < 100 && pieces.push(Buffer.from(bytes))),
    });
    signal.throwIfAborted();
    return { exitCode, output: Buffer.concat(pieces).toString("utf8") };
  } catch (error) {
    if (isToolgateError(error, "not_found")) return undefined;
    throw error;
  }
}
