import type { Backend } from "../backend.ts";
import type { BackendChoice } from "./backend-choice.ts";
import type { Here } from "./local-place.ts";

/** Opens a place other than this machine as it is; only that one's code is loaded. @throws ToolgateError `missing_dependency`, `backend_unavailable` */
export async function openRemote(choice: BackendChoice, { project }: Here): Promise<Backend> {
  switch (choice.kind) {
    case "bubblewrap":
      return (await import("../backends/bubblewrap.ts")).bubblewrapBackend({ workspace: project });
    default:
      throw new Error(choice.kind);
  }
}
