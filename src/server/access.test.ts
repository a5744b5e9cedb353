import { describe, expect, it } from "vitest";
import { accessFor, checkOrigin, checkToken } from "./access.ts";

const local = accessFor("127.0.0.1", undefined);
const wide = accessFor("0.0.0.0", "a-token-of-enough-characters");
const named = accessFor("127.0.0.1", undefined, ["Gate.example"]);

describe("accessFor", () => {
  it("makes a token that can't be guessed", () => {
    expect(local.token).toMatch(/^[\w-]{32}$/);
    expect(accessFor("localhost", undefined).token).not.toBe(local.token);
  });

  it.each(["*", "http://gate.example", "gate.example:80", "gate..example", "", "-x"])(
    "refuses %j as a name",
    (name) => {
      expect(() => accessFor("127.0.0.1", undefined, [name])).toThrow("is no host name");
    },
  );

  it.each([
    ["0.0.0.0", undefined, /no token was given/],
    ["192.168.1.5", undefined, /no token was given/],
    ["127.0.0.1", "short", /too short/],
  ])("refuses %s with token %s", (host, token, message) => {
    expect(() => accessFor(host, token)).toThrow(message);
  });
});

describe("checkOrigin", () => {
  it.each([
    ["localhost:4780", undefined, local, undefined],
    ["127.0.0.1:4780", "http://localhost:3000", local, undefined],
    ["[::1]:4780", "http://[::1]:4780", local, undefined],
    ["evil.example", undefined, local, 403],
    ["evil.example:4780", undefined, wide, 403],
    ["127.0.0.1.evil.example", undefined, local, 403],
    ["localhost:4780", "https://evil.example", local, 403],
    ["localhost:4780", "null", local, 403],
    ["", undefined, local, 403],
    ["192.168.1.5:4780", undefined, local, 403],
    ["192.168.1.5:4780", undefined, wide, undefined],
    ["192.168.1.5:4780", "https://evil.example", wide, 403],
    ["gate.example", undefined, named, undefined],
    ["GATE.example:4780", "https://gate.example", named, undefined],
    ["gate.example", "https://evil.example", named, 403],
    ["other.gate.example", undefined, named, 403],
    ["gate.example.evil.example", undefined, named, 403],
    ["192.168.1.5:4780", undefined, named, 403],
  ])("host %s, origin %s", (host, origin, access, status) => {
    const headers = new Headers(origin === undefined ? { host } : { host, origin });
    expect(checkOrigin(headers, access)?.status).toBe(status);
  });
});

describe("checkToken", () => {
  it.each([
    [`Bearer ${wide.token}`, undefined],
    [`bearer  ${wide.token}`, undefined],
    [`Bearer ${wide.token}x`, 401],
    [`Bearer ${wide.token.slice(0, -1)}`, 401],
    ["Bearer ", 401],
    [wide.token, 401],
    ["", 401],
  ])("%s", (authorization, status) => {
    expect(checkToken(new Headers({ authorization }), wide)?.status).toBe(status);
  });
});
