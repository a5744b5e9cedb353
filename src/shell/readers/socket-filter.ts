import type { Arg } from "../arg.ts";
import { connect, unknown } from "../emit.ts";
import type { Run } from "../run.ts";

const KEYWORDS: ReadonlySet<string> = new Set(
  "and or not eq ne neq lt le gt ge leq geq state exclude src dst sport dport dev fwmark cgroup autobound established syn-sent syn-recv fin-wait-1 fin-wait-2 time-wait closed close-wait last-ack listening listen closing unconnected connected synchronized bucket big all".split(
    " ",
  ),
);

/** An address in numbers, a mark, a port by number or name. */
const PLAIN = /^(?:[\d.*:/[\]]+|\[?[\da-f:]*:[\da-f:*]*\]?(?:\/\d+)?|0x[\da-f/]+|:[\w-]+|)$/i;

/** Words of `ss` that select sockets: one that is no keyword and no number is asked for as a host's name. */
export function readSocketFilter(run: Run, arg: Arg): void {
  if (arg.value === null || arg.pattern) {
    unknown(run, arg, `${run.program} may look a word up as a host's name`);
    return;
  }
  for (const word of arg.value.split(/[\s()=<>!&|]+/)) {
    if (!KEYWORDS.has(word) && !PLAIN.test(word)) connect(run, arg, false, word);
  }
}
