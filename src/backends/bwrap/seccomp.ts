/**
 * A kernel filter that leaves a confined program no socket out of its network namespace. A namespace stops the internet, but
 * not the sockets in the file system: with Docker's, systemd's or D-Bus's a program could have others write for it.
 * Written as the kernel reads it, one instruction a row (`linux/seccomp.h`, `linux/filter.h`).
 */

const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_GREATER_EQUAL = 0x35;
const RETURN = 0x06;

const OFFSET_SYSCALL = 0;
const OFFSET_ARCHITECTURE = 4;
const OFFSET_FIRST_ARGUMENT = 16;

const ALLOW = 0x7fff0000;
const REFUSE = 0x00050000 | 13; // EACCES

/** Families that the network namespace confines: internet, internet 6, netlink. */
const CONFINED_FAMILIES = [2, 10, 16] as const;
const UNIX_FAMILY = 1;
/** `io_uring_setup`, everywhere the same: it would make sockets past this filter. */
const IO_URING_SETUP = 425;

interface Architecture {
  readonly native: number;
  readonly socket: number;
  /** The 32-bit mode of the same machine: its calls that make sockets are refused whole. */
  readonly compat: number;
  readonly compatSockets: readonly number[];
  /**
   * What only helps to get at keys and at the kernel: `add_key`, `request_key`, `keyctl`, `bpf`, `perf_event_open`,
   * `userfaultfd`; first for the native mode, then for the 32-bit one.
   */
  readonly kernel: readonly [readonly number[], readonly number[]];
  /** Calls from here on belong to yet another mode (x32). */
  readonly limit?: number;
}

const ARCHITECTURES: ReadonlyMap<string, Architecture> = new Map([
  [
    "x64",
    {
      native: 0xc000003e,
      socket: 41,
      compat: 0x40000003,
      compatSockets: [102, 359],
      kernel: [
        [248, 249, 250, 321, 298, 323],
        [286, 287, 288, 357, 336, 374],
      ],
      limit: 0x40000000,
    },
  ],
  [
    "arm64",
    {
      native: 0xc00000b7,
      socket: 198,
      compat: 0x40000028,
      compatSockets: [281],
      kernel: [
        [217, 218, 219, 280, 241, 282],
        [309, 310, 311, 386, 364, 388],
      ],
    },
  ],
]);

type Instruction = readonly [code: number, yes: number, no: number, value: number];

/** What a filter does besides its first task. */
export interface FilterOptions {
  /** Lets sockets in the file system be used, where it holds none but the sandbox's own. @default false */
  readonly unixSockets?: boolean;
  /** Refuses keyrings and what else is used to attack the kernel rather than to work. @default false */
  readonly guardsKernel?: boolean;
}

/** The filter for a machine; `undefined` for one whose numbers aren't known here. */
export function socketFilter(machine: string, options: FilterOptions = {}): Buffer | undefined {
  const architecture = ARCHITECTURES.get(machine);
  return architecture === undefined ? undefined : encode(program(architecture, options));
}

/** Jumps count the instructions they skip, so each block is put together from its end. */
function program(architecture: Architecture, options: FilterOptions): readonly Instruction[] {
  const { native, socket, compat, compatSockets, kernel, limit } = architecture;
  const { unixSockets = false, guardsKernel = false } = options;
  const [guarded, compatGuarded] = guardsKernel ? kernel : [[], []];
  const passing = unixSockets ? [UNIX_FAMILY, ...CONFINED_FAMILIES] : CONFINED_FAMILIES;
  const refuse: Instruction = [RETURN, 0, 0, REFUSE];
  const allow: Instruction = [RETURN, 0, 0, ALLOW];
  const families = passing.map(
    (family, index): Instruction => [JUMP_EQUAL, passing.length - index, 0, family],
  );
  const domain: Instruction[] = [[LOAD, 0, 0, OFFSET_FIRST_ARGUMENT], ...families, refuse, allow];
  const nativeBlock: Instruction[] = [
    [LOAD, 0, 0, OFFSET_SYSCALL],
    ...refusals(limit === undefined ? [] : [[JUMP_GREATER_EQUAL, limit]]),
    ...refusals([IO_URING_SETUP, ...guarded].map((call) => [JUMP_EQUAL, call] as const)),
    [JUMP_EQUAL, 1, 0, socket],
    allow,
    ...domain,
  ];
  const compatBlock: Instruction[] = [
    [LOAD, 0, 0, OFFSET_SYSCALL],
    ...refusals(
      [IO_URING_SETUP, ...compatSockets, ...compatGuarded].map((call) => [JUMP_EQUAL, call] as const),
    ),
    allow,
  ];
  return [
    [LOAD, 0, 0, OFFSET_ARCHITECTURE],
    [JUMP_EQUAL, 0, nativeBlock.length, native],
    ...nativeBlock,
    [JUMP_EQUAL, 0, compatBlock.length, compat],
    ...compatBlock,
    refuse,
  ];
}

/** For each test: refuse when it holds, else go on. */
function refusals(tests: readonly (readonly [code: number, value: number])[]): Instruction[] {
  return tests.flatMap(([code, value]): Instruction[] => [
    [code, 0, 1, value],
    [RETURN, 0, 0, REFUSE],
  ]);
}

function encode(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(instructions.length * 8);
  for (const [index, [code, yes, no, value]] of instructions.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(yes, index * 8 + 2);
    bytes.writeUInt8(no, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  }
  return bytes;
}
