/** Half-open range of offsets (UTF-16 units, from 0) in the command or input text that was judged. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What every effect may carry besides its kind. */
interface EffectBase {
  /** Which part of the call it belongs to: the index of the simple command in a compound one. One-part tools leave it out. */
  readonly part?: number;
  /** Where in the text it comes from. */
  readonly span?: Span;
  /**
   * Set when no allow rule may silence it, with the reason in words: a substitution that can't be judged,
   * a device written to, a removal that can't be undone. The engine makes it a bypass-immune ask.
   */
  readonly danger?: string;
}

/** Common to effects on a path. Paths are absolute in the backend's flavour and lexically resolved (`~`, `.`, `..`, cwd). */
interface PathEffect extends EffectBase {
  readonly path: string;
  /** The path holds glob characters that the shell would expand: it stands for any path that matches. */
  readonly pattern?: boolean;
  /** Only where it begins is known: it stands for any path, and `path` is the directory that the known part names. Reads and lists only. */
  readonly dynamic?: boolean;
  /** With which whole names it ends, where these are known too (`/.env`). */
  readonly ends?: string;
  /** The effect reaches everything below the path. */
  readonly recursive?: boolean;
  /** Of what is below the path, names that begin with a dot are left out, as ripgrep does. */
  readonly skipsHidden?: boolean;
  /** Links that are met below the path are gone through, or only those to directories: what they lead to is reached as well. */
  readonly followsLinks?: true | "directories";
  /** The path is a link that was met on the way, and this is where it leads. Set by the engine. */
  readonly leadsTo?: string;
  /** Of what a pattern stands for, links are left out (`find -type f`). */
  readonly skipsLinks?: true;
  /**
   * It is taken from the git repository around this directory: the path counts from the repository's top as well, what is below it is what
   * git keeps, and any state of it may be meant.
   */
  readonly repository?: string;
  /** The tool itself leaves out, below the path, what deny rules keep from being read; only the path is to be judged. */
  readonly filtered?: boolean;
}

/** Reads the bytes of a file, or of every file below a directory when `recursive`. */
export interface ReadEffect extends PathEffect {
  readonly kind: "read";
}

/** Learns names and metadata, no content. */
export interface ListEffect extends PathEffect {
  readonly kind: "list";
}

/** Creates or changes a file or directory, or its metadata. */
export interface WriteEffect extends PathEffect {
  readonly kind: "write";
  /** It is a shell redirection's target, not an operand of the program. */
  readonly redirect?: boolean;
  /** When the path is a directory, what is written is in it, under these names: relative patterns, `**` for any depth. */
  readonly into?: readonly string[];
}

/** Removes a path. */
export interface DeleteEffect extends PathEffect {
  readonly kind: "delete";
  /** Without asking and without minding errors (`rm -f`). */
  readonly forced?: boolean;
}

/**
 * Starts a program. Every simple command has one. When `opaque` is false the sibling effects of the same part
 * say all that it does, so that starting it is harmless in itself; when true it may do anything (`npm test`, `./x.sh`).
 */
export interface ExecuteEffect extends EffectBase {
  readonly kind: "execute";
  /** The program's name as rules see it: after quoting, assignments and wrappers are taken off; a path keeps its directories. */
  readonly program: string;
  /** The words, program first. `null` is a word whose value can't be known before it runs. */
  readonly argv: readonly (string | null)[];
  readonly opaque: boolean;
  /** Programs that were unwrapped to get here, outermost first (`["sudo", "timeout"]`). */
  readonly wrappers?: readonly string[];
  /** Nothing is known of the program: what stands behind it may be a command that it starts. */
  readonly unlisted?: true;
}

/** Reaches the network. */
export interface ConnectEffect extends EffectBase {
  readonly kind: "connect";
  /** Host name or address, when known. */
  readonly host?: string;
  /** True when it only fetches state through a known client with the user's own configuration (`gh pr view`). */
  readonly readOnly?: boolean;
}

/** Changes the machine beyond files: processes, services, clock, users, kernel, devices. */
export interface SystemEffect extends EffectBase {
  readonly kind: "system";
  readonly what: string;
}

/** Can't be told. Never allowed silently. */
export interface UnknownEffect extends EffectBase {
  readonly kind: "unknown";
  readonly why: string;
}

/** One thing a call will do to the world. */
export type Effect =
  | ReadEffect
  | ListEffect
  | WriteEffect
  | DeleteEffect
  | ExecuteEffect
  | ConnectEffect
  | SystemEffect
  | UnknownEffect;

/** True when an effect changes nothing and runs nothing that isn't accounted for. Sensitive reads are judged elsewhere. */
export function isHarmless(effect: Effect): boolean {
  if (effect.danger !== undefined) return false;
  switch (effect.kind) {
    case "read":
    case "list":
      return true;
    case "execute":
      return !effect.opaque;
    case "connect":
      return effect.readOnly === true;
    default:
      return false;
  }
}
