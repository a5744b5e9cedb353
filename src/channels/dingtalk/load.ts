import { ToolgateError } from "../../errors.ts";

/** The service's package, as it is imported. */
export type DingtalkPackage = typeof import("dingtalk-stream");

/** Loads it. @throws ToolgateError `missing_dependency` */
export async function loadDingtalk(): Promise<DingtalkPackage> {
  try {
    return await import("dingtalk-stream");
  } catch (cause) {
    throw new ToolgateError("missing_dependency", "A DingTalk channel needs the package dingtalk-stream.", {
      hint: "Install it: npm install dingtalk-stream.",
      cause,
    });
  }
}
