import type { Arg } from "../arg.ts";
import { connect, unknown } from "../emit.ts";
import type { Run } from "../run.ts";

const ELSEWHERE = "may go to another host";

/** `OWNER/REPO`, perhaps with github.com before it. A third part in front names another host. */
export function readGhRepo(run: Run, arg: Arg): void {
  const path = arg.value === null ? null : withoutHost(arg.value);
  if (path === null || !/^[\w.-]+(?:\/[\w.-]+)?$/.test(path)) unknown(run, arg, `gh ${ELSEWHERE}`);
}

/** A pull request, issue or gist by number, branch or address. */
export function readGhItem(run: Run, arg: Arg): void {
  if (arg.value === null) {
    if (!/^\d+$/.test(arg.shape ?? "")) unknown(run, arg, `gh ${ELSEWHERE}`);
    return;
  }
  const path = withoutHost(arg.value);
  if (path === null || /:\/\//.test(path)) unknown(run, arg, `gh ${ELSEWHERE}`);
}

function withoutHost(text: string): string | null {
  const host = /^(?:https:\/\/)?(?:gist\.)?github\.com\//.exec(text)?.[0];
  if (host !== undefined) return text.slice(host.length).replace(/\.git$/, "");
  return /:\/\/|^git@/.test(text) ? null : text;
}

/** An endpoint of the REST interface, which is fetched. GraphQL and other hosts are left to rules. */
export function readGhEndpoint(run: Run, arg: Arg): void {
  const text = arg.value ?? arg.prefix;
  if (
    !/^\/?(?:repos|orgs|users?|search|issues|notifications|rate_limit|meta|gists|licenses|events|emojis|gitignore)(?:[/?]|$)/.test(
      text,
    )
  ) {
    unknown(run, arg, "gh api: not a known endpoint that only answers");
  }
}

/** A header that only chooses the answer's form. */
export function readHttpHeader(run: Run, arg: Arg): void {
  if (arg.value === null || !/^(?:accept|x-github-api-version)\s*:/i.test(arg.value)) {
    unknown(run, arg, "a header may change what a request does");
  }
}

/** A method that only fetches. */
export function readHttpMethod(run: Run, arg: Arg): void {
  if (arg.value === null || !/^(?:GET|HEAD)$/i.test(arg.value)) connect(run, arg, false);
}
