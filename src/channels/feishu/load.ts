import { ToolgateError } from "../../errors.ts";

/** The service's package, as it is imported. */
export type FeishuPackage = typeof import("@larksuiteoapi/node-sdk");

/** The package writes to standard output otherwise, errors too, and with what was sent. */
export const SILENT_LOGGER = {
  error: (): void => {},
  warn: (): void => {},
  info: (): void => {},
  debug: (): void => {},
  trace: (): void => {},
};

/** Loads it. @throws ToolgateError `missing_dependency` */
export async function loadFeishu(): Promise<FeishuPackage> {
  try {
    return await import("@larksuiteoapi/node-sdk");
  } catch (cause) {
    throw new ToolgateError(
      "missing_dependency",
      "A Feishu channel needs the package @larksuiteoapi/node-sdk.",
      {
        hint: "Install it: npm install @larksuiteoapi/node-sdk.",
        cause,
      },
    );
  }
}
