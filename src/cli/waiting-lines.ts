/** How a person answers a question that waits. */
export function waitingLines(id: string, flags: string): readonly string[] {
  return [
    `  or answer  toolgate approvals approve ${id} --run${flags}`,
    `  or refuse  toolgate approvals reject ${id}${flags}`,
  ];
}
