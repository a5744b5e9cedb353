import type { PermissionContext } from "../tool.ts";
import { isWithin, parentOf } from "./canonical.ts";
import { isGlob } from "./glob-regex.ts";
import type { RuleBase } from "./path-rule.ts";
import { ruleBase } from "./rule-set.ts";

/** Rule contents that might cover a change of this path, narrowest first: the file, then everything in its directory. */
export function pathContents(lexical: string, context: PermissionContext): readonly string[] {
  // Braces would be read as a choice, and rule text has no way to say otherwise.
  if (lexical.includes("{")) return [];
  const base = ruleBase(context);
  const folder = parentOf(lexical);
  const contents = [ruleText(literally(lexical), base)];
  // A directory that holds the home, or the root, would be as good as no rule at all.
  if (folder !== "/" && !isWithin(base.home, folder))
    contents.push(ruleText(`${literally(folder)}/**`, base));
  return contents;
}

/** A path as rule text spells it: below the project, below the home, or absolute. */
function ruleText(path: string, { project, home }: RuleBase): string {
  if (project !== "/" && path.length > project.length && isWithin(path, project)) {
    return `./${path.slice(project.length + 1)}`;
  }
  if (home !== "/" && path.length > home.length && isWithin(path, home))
    return `~/${path.slice(home.length + 1)}`;
  // With a pattern right below the root it would be about the project.
  return isGlob(path.split("/", 2)[1] ?? "") ? `/${path}` : path;
}

/** A name with pattern characters in it is meant as it stands. */
function literally(path: string): string {
  return path.replace(/[[*?]/g, "[$&]");
}
