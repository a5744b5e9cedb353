import type { ArithmeticExpansionPart, ArithmeticExpression, ArithmeticWord, WordPart } from "unbash";
import { unknown } from "./emit.ts";
import { assignRisk } from "./names.ts";
import { outputOf } from "./output.ts";
import type { Scope } from "./run.ts";
import { lookUp, NUMBER_VALUE, withVar } from "./state.ts";

const NUMBER = /^(?:0[xX][\da-fA-F]+|\d+(?:#\w+)?)$/;
/** Without a zero in front, which means octal. */
const DECIMAL = /^(?:0|[1-9]\d{0,8})$/;
const NAME = /^[A-Za-z_]\w*$/;
const SETS = /^(?:[-+*/%&^|]|<<|>>)?=$/;

/** Judges an expansion that stands inside an expression. */
export type VisitPart = (part: WordPart) => void;

/** Judges `$((…))`: names in it are evaluated as expressions themselves, and may hold a substitution. */
export function expandArithmetic(scope: Scope, part: ArithmeticExpansionPart, visit: VisitPart): void {
  const at = { ...scope, span: { start: part.pos, end: part.end } };
  if (part.expression !== undefined) checkArithmetic(at, part.expression, visit);
  else if (!/^\$\(\(\s*\)\)$/.test(part.text)) unknown(at, null, "arithmetic that can't be read");
}

/** The value of an expression in which everything is known; `null` otherwise. */
export function numberIn(scope: Scope, node: ArithmeticExpression | undefined): number | null {
  switch (node?.type) {
    case "ArithmeticGroup":
      return numberIn(scope, node.expression);
    case "ArithmeticBinary": {
      const left = numberIn(scope, node.left);
      const right = numberIn(scope, node.right);
      return left === null || right === null ? null : calculate(left, node.operator, right);
    }
    case "ArithmeticWord":
      return numberOf(scope, node);
    default:
      return null;
  }
}

function numberOf(scope: Scope, { value, parts }: ArithmeticWord): number | null {
  const name = /^(?:\$\{(\w+)\}|\$?([A-Za-z_]\w*))$/.exec(value);
  if (name === null) return parts === undefined && DECIMAL.test(value) ? Number(value) : null;
  const text = lookUp(scope.shell.state, name[1] ?? name[2] ?? "", scope.shell.context.home)?.text;
  return text != null && DECIMAL.test(text) ? Number(text) : null;
}

function calculate(left: number, operator: string, right: number): number | null {
  if (operator === "+") return bounded(left + right);
  if (operator === "-") return bounded(left - right);
  if (operator === "*") return bounded(left * right);
  if (right === 0) return null;
  if (operator === "/") return Math.trunc(left / right);
  return operator === "%" ? left % right : null;
}

function bounded(value: number): number | null {
  return Math.abs(value) < 1e12 ? value : null;
}

/** Judges an arithmetic expression. */
export function checkArithmetic(scope: Scope, node: ArithmeticExpression, visit: VisitPart): void {
  switch (node.type) {
    case "ArithmeticBinary":
      if (SETS.test(node.operator)) setName(scope, node.left, visit);
      else checkArithmetic(scope, node.left, visit);
      checkArithmetic(scope, node.right, visit);
      return;
    case "ArithmeticUnary":
      if (/^(?:\+\+|--)$/.test(node.operator)) setName(scope, node.operand, visit);
      else checkArithmetic(scope, node.operand, visit);
      return;
    case "ArithmeticTernary":
      for (const each of [node.test, node.consequent, node.alternate]) checkArithmetic(scope, each, visit);
      return;
    case "ArithmeticGroup":
      checkArithmetic(scope, node.expression, visit);
      return;
    case "ArithmeticWord":
      checkWord(scope, node, visit);
      return;
    default: {
      const { pos, end, text, script } = node;
      visit({ type: "CommandExpansion", pos, end, text, script });
      if (script === undefined || outputOf(script) !== "number") {
        unknown(scope, null, "the output of a command is evaluated as arithmetic");
      }
    }
  }
}

function setName(scope: Scope, node: ArithmeticExpression, visit: VisitPart): void {
  if (node.type !== "ArithmeticWord" || !NAME.test(node.value) || node.parts !== undefined) {
    checkArithmetic(scope, node, visit);
    return;
  }
  const name = node.value;
  if (assignRisk(name, null) !== "none") unknown(scope, null, `sets ${name}, which changes what runs`);
  checkName(scope, name);
  scope.shell.state = withVar(scope.shell.state, name, NUMBER_VALUE);
}

function checkWord(scope: Scope, word: ArithmeticWord, visit: VisitPart): void {
  const { parts } = word;
  if (parts === undefined) checkArithmeticText(scope, word.value);
  else for (const part of parts) checkPart(scope, part, visit);
}

function checkPart(scope: Scope, part: WordPart, visit: VisitPart): void {
  if (part.type === "SimpleExpansion") checkExpansion(scope, part.text.slice(1));
  else if (part.type === "Literal") checkArithmeticText(scope, part.value);
  else if (part.type === "ParameterExpansion" && isPlainParameter(part))
    checkExpansion(scope, part.parameter);
  else {
    visit(part);
    if (part.type === "CommandExpansion" && part.script !== undefined && outputOf(part.script) === "number")
      return;
    const number =
      part.type === "ArithmeticExpansion" || (part.type === "ParameterExpansion" && part.prefix === "#");
    if (!number) unknown(scope, null, "a value that isn't known is evaluated as arithmetic");
  }
}

function isPlainParameter(part: Extract<WordPart, { type: "ParameterExpansion" }>): boolean {
  return part.index === undefined && part.operation === undefined && part.prefix === undefined;
}

function checkExpansion(scope: Scope, name: string): void {
  if (/^[?#$!]$/.test(name)) return;
  if (/^[\d@*_-]/.test(name)) unknown(scope, null, "an argument is evaluated as arithmetic");
  else checkName(scope, name);
}

/** Judges text that the shell evaluates as arithmetic: numbers, and names known to hold numbers. `null` isn't known. */
export function checkArithmeticText(scope: Scope, text: string | null): void {
  const body = text?.trim();
  if (body === "" || (body !== undefined && NUMBER.test(body))) return;
  const element = body === undefined ? null : /^([A-Za-z_]\w*)\[(\w+)\]$/.exec(body);
  if (body === undefined) {
    unknown(scope, null, "a value that isn't known is evaluated as arithmetic");
  } else if (element !== null) {
    checkArithmeticText(scope, element[1] ?? null);
    checkArithmeticText(scope, element[2] ?? null);
  } else if (/^[-+\s]*\w+(?:\s*[-+*/%]\s*\w+)*$/.test(body)) {
    for (const name of body.match(/[A-Za-z_]\w*/g) ?? []) checkName(scope, name);
  } else if (!/^[-+*/%\s()\d]+$/.test(body)) {
    unknown(scope, null, "text is evaluated as arithmetic, which may run a substitution in it");
  }
}

function checkName(scope: Scope, name: string): void {
  const value = lookUp(scope.shell.state, name, scope.shell.context.home);
  if (value !== undefined && !value.numeric && value.text !== "") {
    unknown(scope, null, `${name} is evaluated as arithmetic, and what it holds isn't a number`);
  }
}
