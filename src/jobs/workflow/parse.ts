import { ToolgateError } from "../../errors.ts";

/**
 * A workflow's or a team's file as a value: JSON, or YAML.
 * @throws ToolgateError `invalid_settings`
 */
export async function parseWorkflowText(text: string, where: string): Promise<unknown> {
  const { default: yaml } = await import("yaml");
  try {
    // JSON is YAML as well. Aliases can blow a small text up to a huge value; no workflow needs them.
    return yaml.parse(text, { maxAliasCount: 0, logLevel: "error" });
  } catch (error) {
    const first = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    throw new ToolgateError("invalid_settings", `${where} is neither JSON nor YAML: ${first}`, {
      cause: error,
    });
  }
}
