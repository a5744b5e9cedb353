import { platform } from "node:os";

/** Where an administrator's settings are, which no other file can loosen. */
export function managedPath(): string {
  return MANAGED[platform()] ?? "/etc/toolgate/settings.json";
}

const MANAGED: Readonly<Record<string, string>> = {
  darwin: "/Library/Application Support/toolgate/settings.json",
  win32: "C:\\ProgramData\\toolgate\\settings.json",
};
