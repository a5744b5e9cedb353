import type { Effect } from "../../effect.ts";
import { randomHex } from "../../lib/random-hex.ts";
import type { CallContext, PermissionContext, ToolInput } from "../../tool.ts";
import { judgeRealPath, realPathAsJudged } from "../file/judged-path.ts";
import { pathsOf } from "../file/path.ts";

/** Where pictures are kept, below the directory that calls start in. */
const FOLDER = ["temp", "screenshots"] as const;

/** What saving a picture will do. The name isn't known yet: a picture never takes another's place. */
export async function saveEffect(input: ToolInput, context: PermissionContext): Promise<Effect> {
  const path = anyPicture(context);
  await judgeRealPath(context.backend, path, input);
  return { kind: "write", path, pattern: true };
}

/**
 * Saves a picture under a name of its own and answers its path.
 * @throws ToolgateError `stale` when the folder leads elsewhere than was judged, and what the backend says
 */
export async function savePicture(
  bytes: Uint8Array,
  about: string,
  input: ToolInput,
  context: CallContext,
): Promise<string> {
  const { backend, signal } = context;
  const paths = pathsOf(backend.flavour);
  const judged = await realPathAsJudged(backend, anyPicture(context), input);
  const realPath = paths.join(paths.dirname(judged), nameOf(about));
  // Should the name be taken after all, it is refused.
  await backend.writeFile(realPath, bytes, { ifVersion: "absent", parents: true, realPath, signal });
  return realPath;
}

function anyPicture({ backend, cwd }: Pick<PermissionContext, "backend" | "cwd">): string {
  return pathsOf(backend.flavour).join(cwd, ...FOLDER, "*.png");
}

/** `web_example.com_20261105-101112_9f3a01bc.png`: nothing in it that a file system minds. */
function nameOf(about: string): string {
  const subject = about
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, "_")
    .slice(0, 80);
  const now = new Date().toISOString();
  const stamp = `${now.slice(0, 10).replaceAll("-", "")}-${now.slice(11, 19).replaceAll(":", "")}`;
  return `${subject}_${stamp}_${randomHex(4)}.png`;
}
