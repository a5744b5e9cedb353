import type { Readers } from "../interpret.ts";
import { awk } from "./awk.ts";
import { builtin } from "./builtin.ts";
import { chmod, readMode } from "./chmod.ts";
import { date } from "./date.ts";
import { dd } from "./dd.ts";
import { env } from "./env.ts";
import { find } from "./find.ts";
import { PROGRAM_VALUE_READERS, PROGRAM_WORDS_READERS } from "./programs.ts";
import { sed } from "./sed.ts";
import { shell } from "./shell.ts";
import { test } from "./test.ts";
import { xargs } from "./xargs.ts";

/** Every reader by the name that rows use. */
export const READERS: Readers = {
  values: new Map([
    ...PROGRAM_VALUE_READERS,
    ["awk", awk],
    ["date-format", date],
    ["mode", readMode],
    ["sed", sed],
  ]),
  words: new Map([
    ...PROGRAM_WORDS_READERS,
    ["builtin", builtin],
    ["chmod", chmod],
    ["dd", dd],
    ["env", env],
    ["find", find],
    ["shell", shell],
    ["test", test],
    ["xargs", xargs],
  ]),
};
