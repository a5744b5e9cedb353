/** An image that is built before it is used. The engine's own cache makes a second build of the same quick. */
export interface DockerBuild {
  /** A directory of this machine; its `.dockerignore` is heeded. */
  readonly context: string;
  /** Below the context. @default "Dockerfile" */
  readonly dockerfile?: string;
  readonly args?: Readonly<Record<string, string>>;
  /** The stage to stop at. @default the last */
  readonly target?: string;
}

/** A directory of the engine's machine that is the working directory. */
export interface DockerMount {
  /** Absolute, or relative to this process's directory. */
  readonly path: string;
  /** @default false */
  readonly readOnly?: boolean;
}

/** How a container is made, or found again by its name. */
export interface DockerBackendOptions {
  /** What containers are made from; with `build`, the name that the built image gets. */
  readonly image?: string;
  readonly build?: DockerBuild;
  /** Whether to fetch the image from its registry. @default "never" */
  readonly pull?: "never" | "missing" | "always";
  /** Where the engine is, as `DOCKER_HOST` spells it. @default `DOCKER_HOST`, else the usual sockets */
  readonly host?: string;
  /** Uses the container of this name that toolgate made before, running or not, and makes it when there is none. */
  readonly name?: string;
  /** Leaves the container, stopped, when the backend is disposed of. @default true with a `name` */
  readonly keep?: boolean;
  /** Runs each command in a container of its own, over the same working directory and `/tmp`. @default false */
  readonly perCommand?: boolean;
  /** Where commands start. Absolute. @default "/workspace" */
  readonly workdir?: string;
  /** A directory to work in. @default a new volume that goes with the container */
  readonly mount?: string | DockerMount;
  /** A volume to work in, by name; made when there is none, and never removed. */
  readonly volume?: string;
  /** Who runs commands, `1000:1000` or a name of the image's; `"host"` is this process's user. @default `"host"` with a `mount`, else the image's */
  readonly user?: string;
  /** The network to join, such as `bridge`. @default "none" */
  readonly network?: string;
  /** Lets nothing be written but the working directory and `/tmp`; single runs can then be confined. @default false */
  readonly readOnly?: boolean;
  /** Memory, all processes together; 0 is no limit. @default 2048 */
  readonly memoryMiB?: number;
  /** Processors' worth of time; 0 is no limit. @default 2, or all there are */
  readonly cpus?: number;
  /** Processes and threads; 0 is no limit. @default 512 */
  readonly pids?: number;
  /** Size of `/tmp` where it is in memory: with `readOnly` or `perCommand`. @default 512 */
  readonly tmpMiB?: number;
  /** Linux capabilities to have, such as `CHOWN`. @default none */
  readonly capabilities?: readonly string[];
  /** Puts the engine's init process before everything else. Ended processes are collected without it too. @default false */
  readonly init?: boolean;
  /** Variables set for every command. @default none */
  readonly env?: Readonly<Record<string, string>>;
  /** Labels for containers and volumes, besides toolgate's own. @default none */
  readonly labels?: Readonly<Record<string, string>>;
  /** Ends the making of it. */
  readonly signal?: AbortSignal;
  /** Told what the engine says while it pulls or builds. */
  readonly onProgress?: (line: string) => void;
}
