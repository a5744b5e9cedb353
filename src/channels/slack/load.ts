import { ToolgateError } from "../../errors.ts";

/** The parts of the packages that are used, as they are imported. */
export interface SlackPackages {
  readonly web: typeof import("@slack/web-api");
  readonly socket: typeof import("@slack/socket-mode");
}

/** Loads the service's packages. @throws ToolgateError `missing_dependency` */
export async function loadSlack(): Promise<SlackPackages> {
  try {
    const [web, socket] = await Promise.all([import("@slack/web-api"), import("@slack/socket-mode")]);
    return { web, socket };
  } catch (cause) {
    throw new ToolgateError(
      "missing_dependency",
      "A Slack channel needs the packages @slack/web-api and @slack/socket-mode.",
      { hint: "Install them: npm install @slack/web-api @slack/socket-mode.", cause },
    );
  }
}
