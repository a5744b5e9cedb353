import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ToolgateError } from "../../errors.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { note } from "../output.ts";
import { projectOf } from "../project.ts";

const STARTER = `// toolgate's settings for this project; meant to be committed. Your own go into settings.local.json beside it, or
// into ~/.toolgate/settings.json for all your projects. See what is in force with \`toolgate rules list\`, and what a
// command would get with \`toolgate explain 'COMMAND'\`.
{
  "permissions": {
    // Tightening counts at once: what nobody may do here, and what a person is always asked about.
    "deny": [
      // "Read(**/secrets/**)"
    ],
    "ask": [
      // "Bash(git push:*)"
    ],
    // Loosening counts for people who trust this project: who name it in "trustedProjects" of ~/.toolgate/settings.json.
    "allow": [
      // "Bash(npm test:*)",
      // "Bash(npm run lint:*)"
    ]
    // , "mode": "acceptEdits"                  default, acceptEdits, explore, bypass or dontAsk
    // , "additionalDirectories": ["../shared"]
  }
}
`;

/** `toolgate init`: writes a settings file to start from; never over one that is there. */
export async function init({ cwd }: { readonly cwd: string }): Promise<ExitCode> {
  const folder = join(projectOf(resolve(cwd)), ".toolgate");
  const path = join(folder, "settings.json");
  await mkdir(folder, { recursive: true });
  try {
    await writeFile(path, STARTER, { flag: "wx" });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    throw new ToolgateError("usage", `${path} is already there; it was left as it is.`, { cause: error });
  }
  note(`Wrote ${path}. Every line that does something is still a comment: take out what you want.`);
  return EXIT.done;
}
