import { isToolgateError, ToolgateError } from "../../errors.ts";

/** What the tools that these are made on say, and what is said here. Names stand as whole words and never inside of a path. */
const WORDS: readonly (readonly [from: RegExp, to: string])[] = [
  [name("file_path"), "path"],
  [name("old_string"), "old_str"],
  [name("new_string"), "new_str"],
  [/\bUse Bash with\b/g, "Use exec with"],
  [/\bUse sed in Bash\b/g, "Use sed in exec"],
  [/\(iconv in Bash\)/g, "(iconv in exec)"],
  [/\buse Write to\b/g, "use write_file to"],
  [/\bthat Read puts\b/g, "that read_file puts"],
  [/, which Read doesn't open\b/g, ", which isn't opened"],
  [/\bList it with Glob, or with ls in Bash\./g, "List it with list_dir."],
  [/ with Glob to see what is there\./g, " with list_dir to see what is there."],
  [/; Grep finds the lines\./g, "; grep -n in exec finds the lines."],
];

function name(text: string): RegExp {
  return new RegExp(`(?<![\\w/.-])${text}(?![\\w/-]|\\.\\w)`, "g");
}

/** Does another tool's work; its errors come out in the assistant's terms, so that a model isn't sent to tools that it hasn't got. */
export async function inOwnWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isToolgateError(error)) throw error;
    const { code, message, hint, cause = error } = error;
    const advice = hint === undefined ? {} : { hint: reworded(hint) };
    throw new ToolgateError(code, reworded(message), { ...advice, cause });
  }
}

function reworded(text: string): string {
  return WORDS.reduce((said, [from, to]) => said.replace(from, to), text);
}
