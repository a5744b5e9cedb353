import type { TestExpression, Word } from "unbash";
import type { Arg } from "./arg.ts";
import { checkArithmeticText } from "./arithmetic.ts";
import { emitPath, unknown } from "./emit.ts";
import { expandOne } from "./expand.ts";
import { isPlainName } from "./names.ts";
import type { Run } from "./run.ts";

const ARITHMETIC = /^-(?:eq|ne|lt|le|gt|ge)$/;
const FILES = /^-(?:nt|ot|ef)$/;
const FILE = /^-[abcdefghknprsuwxGLNOS]$/;

/** Judges `[[ … ]]`: operands of number tests are evaluated as arithmetic, `-v` evaluates a subscript. */
export function checkTest(run: Run, node: TestExpression): void {
  switch (node.type) {
    case "TestUnary":
      checkUnary(run, node.operator, expandOne(run, node.operand));
      return;
    case "TestBinary":
      checkBinary(run, node.operator, node.left, node.right);
      return;
    case "TestLogical":
      for (const operand of node.operands) checkTest(run, operand);
      return;
    case "TestNot":
      checkTest(run, node.operand);
      return;
    case "TestGroup":
      checkTest(run, node.expression);
      return;
    default:
      node satisfies never;
  }
}

/** Judges one test of one operand. */
export function checkUnary(run: Run, operator: string, operand: Arg): void {
  if (FILE.test(operator)) emitPath(run, "list", operand);
  else if (/^-[vR]$/.test(operator) && !(operand.value !== null && isPlainName(operand.value))) {
    unknown(run, operand, `${operator} evaluates a name that isn't plain`);
  }
}

function checkBinary(run: Run, operator: string, left: Word, right: Word): void {
  for (const operand of [expandOne(run, left), expandOne(run, right)]) {
    if (ARITHMETIC.test(operator)) checkArithmeticText(run, operand.shape);
    else if (FILES.test(operator)) emitPath(run, "list", operand);
  }
}
