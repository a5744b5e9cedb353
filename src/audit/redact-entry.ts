import type { AuditEntry } from "../audit.ts";
import { redact, redactText } from "./redact.ts";

/** An entry whose input and free texts are safe to keep. Logs apply it themselves, so that no caller can forget it. */
export function redactEntry(entry: AuditEntry, answerCharacters = 2000): AuditEntry {
  const { input, reason, by, answer } = entry;
  if (input === undefined && reason === undefined && by === undefined && answer === undefined) return entry;
  return {
    ...entry,
    ...(input === undefined ? {} : { input: redact(input) }),
    ...(reason === undefined ? {} : { reason: redactText(reason) }),
    ...(by === undefined ? {} : { by: redactText(by, 200) }),
    ...(answer === undefined ? {} : { answer: redactText(answer, answerCharacters) }),
  };
}
