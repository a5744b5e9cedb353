import { createRequire } from "node:module";
import { findChromium } from "../web/browser/find-chromium.ts";

/** Whether this machine can take pictures of pages or of a desktop, as far as that can be told without trying. */
export function canTakePictures(): boolean {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  const hasDesktop = process.platform !== "linux" || DISPLAY !== undefined || WAYLAND_DISPLAY !== undefined;
  return hasDesktop || (findChromium() !== undefined && hasPlaywright());
}

function hasPlaywright(): boolean {
  try {
    createRequire(import.meta.url).resolve("playwright-core");
    return true;
  } catch {
    return false; // Not installed.
  }
}
