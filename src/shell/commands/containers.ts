import type { Program } from "../program.ts";

// Docker and its relatives. Left out: other hosts, contexts and configurations, anything that reaches a registry.

const INFO = "--help -h";
const READS = { style: "exact", network: "read", info: INFO } as const;
const FORMAT = "-f --format";
const CHANGES = { network: "any", opaque: true, info: INFO } as const;

const CONTAINER_READS: readonly Program[] = [
  {
    ...READS,
    names: "ps list",
    options: {
      flag: "-a --all -q --quiet -l --latest --no-trunc -s --size --pod -p --external --sync",
      text: "-f --filter --format -n --last --sort",
    },
    operands: "",
  },
  {
    ...READS,
    names: "logs",
    options: {
      flag: "--details -f --follow -t --timestamps -l --latest --names --color",
      text: "--since -n --tail --until",
    },
    operands: "text*",
  },
  {
    ...READS,
    names: "stats",
    options: {
      flag: "-a --all --no-stream --no-trunc --no-reset -l --latest",
      text: "--format -i --interval",
    },
    operands: "text*",
  },
  // What follows the name are options of ps.
  { ...READS, names: "top", posix: true, options: { flag: "-l --latest" }, operands: "text*" },
  { ...READS, names: "port", options: { flag: "-a --all -l --latest" }, operands: "text*" },
  { ...READS, names: "diff", options: { flag: "-l --latest", text: "--format" }, operands: "text*" },
];

const INSPECT: Program = {
  ...READS,
  names: "inspect",
  options: { flag: "-s --size -v --verbose --pretty -l --latest", text: `${FORMAT} --type -t` },
  operands: "text*",
};

const IMAGE_LIST = {
  flag: "-a --all -q --quiet --digests --no-trunc --tree -n --noheading --history",
  text: "-f --filter --format --sort",
} as const;

const HISTORY: Program = {
  ...READS,
  names: "history",
  options: { flag: "-q --quiet --no-trunc", maybe: "-H --human", text: "--format" },
  operands: "text",
};

const EVENTS: Program = {
  ...READS,
  names: "events",
  options: { text: "--since --until -f --filter --format", flag: "--no-trunc --stream" },
  operands: "",
};

const INFO_COMMAND: Program = {
  ...READS,
  names: "info",
  options: { text: FORMAT, flag: "-D --debug" },
  operands: "",
};

const LISTED: Program = {
  ...READS,
  names: "ls list",
  options: { flag: "-q --quiet --no-trunc -a --all -n --noheading", text: "-f --filter --format" },
  operands: "",
};

const CHANGING =
  "run create start stop restart kill rm remove pause unpause exec attach cp commit rename update wait export import prune clone init mount unmount checkpoint restore cleanup";

const OBJECTS: readonly Program[] = [
  {
    names: "container",
    style: "exact",
    info: INFO,
    commands: [
      ...CONTAINER_READS,
      INSPECT,
      {
        ...LISTED,
        names: "ls",
        options: {
          flag: "-a --all -q --quiet -l --latest --no-trunc -s --size",
          text: "-f --filter --format -n --last",
        },
      },
      { ...CHANGES, names: CHANGING },
    ],
  },
  {
    names: "image",
    style: "exact",
    info: INFO,
    commands: [
      { ...READS, names: "ls list", options: IMAGE_LIST, operands: "text" },
      INSPECT,
      HISTORY,
      { ...READS, names: "exists tree", operands: "text" },
      {
        ...CHANGES,
        names: "build pull push rm prune tag save load import sign trust search mount unmount scp",
      },
    ],
  },
  {
    names: "network volume secret config node service stack plugin machine pod",
    style: "exact",
    info: INFO,
    commands: [
      LISTED,
      INSPECT,
      {
        ...READS,
        names: "ps",
        options: { flag: "-q --quiet --no-trunc --no-resolve -a --all", text: "-f --filter --format" },
        operands: "text*",
      },
      {
        ...READS,
        names: "logs",
        options: {
          flag: "--details -f --follow -t --timestamps --raw --no-trunc --no-resolve --no-task-ids",
          text: "--since -n --tail",
        },
        operands: "text",
      },
      { ...READS, names: "exists", operands: "text" },
      {
        ...CHANGES,
        names: `${CHANGING} connect disconnect scale rollback deploy promote demote enable disable install push set upgrade ssh`,
      },
    ],
  },
  {
    names: "system",
    style: "exact",
    info: INFO,
    commands: [
      { ...READS, names: "df", options: { flag: "-v --verbose", text: "--format" }, operands: "" },
      INFO_COMMAND,
      EVENTS,
      { ...CHANGES, names: "prune reset migrate renumber service connection dial-stdio" },
    ],
  },
  {
    names: "context",
    style: "exact",
    info: INFO,
    commands: [
      LISTED,
      { names: "show", style: "exact", operands: "" },
      { names: "inspect", style: "exact", options: { text: FORMAT }, operands: "text*" },
      { names: "use create rm update export import", system: "changes Docker's contexts", opaque: true },
    ],
  },
  {
    names: "buildx",
    style: "exact",
    info: INFO,
    commands: [
      { ...READS, names: "ls", options: { flag: "--no-trunc", text: "--format" }, operands: "" },
      { ...READS, names: "inspect", operands: "text" },
      { ...READS, names: "du", options: { flag: "--verbose", text: "--filter" }, operands: "" },
      { names: "version", style: "exact", operands: "" },
      { ...CHANGES, names: "build b bake create rm use stop prune imagetools history debug dial-stdio" },
    ],
  },
  {
    names: "manifest swarm trust builder scout model mcp ai debug desktop sandbox extension",
    ...CHANGES,
  },
];

const COMPOSE_COMMANDS: readonly Program[] = [
  {
    ...READS,
    names: "ps",
    options: {
      flag: "-a --all -q --quiet --services --no-trunc --orphans",
      text: "--format --filter --status",
    },
    operands: "text*",
  },
  {
    ...READS,
    names: "ls",
    options: { flag: "-a --all -q --quiet", text: "--format --filter" },
    operands: "",
  },
  {
    ...READS,
    names: "logs",
    options: {
      flag: "-f --follow -t --timestamps --no-color --no-log-prefix",
      text: "--since -n --tail --until --index",
    },
    operands: "text*",
  },
  { ...READS, names: "images", options: { flag: "-q --quiet", text: "--format" }, operands: "text*" },
  { ...READS, names: "top", operands: "text*" },
  { ...READS, names: "port", options: { text: "--index --protocol" }, operands: "text text" },
  { ...READS, names: "events", options: { flag: "--json", text: "--since --until" }, operands: "text*" },
  {
    ...READS,
    names: "stats",
    options: { flag: "-a --all --no-stream --no-trunc", text: "--format" },
    operands: "text*",
  },
  { ...READS, names: "volumes", options: { flag: "-q --quiet", text: "--format" }, operands: "text*" },
  { names: "version", style: "exact", options: { flag: "--short", text: FORMAT }, operands: "" },
  // The whole configuration shows what `.env` holds; the names in it don't.
  {
    names: "config convert",
    style: "exact",
    info: INFO,
    options: { flag: "--services --volumes --images --profiles --networks -q --quiet --no-interpolate" },
    when: [{ options: "--services --volumes --images --profiles --networks -q --quiet", operands: "text*" }],
  },
  {
    ...CHANGES,
    names:
      "up down run exec start stop restart kill rm build pull push create pause unpause cp attach commit export publish scale wait watch alpha",
  },
];

const COMPOSE: Omit<Program, "names"> = {
  style: "exact",
  info: "--version -v --help -h",
  options: {
    flag: "--all-resources --compatibility --no-ansi --verbose",
    text: "-p --project-name --profile --ansi --progress --parallel",
    "local-file": "-f --file --env-file",
    dir: "--project-directory",
  },
  commands: COMPOSE_COMMANDS,
};

const ROOT_COMMANDS: readonly Program[] = [
  ...CONTAINER_READS.filter((row) => row.names !== "ps list"),
  ...CONTAINER_READS.filter((row) => row.names === "ps list").map((row) => ({ ...row, names: "ps" })),
  { ...READS, names: "images", options: IMAGE_LIST, operands: "text" },
  INSPECT,
  HISTORY,
  EVENTS,
  INFO_COMMAND,
  { ...READS, names: "version", options: { text: FORMAT }, operands: "" },
  ...OBJECTS,
  {
    ...CHANGES,
    names: `${CHANGING} build pull push tag rmi save load search login logout deploy generate play kube auto-update healthcheck`,
  },
];

/** Docker, Podman and Compose. */
export const CONTAINERS: readonly Program[] = [
  {
    names: "docker podman nerdctl",
    style: "exact",
    info: "--version -v --help -h",
    options: { flag: "-D --debug", text: "-l --log-level" },
    commands: [...ROOT_COMMANDS, { names: "compose", ...COMPOSE }],
  },
  { names: "docker-compose podman-compose", ...COMPOSE },
];
