import type { Reader, WordsReader } from "../reader.ts";
import { readApplyPatch } from "./apply-patch.ts";
import { readCloud } from "./cloud.ts";
import { readGhEndpoint, readGhItem, readGhRepo, readHttpHeader, readHttpMethod } from "./gh.ts";
import { readGitConfig } from "./git-config.ts";
import { readGitFormat } from "./git-format.ts";
import { readGitObject, readGitSide, readGitSource, readRepository } from "./git-object.ts";
import { readHttpData } from "./http-data.ts";
import { readJq, readJqCommand, readYqCommand } from "./jq.ts";
import { readKubeOutput, readKubeResource } from "./kube-resource.ts";
import { readLocalFile, readManPage, readPager, readPlainFile, readRemoteFile } from "./local-file.ts";
import { readPython } from "./python.ts";
import { readRsync } from "./rsync.ts";
import { readSocketFilter } from "./socket-filter.ts";
import { readSqlite } from "./sqlite.ts";
import { readSuffix } from "./suffix.ts";
import { readSysctl } from "./sysctl.ts";
import { readTar } from "./tar.ts";

/** Readers of single values, for programs beyond the core utilities. */
export const PROGRAM_VALUE_READERS: readonly (readonly [string, Reader])[] = [
  ["gh-endpoint", readGhEndpoint],
  ["gh-item", readGhItem],
  ["gh-repo", readGhRepo],
  ["git-config", readGitConfig],
  ["git-format", readGitFormat],
  ["git-object", readGitObject],
  ["git-side", readGitSide],
  ["git-source", readGitSource],
  ["http-data", readHttpData],
  ["http-header", readHttpHeader],
  ["http-method", readHttpMethod],
  ["jq", readJq],
  ["kube-output", readKubeOutput],
  ["kube-resource", readKubeResource],
  ["local-file", readLocalFile],
  ["man-page", readManPage],
  ["pager", readPager],
  ["plain-file", readPlainFile],
  ["remote-file", readRemoteFile],
  ["repository", readRepository],
  ["socket-filter", readSocketFilter],
  ["suffix", readSuffix],
  ["sysctl", readSysctl],
];

/** Readers of whole command lines, for programs beyond the core utilities. */
export const PROGRAM_WORDS_READERS: readonly (readonly [string, WordsReader])[] = [
  ["apply-patch", readApplyPatch],
  ["cloud", readCloud],
  ["jq", readJqCommand],
  ["python", readPython],
  ["rsync", readRsync],
  ["sqlite", readSqlite],
  ["tar", readTar],
  ["yq", readYqCommand],
];
