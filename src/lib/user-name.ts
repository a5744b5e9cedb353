import { userInfo } from "node:os";

/** The name of whoever runs this process; `uid 4242` where the system has none for the number, as in many containers. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
