import { readFileSync } from "node:fs";
import { join } from "node:path";
import { corpusRows } from "../corpus/score.ts";
import { Grammar } from "./grammar.ts";
import { mutate } from "./mutate.ts";
import { Random } from "./random.ts";
import type { Verb } from "./vocabulary.ts";

/** The labelled commands of both sets, and hostile ones without a label, in a fixed order. */
export function labelledCommands(): readonly string[] {
  return [...corpusRows().map(({ command }) => command), ...fieldCommands(), ...hostileCommands()];
}

function hostileCommands(): string[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, "seeds.json"), "utf8"));
}

function fieldCommands(): string[] {
  const rows: { command: string }[] = JSON.parse(
    readFileSync(join(import.meta.dirname, "../corpus/field.json"), "utf8"),
  );
  return rows.map(({ command }) => command);
}

/** This many different commands, the same for the same seed and machine: made from the grammar, or labelled ones changed. */
export function* generate(seed: number, count: number, verbs: readonly Verb[]): Generator<string> {
  const random = new Random(seed);
  const grammar = new Grammar(random, verbs);
  const labelled = labelledCommands();
  const seen = new Set<string>(labelled);
  let made = 0;
  while (made < count) {
    let command = random.chance(0.65) ? grammar.simple() : random.pick(labelled);
    const changes = random.chance(0.45) ? 0 : 1 + random.below(3);
    for (let change = 0; change < changes; change += 1) {
      const other = random.chance(0.6) ? grammar.simple() : random.pick(labelled);
      command = mutate(command, random, other);
    }
    if (seen.has(command) || command.length > 4000) continue;
    seen.add(command);
    made += 1;
    yield command;
  }
}
