import { z } from "zod";
import { memoryAuditLog } from "../src/audit/memory-log.ts";
import { defineTool } from "../src/define-tool.ts";
import { Toolkit } from "../src/toolkit/toolkit.ts";
import { measure } from "./measure.ts";
import { atMost, type Row, within } from "./table.ts";

const INPUT = { city: "Paris", days: 3 };
const TEXT = JSON.stringify(INPUT);
const schema = z.object({ city: z.string(), days: z.number().int() });

async function forecast({ city, days }: { city: string; days: number }): Promise<string> {
  return `${city}: ${days} fine days`;
}

/** Does something a number of times, one after the other. */
function repeated(once: () => Promise<unknown>): (times: number) => Promise<void> {
  return async (times) => {
    for (let at = 0; at < times; at++) await once();
  };
}

/** A whole call, from JSON text to response, against the function behind it. */
export async function rows(): Promise<Row[]> {
  const tool = defineTool({
    name: "forecast",
    description: "The weather of the next days.",
    input: schema,
    isReadOnly: true,
    call: (input) => forecast(input),
  });
  const toolkit = new Toolkit({ tools: [tool], cwd: process.cwd(), audit: memoryAuditLog() });
  const [ours, parsed, bare] = await measure(
    [
      { name: "gate", run: repeated(() => toolkit.execute("forecast", TEXT)) },
      { name: "zod", run: repeated(async () => forecast(schema.parse(JSON.parse(TEXT)))) },
      { name: "bare", run: repeated(() => forecast(INPUT)) },
    ],
    { times: 20_000, rounds: 7 },
  );
  const us = ours?.us ?? Number.NaN;
  return [
    within("call: parse, validate, decide, record, run", us, 15),
    atMost("the same", us, parsed?.us ?? Number.NaN, "JSON.parse + zod + function"),
    atMost("the same", us, bare?.us ?? Number.NaN, "bare function"),
  ];
}
