import type { SyntaxNode } from "unbash";
import { parser } from "./parser.ts";

/** True for a function's body that calls the function itself beside itself, in a pipe or in the background. */
export function callsItselfApart(body: SyntaxNode, name: string): boolean {
  const forEachChild = parser()?.forEachChild;
  let calls = false;
  let apart = false;
  const visit = (child: SyntaxNode): void => {
    if (child.type === "Command" && child.name?.value === name) calls = true;
    if (child.type === "Pipeline" && child.commands.length > 1) apart = true;
    if (child.type === "Statement" && child.background) apart = true;
    forEachChild?.(child, visit);
  };
  visit(body);
  return calls && apart;
}
