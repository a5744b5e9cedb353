import { describe, expect, it } from "vitest";
import { socketFilter } from "./seccomp.ts";

/** Machine, its number in the kernel, call, first argument, and whether the call passes. */
const ROWS = [
  ["x64", 0xc000003e, "read", 0, 0, true],
  ["x64", 0xc000003e, "socket, Unix", 41, 1, false],
  ["x64", 0xc000003e, "socket, internet", 41, 2, true],
  ["x64", 0xc000003e, "socket, internet 6", 41, 10, true],
  ["x64", 0xc000003e, "socket, netlink", 41, 16, true],
  ["x64", 0xc000003e, "socket, virtual machine", 41, 40, false],
  ["x64", 0xc000003e, "socketpair, Unix", 53, 1, true],
  ["x64", 0xc000003e, "io_uring_setup", 425, 0, false],
  ["x64", 0xc000003e, "socket, in x32 mode", 0x40000029, 1, false],
  ["x64", 0x40000003, "read, in 32-bit mode", 3, 0, true],
  ["x64", 0x40000003, "socketcall, in 32-bit mode", 102, 1, false],
  ["x64", 0x40000003, "socket, in 32-bit mode", 359, 2, false],
  ["x64", 0xc00000b7, "read, on a foreign machine", 0, 0, false],
  ["arm64", 0xc00000b7, "socket, Unix", 198, 1, false],
  ["arm64", 0xc00000b7, "socket, internet", 198, 2, true],
  ["arm64", 0x40000028, "socket, in 32-bit mode", 281, 1, false],
  ["arm64", 0x40000028, "read, in 32-bit mode", 3, 0, true],
] as const;

describe("the socket filter", () => {
  it.each(ROWS)("%s %i: %s", (machine, architecture, _name, call, argument, passes) => {
    const filter = socketFilter(machine);
    expect(filter && run(filter, { architecture, call, argument })).toBe(passes ? 0x7fff0000 : 0x0005000d);
  });

  it.each([
    ["x64", 0xc000003e, 1, "keyctl", 250],
    ["x64", 0xc000003e, 1, "bpf", 321],
    ["x64", 0x40000003, 1, "keyctl, in 32-bit mode", 288],
    ["arm64", 0xc00000b7, 1, "perf_event_open", 241],
    ["arm64", 0x40000028, 1, "userfaultfd, in 32-bit mode", 388],
  ] as const)("of a whole sandbox guards the kernel on %s %i too: %#, %s", (...row) => {
    const [machine, architecture, argument, , call] = row;
    const filter = socketFilter(machine, { unixSockets: true, guardsKernel: true });
    expect(filter && run(filter, { architecture, call, argument })).toBe(0x0005000d);
    const plain = socketFilter(machine);
    expect(plain && run(plain, { architecture, call, argument })).toBe(0x7fff0000);
  });

  it.each([
    ["x64", 0xc000003e, 41, 1, true],
    ["x64", 0xc000003e, 41, 2, true],
    ["x64", 0xc000003e, 41, 38, false],
    ["x64", 0xc000003e, 41, 40, false],
    ["arm64", 0xc00000b7, 198, 1, true],
  ] as const)("of a whole sandbox may pass its own sockets: %s %i, call %i, family %i: %s", (...row) => {
    const [machine, architecture, call, argument, passes] = row;
    const filter = socketFilter(machine, { unixSockets: true });
    expect(filter && run(filter, { architecture, call, argument })).toBe(passes ? 0x7fff0000 : 0x0005000d);
  });

  it("is missing for a machine whose numbers aren't known", () => {
    expect(socketFilter("riscv64")).toBeUndefined();
  });
});

interface Call {
  readonly architecture: number;
  readonly call: number;
  readonly argument: number;
}

/** A second reading of the kernel's rules, to hold the first against. */
function run(filter: Buffer, { architecture, call, argument }: Call): number {
  const fields = new Map([
    [0, call],
    [4, architecture],
    [16, argument],
  ]);
  let value = 0;
  for (let at = 0; at * 8 < filter.length; at += 1) {
    const code = filter.readUInt16LE(at * 8);
    const operand = filter.readUInt32LE(at * 8 + 4);
    if (code === 0x06) return operand;
    if (code === 0x20) value = fields.get(operand) ?? 0;
    if (code !== 0x15 && code !== 0x35) continue;
    const holds = code === 0x15 ? value === operand : value >= operand;
    at += filter.readUInt8(at * 8 + (holds ? 2 : 3));
  }
  throw new Error("ran off the end");
}
