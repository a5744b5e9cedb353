import { ToolgateError } from "../../errors.ts";

/** The part of the package that is used, as it is imported. */
export type WecomPackage = typeof import("@wecom/aibot-node-sdk");

/** Loads the service's package. @throws ToolgateError `missing_dependency` */
export async function loadWecom(): Promise<WecomPackage> {
  try {
    return await import("@wecom/aibot-node-sdk");
  } catch (cause) {
    throw new ToolgateError(
      "missing_dependency",
      "A WeCom channel needs the package @wecom/aibot-node-sdk.",
      {
        hint: "Install it: npm install @wecom/aibot-node-sdk.",
        cause,
      },
    );
  }
}
