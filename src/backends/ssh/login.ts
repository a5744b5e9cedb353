import { readFile } from "node:fs/promises";
import type { AnyAuthMethod, AuthHandlerMiddleware } from "ssh2";
import { ToolgateError } from "../../errors.ts";
import { errorCode, systemError } from "../system-error.ts";
import { inHome } from "./config.ts";
import type { Ssh2 } from "./load.ts";
import type { SshTarget } from "./options.ts";

/** The ways in, one after the other. */
export interface Login {
  readonly handler: AuthHandlerMiddleware;
  /** What was tried, for people. */
  readonly tried: readonly string[];
  /** What kept a way from being tried. */
  readonly failure: { readonly reason: unknown } | undefined;
}

const USUAL_KEYS = ["~/.ssh/id_ed25519", "~/.ssh/id_ecdsa", "~/.ssh/id_rsa"] as const;

interface Way {
  readonly what: string;
  /** What the server calls it. */
  readonly method: "publickey" | "password" | "keyboard-interactive";
  /** `undefined` when there is nothing to try after all. */
  readonly prepare: () => Promise<AnyAuthMethod | undefined>;
}

/** Keys that were named, the agent's keys, the usual keys, a password: in this order, since servers allow few attempts. */
export function login(ssh2: Ssh2, target: SshTarget): Login {
  const ways = waysIn(ssh2, target);
  const tried: string[] = [];
  let failure: Login["failure"];
  const next = async (left: readonly string[] | null): Promise<AnyAuthMethod | undefined> => {
    // The refusal of nothing says what there is to try; nobody is asked for a password that isn't wanted.
    if (left === null) return { type: "none", username: target.user };
    for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
      if (!left.includes(way.method)) continue;
      const method = await way.prepare();
      if (method === undefined) continue;
      tried.push(way.what);
      return method;
    }
    return undefined;
  };
  return {
    tried,
    get failure() {
      return failure;
    },
    handler(left, _partial, answer) {
      // Its types know no end of the ways; the code ends on `false`.
      const give = answer as (method: AnyAuthMethod | false) => void;
      next(left).then(
        (method) => give(method ?? false),
        (reason: unknown) => {
          failure = { reason };
          give(false);
        },
      );
    },
  };
}

function waysIn(ssh2: Ssh2, target: SshTarget): Way[] {
  const { user, access, identityFiles } = target;
  const { agent = process.env.SSH_AUTH_SOCK ?? false, password } = access;
  const named = identityFiles !== undefined;
  const keys = (named ? identityFiles : USUAL_KEYS.map(inHome)).map(
    (file): Way => ({
      what: `the key ${file}`,
      method: "publickey",
      prepare: async () => {
        const key = await readKey(ssh2, { file, named, passphrase: access.passphrase });
        return key === undefined ? undefined : { type: "publickey", username: user, key };
      },
    }),
  );
  const agents: Way[] =
    agent === false || agent === ""
      ? []
      : [
          {
            what: `the agent ${agent}`,
            method: "publickey",
            prepare: async () => ({ type: "agent", username: user, agent }),
          },
        ];
  const ways = named ? [...keys, ...agents] : [...agents, ...keys];
  return password === undefined ? ways : [...ways, ...passwordWays(user, target.name, password)];
}

function passwordWays(
  user: string,
  name: string,
  ask: (prompt: string) => Promise<string | undefined> | string | undefined,
): readonly Way[] {
  return [
    {
      what: "a password",
      method: "password",
      prepare: async () => {
        const password = await ask(`Password for ${name}:`);
        return password === undefined ? undefined : { type: "password", username: user, password };
      },
    },
    {
      what: "answers to its questions",
      method: "keyboard-interactive",
      prepare: async () => ({
        type: "keyboard-interactive",
        username: user,
        prompt(_name, _instructions, _language, prompts, finish) {
          Promise.all(prompts.map(async ({ prompt }) => (await ask(prompt)) ?? "")).then(finish, () =>
            finish([]),
          );
        },
      }),
    },
  ];
}

interface KeyFile {
  readonly file: string;
  /** Somebody named it: that it can't be used is said. */
  readonly named: boolean;
  readonly passphrase: ((file: string) => Promise<string | undefined> | string | undefined) | undefined;
}

async function readKey(ssh2: Ssh2, { file, named, passphrase }: KeyFile) {
  const bytes = await readFile(file).catch((error: unknown) => {
    if (!named && errorCode(error) === "ENOENT") return undefined;
    throw systemError(error, file);
  });
  if (bytes === undefined) return undefined;
  const key = ssh2.utils.parseKey(bytes);
  if (!(key instanceof Error)) return key;
  if (!/encrypted/i.test(key.message)) {
    // Nobody named it: there may be others, as for ssh itself.
    if (!named) return undefined;
    throw new ToolgateError("invalid_input", `Not a private key: ${file}: ${key.message}`, { cause: key });
  }
  const phrase = await passphrase?.(file);
  if (phrase === undefined) {
    if (!named) return undefined;
    throw new ToolgateError("permission_denied", `The key ${file} has a passphrase.`, {
      hint: "Give the `passphrase` option, or add the key to an agent: ssh-add.",
    });
  }
  const opened = ssh2.utils.parseKey(bytes, phrase);
  if (!(opened instanceof Error)) return opened;
  throw new ToolgateError("permission_denied", `The passphrase doesn't open the key ${file}.`, {
    cause: opened,
  });
}
