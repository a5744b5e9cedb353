import type { GateEvent, ToolCall } from "../event.ts";
import type { CallObserver, CallWatch, ObservedSession } from "../observer.ts";

type Emit = (event: GateEvent) => void;

/** Runs a call's work with its events going to the observers first, and inside what they put round it. */
export function watched<T>(
  observers: Iterable<CallObserver>,
  call: ToolCall,
  session: ObservedSession,
  emit: Emit | undefined,
  work: (emit: Emit | undefined) => T,
): T {
  const watches = [...observers].flatMap((observer) => begin(observer, call, session) ?? []);
  if (watches.length === 0) return work(emit);
  const tell: Emit = (event) => {
    for (const watch of watches) quietly(() => watch.event(event));
    emit?.(event);
  };
  return watches.reduceRight<() => T>(
    (inner, watch) => () => around(watch, inner),
    () => work(tell),
  )();
}

function begin(observer: CallObserver, call: ToolCall, session: ObservedSession): CallWatch | undefined {
  return quietly(() => observer(call, session));
}

/** The work runs exactly once, whatever the watcher does. */
function around<T>(watch: CallWatch, work: () => T): T {
  if (watch.around === undefined) return work();
  let begun: { readonly value: T } | undefined;
  const once = (): T => {
    begun ??= { value: work() };
    return begun.value;
  };
  quietly(() => watch.around?.(once));
  return once();
}

function quietly<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined; // a watcher's own fault
  }
}
