/** Whether a name fits one of OpenSSH's patterns: `*` stands for any characters, `?` for one, letters count for nothing. */
export function matchesPattern(pattern: string, name: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}$`, "i").test(name);
}
