import { indexByName } from "../compile.ts";
import type { Program } from "../program.ts";
import { ARCHIVES } from "./archives.ts";
import { BINARIES } from "./binaries.ts";
import { BUILDS } from "./builds.ts";
import { BUILTINS, SHELLS, WRAPPERS } from "./builtins.ts";
import { CLOUD } from "./cloud.ts";
import { CONTAINERS } from "./containers.ts";
import { COREUTILS } from "./coreutils.ts";
import { DATA } from "./data.ts";
import { DISKS } from "./disks.ts";
import { EDITORS } from "./editors.ts";
import { FINDUTILS } from "./findutils.ts";
import { GH } from "./gh.ts";
import { GIT } from "./git.ts";
import { INSPECTION } from "./inspection.ts";
import { NETWORK } from "./network.ts";
import { PACKAGES } from "./packages.ts";
import { RUNTIMES } from "./runtimes.ts";
import { SEARCH } from "./search.ts";
import { STREAM_EDITORS } from "./stream-editors.ts";
import { SYSTEM } from "./system.ts";
import { SYSTEM_PACKAGES } from "./system-packages.ts";
import { VIEWERS } from "./viewers.ts";

/** Every family of programs. A later family's row replaces an earlier one of the same name. */
export const FAMILIES: readonly (readonly Program[])[] = [
  COREUTILS,
  BUILTINS,
  SHELLS,
  WRAPPERS,
  FINDUTILS,
  STREAM_EDITORS,
  INSPECTION,
  DISKS,
  GIT,
  ARCHIVES,
  BINARIES,
  BUILDS,
  CLOUD,
  CONTAINERS,
  DATA,
  EDITORS,
  GH,
  NETWORK,
  PACKAGES,
  RUNTIMES,
  SEARCH,
  SYSTEM_PACKAGES,
  SYSTEM,
  VIEWERS,
];

let index: ReadonlyMap<string, Program> | undefined;

/** The row of a program by its bare name. */
export function findProgram(name: string): Program | undefined {
  index ??= indexByName(FAMILIES.flat());
  return index.get(name);
}
