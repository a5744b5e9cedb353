/** The way to E2B. What is left out comes from `E2B_API_KEY`, `E2B_API_URL`, `E2B_SANDBOX_URL` and `E2B_DOMAIN`. */
export interface E2BAccess {
  readonly apiKey?: string;
  /** The control API. */
  readonly apiUrl?: string;
  /** Where sandboxes are reached, when not by their names below the domain. */
  readonly sandboxUrl?: string;
  /** @default "e2b.app" */
  readonly domain?: string;
}

/** How an E2B sandbox is opened. */
export interface E2BBackendOptions extends E2BAccess {
  /** What a new sandbox is made from: a template's name or id. @default "base" */
  readonly template?: string;
  /** How long a sandbox lives on when nobody uses it; use puts it off. @default 300_000 */
  readonly timeoutMs?: number;
  /** Opens the running or paused sandbox that was made under this name, and makes one when there is none. */
  readonly name?: string;
  /** Kept with a new sandbox; shown where E2B lists them. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** What becomes of the sandbox. A paused one keeps files and processes until it is opened again by its `name`. @default "kill" */
  readonly onDispose?: "kill" | "pause" | "leave";
  /** Environment of everything that runs in it. */
  readonly envs?: Readonly<Record<string, string>>;
  /** Where commands start; made when it isn't there. Absolute. @default the user's home directory, `/home/user` */
  readonly cwd?: string;
  /** Whom programs run as. @default the template's own user, `user` */
  readonly user?: string;
}
