import { ToolgateError } from "../errors.ts";
import { note } from "./output.ts";

/** Keeps a session after a call. The call is done: that another process has kept the session since doesn't change that. */
export async function keepSession(session: { save(): Promise<void> }): Promise<void> {
  try {
    await session.save();
  } catch (error) {
    const why = error instanceof ToolgateError ? error.text : String(error);
    note(`toolgate: the session was not kept: ${why}`);
  }
}
