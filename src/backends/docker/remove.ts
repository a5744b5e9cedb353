import { ToolgateError } from "../../errors.ts";
import { connect } from "./engine.ts";
import { engineFailure, statusOf } from "./failure.ts";
import { LABEL } from "./spec.ts";

const MISSING = 404;

/**
 * Removes the container of that name that toolgate made, running or not, with the volumes that are its own. One that isn't there is fine.
 * @throws ToolgateError `backend_unavailable`, `already_exists` for a container that isn't toolgate's
 */
export async function removeDockerContainer(name: string, host?: string): Promise<void> {
  const engine = await connect(host);
  try {
    const container = engine.docker.getContainer(name);
    const { Config } = await container.inspect();
    if (Config.Labels[LABEL] === undefined) {
      throw new ToolgateError("already_exists", `Container ${name} isn't one of toolgate's, and stays.`);
    }
    await container.remove({ force: true, v: true });
  } catch (error) {
    if (statusOf(error) === MISSING) return;
    throw engineFailure(error, `Container ${name} can't be removed`);
  } finally {
    engine.close();
  }
}
