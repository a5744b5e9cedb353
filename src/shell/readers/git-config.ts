import type { Arg } from "../arg.ts";
import { unknown } from "../emit.ts";
import type { Run } from "../run.ts";
import { asksForSignature } from "./git-format.ts";

/** Settings that only change what is printed, or what a commit says. Sections with the names below them, in lower case. */
const HARMLESS: ReadonlyMap<string, RegExp> = new Map([
  ["color", /^[\w.-]+$/],
  ["column", /^\w+$/],
  ["advice", /^\w+$/],
  ["blame", /^\w+$/],
  ["grep", /^(?:linenumber|column|patterntype|extendedregexp|fullname)$/],
  ["log", /^(?:date|decorate|follow|abbrevcommit|showroot|mailmap|diffmerges|graphcolors)$/],
  [
    "status",
    /^(?:short|branch|relativepaths|showstash|showuntrackedfiles|aheadbehind|renames|renamelimit|displaycommentprefix)$/,
  ],
  [
    "diff",
    /^(?:algorithm|context|interhunkcontext|renames|renamelimit|mnemonicprefix|noprefix|colormoved|colormovedws|wordregex|suppressblankempty|statgraphwidth|statnamewidth|indentheuristic|relative|dirstat|wserrorhighlight|ignoresubmodules|submodule|autorefreshindex)$/,
  ],
  [
    "core",
    /^(?:quotepath|abbrev|precomposeunicode|ignorecase|filemode|longpaths|commentchar|untrackedcache|preloadindex|checkstat|trustctime|autocrlf|safecrlf|eol|whitespace)$/,
  ],
  ["user", /^(?:name|email)$/],
  ["author", /^(?:name|email)$/],
  ["committer", /^(?:name|email)$/],
  ["init", /^defaultbranch$/],
  ["merge", /^(?:conflictstyle|renames|ff|stat|log)$/],
  ["pull", /^(?:rebase|ff)$/],
  ["push", /^(?:default|autosetupremote|followtags)$/],
  ["fetch", /^(?:prune|prunetags|parallel)$/],
  ["rebase", /^(?:autosquash|autostash|stat|updaterefs)$/],
  ["branch", /^sort$/],
  ["tag", /^sort$/],
  ["versionsort", /^suffix$/],
  ["i18n", /^\w+$/],
  ["pack", /^threads$/],
  ["index", /^(?:threads|version)$/],
  ["gc", /^auto$/],
  ["maintenance", /^auto$/],
  ["protocol", /^version$/],
  ["format", /^pretty$/],
]);

/** Settings that name a program, with the values that name none, or one that only passes text on. */
const HARMLESS_VALUES: ReadonlyMap<string, RegExp> = new Map([
  ["core.pager", /^(?:|cat)$/],
  ["core.editor", /^(?:true|:|cat)$/],
  ["sequence.editor", /^(?:true|:|cat)$/],
  ["core.fsmonitor", /^(?:false|no|off|0|)$/],
  ["core.hookspath", /^\/dev\/null$/],
  ["credential.helper", /^$/],
  ["core.askpass", /^(?:|true)$/],
  ["commit.gpgsign", /^(?:false|no|off|0)$/],
  ["tag.gpgsign", /^(?:false|no|off|0)$/],
  ["diff.external", /^$/],
]);

/** Judges a `-c name=value` of Git: a short list of settings can't make it start a program or go elsewhere. */
export function readGitConfig(run: Run, arg: Arg): void {
  const text = arg.value ?? arg.prefix;
  const equals = text.indexOf("=");
  const name = (equals < 0 ? text : text.slice(0, equals)).toLowerCase();
  const value = arg.value === null ? null : equals < 0 ? "true" : text.slice(equals + 1);
  if (arg.pattern || (value === null && equals < 0) || !isHarmlessSetting(name, value)) {
    unknown(run, arg, `Git's setting ${text} may start a program`);
  }
}

function isHarmlessSetting(name: string, value: string | null): boolean {
  const dot = name.indexOf(".");
  if (dot > 0 && HARMLESS.get(name.slice(0, dot))?.test(name.slice(dot + 1)) === true) {
    // These are formats and keys, which may ask for signatures.
    return !/^(?:format|branch|tag)\./.test(name) || (value !== null && !asksForSignature(value));
  }
  if (value === null) return false;
  if (name.startsWith("pager.")) return /^(?:false|no|off|0|cat)$/.test(value);
  return HARMLESS_VALUES.get(name)?.test(value) === true;
}
