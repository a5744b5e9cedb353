import type { MaybePromise } from "../../lib/json.ts";

/** Where a server is and how it lets us in. */
export interface SshAccess {
  /** A name, an address, or an alias of {@link SshAccess.config}. */
  readonly host: string;
  /** @default the configuration's, else 22 */
  readonly port?: number;
  /** @default the configuration's, else the name of this process's user */
  readonly user?: string;
  /** Private keys, tried in this order before the agent's. @default the usual names in ~/.ssh, tried after the agent's */
  readonly identityFiles?: readonly string[];
  /** Asked for the passphrase of a key file that has one. @default such a key is left out */
  readonly passphrase?: (file: string) => MaybePromise<string | undefined>;
  /** The agent's socket; `false` for none. @default `SSH_AUTH_SOCK` */
  readonly agent?: string | false;
  /** Asked when keys don't do; also for what a server asks besides, with its words. @default no password is offered */
  readonly password?: (prompt: string) => MaybePromise<string | undefined>;
  /** Files that say whose keys are whose. @default `~/.ssh/known_hosts` and `/etc/ssh/ssh_known_hosts` */
  readonly knownHosts?: readonly string[];
  /** `"accept-new"` writes an unknown host's key into the first of the files; a changed one is refused all the same. @default `"yes"` */
  readonly strictHostKey?: "yes" | "accept-new";
  /** OpenSSH's own configuration: of it Host, HostName, Port, User and IdentityFile are used. `false` for none. @default `~/.ssh/config` */
  readonly config?: string | false;
  /** How many sessions the server lets one connection have, its `MaxSessions`. @default 10 */
  readonly maxSessions?: number;
  /** Milliseconds in which a connection has to be ready, and for which a lost server is called again. @default 20,000 */
  readonly connectTimeoutMs?: number;
}

/** The same with everything settled. */
export interface SshTarget {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** As people write it, `user@host:port`. */
  readonly name: string;
  readonly access: SshAccess;
  /** Key files that were named, by the caller or the configuration; `undefined` when nobody named any. */
  readonly identityFiles: readonly string[] | undefined;
}
