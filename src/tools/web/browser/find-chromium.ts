import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const PROGRAMS = [
  "chromium",
  "chromium-browser",
  "google-chrome-stable",
  "google-chrome",
  "chrome",
  "microsoft-edge",
  "msedge",
] as const;

const PLACES: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: [
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
  ],
  linux: ["/usr/bin", "/usr/local/bin", "/snap/bin"].flatMap((folder) =>
    PROGRAMS.map((name) => join(folder, name)),
  ),
  win32: ["ProgramFiles", "ProgramFiles(x86)", "LocalAppData"].flatMap((name) => {
    const folder = process.env[name];
    if (folder === undefined) return [];
    return [
      join(folder, "Google", "Chrome", "Application", "chrome.exe"),
      join(folder, "Microsoft", "Edge", "Application", "msedge.exe"),
    ];
  }),
};

/** The system's Chromium or a relative of it: on `PATH`, or where installers put it. */
export function findChromium(path: string = process.env.PATH ?? ""): string | undefined {
  const onPath = path
    .split(delimiter)
    .filter((folder) => folder !== "")
    .flatMap((folder) => PROGRAMS.map((name) => join(folder, name)));
  return [...onPath, ...(PLACES[process.platform] ?? [])].find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // Not there, or not for us to run.
  }
}
