import type Docker from "dockerode";
import type { Settings } from "./settings.ts";

/** The label that every container and volume of toolgate's has; its value says what for. */
export const LABEL = "toolgate";
/** The label by which the containers of one backend are told from others. */
export const PLACE_LABEL = "toolgate.place";
/** The label that keeps what a container was made with. */
export const SETTINGS_LABEL = "toolgate.settings";

/** What a container is for: files and commands, one command, or confined commands. */
export type Role = "main" | "command" | "confined";

/** What may be different from one container of a backend to another. */
export interface Particulars {
  readonly role: Role;
  /** Told apart by it. */
  readonly place: string;
  readonly name?: string;
  readonly mounts: readonly Mount[];
  /** It ends, and is removed, when the connection that holds its standard input does. */
  readonly tethered: boolean;
  readonly keep: boolean;
  readonly readOnly: boolean;
  readonly network: string;
  /** Further `SecurityOpt` entries. */
  readonly security?: readonly string[];
  /** Options of private temporary file systems by path. */
  readonly tmpfs?: Readonly<Record<string, string>>;
}

/** A mount as the engine's API takes it; the types of its client ask for more than the API does. */
export type Mount = Docker.MountSettings;

/**
 * Process 1: does nothing, and collects whatever has lost its parents. Nothing inside can end it by a usual signal, since the
 * first process of a namespace is only sent those that it handles.
 */
const IDLE = "while :; do sleep 3600 & wait $!; done";

/**
 * The same for as long as somebody holds its standard input. The main container goes a little later than the others: what they have
 * mounted can't be removed with it.
 */
function tetheredIdle(role: Role): string {
  const last = role === "main" ? "sleep 2; " : "";
  return `trap 'exit 0' USR2; exec 3<&0; (cat <&3 >/dev/null; ${last}kill -USR2 $$) & ${IDLE}`;
}

/** What the engine is told to make. */
export function containerSpec(settings: Settings, own: Particulars): Docker.ContainerCreateOptions {
  const { memoryBytes, nanoCpus, pids } = settings;
  return {
    ...(own.name === undefined ? {} : { name: own.name }),
    Image: settings.image,
    Entrypoint: ["sh", "-c", own.tethered ? tetheredIdle(own.role) : IDLE],
    Cmd: [],
    ...(settings.user === undefined ? {} : { User: settings.user }),
    WorkingDir: settings.workdir,
    Labels: { ...settings.labels, ...ownLabels(settings, own) },
    OpenStdin: own.tethered,
    StdinOnce: own.tethered,
    AttachStdin: own.tethered,
    Healthcheck: { Test: ["NONE"] },
    HostConfig: {
      AutoRemove: !own.keep,
      Init: settings.init,
      NetworkMode: own.network,
      ReadonlyRootfs: own.readOnly,
      CapDrop: ["ALL"],
      CapAdd: [...settings.capabilities],
      SecurityOpt: ["no-new-privileges", ...(own.security ?? [])],
      // Memory and swap together: no swap.
      Memory: memoryBytes,
      MemorySwap: memoryBytes,
      NanoCpus: nanoCpus,
      PidsLimit: pids,
      LogConfig: { Type: "none", Config: {} },
      Mounts: [...own.mounts],
      Tmpfs: { ...own.tmpfs },
    },
  };
}

/** The mounts of the first container of a backend; the others share them. */
export function mainMounts(settings: Settings, place: string): readonly Mount[] {
  const { workspace, workdir, readOnly, perCommand, tmpBytes } = settings;
  const labels = { ...settings.labels, [LABEL]: "volume", [PLACE_LABEL]: place };
  const work: Mount =
    workspace.kind === "directory"
      ? { Type: "bind", Source: workspace.source, Target: workdir, ReadOnly: workspace.readOnly }
      : volume(workdir, labels, { name: workspace.name });
  // A volume in memory rather than a plain temporary file system: other containers see the same files in it.
  const options = { type: "tmpfs", device: "tmpfs", o: `mode=1777,nosuid,nodev,size=${tmpBytes}` };
  return readOnly || perCommand ? [work, volume("/tmp", labels, { options })] : [work];
}

function volume(
  target: string,
  labels: Readonly<Record<string, string>>,
  how: { readonly name?: string | undefined; readonly options?: Readonly<Record<string, string>> },
): Mount {
  return {
    Type: "volume",
    Source: how.name ?? "",
    Target: target,
    VolumeOptions: {
      NoCopy: false,
      Labels: { ...labels },
      DriverConfig: { Name: "local", Options: { ...how.options } },
    },
  };
}

function ownLabels(settings: Settings, own: Particulars): Record<string, string> {
  const { role, place } = own;
  const labels = { [LABEL]: role, [PLACE_LABEL]: place };
  return role === "main" ? { ...labels, [SETTINGS_LABEL]: JSON.stringify(settings) } : labels;
}
