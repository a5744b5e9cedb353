import { endingOf } from "./formats.ts";

/** Control characters, marks that turn the direction of text, and what separates paths or means something to a file system. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029/\\:*?"<>|]/gu;
const MOST_CHARACTERS = 100;

/**
 * A file's name without what could lead elsewhere or show it as another: no directories, no control or direction characters, no dots in
 * front, not too long. The ending stays. Never empty.
 */
export function plainName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? "";
  const clean = last
    .normalize("NFC")
    .replace(UNSAFE, "_")
    .replace(/^[.\s]+|[.\s]+$/g, "");
  if (clean === "") return "file";
  const characters = [...clean];
  if (characters.length <= MOST_CHARACTERS) return clean;
  const ending = endingOf(clean).slice(0, 16);
  const kept = characters.slice(0, MOST_CHARACTERS - ending.length - 1).join("");
  return ending === "" ? kept : `${kept}.${ending}`;
}
