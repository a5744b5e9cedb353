import { ToolgateError } from "../../errors.ts";

/** The part of the package that is used, as it is imported. */
export type GrammyPackage = typeof import("grammy");

/** Loads the service's package. @throws ToolgateError `missing_dependency` */
export async function loadGrammy(): Promise<GrammyPackage> {
  try {
    return await import("grammy");
  } catch (cause) {
    throw new ToolgateError("missing_dependency", "A Telegram channel needs the package grammy.", {
      hint: "Install it: npm install grammy.",
      cause,
    });
  }
}
