import { describe, expect, it } from "vitest";
import { engineAddress, spelled } from "./address.ts";
import { dockerUsable } from "./usable.ts";

const ADDRESSES: readonly (readonly [
  host: string,
  env: Readonly<Record<string, string>>,
  spelled: string,
  protocol: "http" | "https" | undefined,
])[] = [
  ["unix:///run/docker.sock", {}, "/run/docker.sock", undefined],
  ["tcp://10.0.0.1:2375", {}, "10.0.0.1:2375", "http"],
  ["tcp://10.0.0.1:2376", {}, "10.0.0.1:2376", "https"],
  ["tcp://host", {}, "host:2375", "http"],
  ["tcp://host", { DOCKER_TLS_VERIFY: "1" }, "host:2376", "https"],
  ["http://host:80", {}, "host:80", "http"],
  ["https://host:443", {}, "host:443", "https"],
  ["host:1234", {}, "host:1234", "http"],
];

const REFUSED: readonly (readonly [host: string, code: string])[] = [
  ["ssh://somebody@host", "unsupported"],
  ["gopher://host", "usage"],
  ["tcp://[", "usage"],
];

const UNUSABLE: readonly (readonly [host: string, why: RegExp])[] = [
  ["unix:///nowhere/docker.sock", /no such socket/],
  ["tcp://127.0.0.1:1", /nobody listens/],
  ["ssh://host", /doesn't reach/],
];

describe("the address of an engine", () => {
  it.each(ADDRESSES)("%s", (host, env, name, protocol) => {
    const address = engineAddress(host, { DOCKER_CERT_PATH: "/nowhere", ...env });
    expect([spelled(address), address.protocol]).toEqual([name, protocol]);
  });

  it.each(REFUSED)("%s is refused", (host, code) => {
    expect(() => engineAddress(host, {})).toThrow(expect.objectContaining({ code }));
  });

  it.each(UNUSABLE)("%s can't be used, and it is said why", async (host, why) => {
    expect(await dockerUsable(host)).toEqual({ usable: false, why: expect.stringMatching(why) });
  });
});
