import { describe, expect, it } from "vitest";
import { parseBackend } from "./backend-choice.ts";

const DIGEST = `sha256:${"0a".repeat(32)}`;

const GOOD: readonly (readonly [string, ReturnType<typeof parseBackend>])[] = [
  ["local", { kind: "local" }],
  ["bubblewrap", { kind: "bubblewrap" }],
  ["docker:alpine", { kind: "docker", image: "alpine" }],
  ["docker:node:24-slim", { kind: "docker", image: "node:24-slim" }],
  ["docker:ghcr.io/me/tools:1.2", { kind: "docker", image: "ghcr.io/me/tools:1.2" }],
  ["docker:localhost:5000/me/x", { kind: "docker", image: "localhost:5000/me/x" }],
  [`docker:alpine@${DIGEST}`, { kind: "docker", image: `alpine@${DIGEST}` }],
  ["ssh:host", { kind: "ssh", host: "host" }],
  ["ssh:me@host", { kind: "ssh", user: "me", host: "host" }],
  ["ssh:me@host:2222/work/a b", { kind: "ssh", user: "me", host: "host", port: 2222, path: "/work/a b" }],
  ["ssh:host/", { kind: "ssh", host: "host", path: "/" }],
  ["ssh:root@[::1]:22/x", { kind: "ssh", user: "root", host: "::1", port: 22, path: "/x" }],
  ["e2b:base", { kind: "e2b", template: "base" }],
  ["e2b:team/my-template_1", { kind: "e2b", template: "team/my-template_1" }],
  ["k8s:agents/alpine", { kind: "k8s", namespace: "agents", image: "alpine" }],
  ["k8s:agents/ghcr.io/me/x:1", { kind: "k8s", namespace: "agents", image: "ghcr.io/me/x:1" }],
];

const BAD: readonly (readonly [string, RegExp])[] = [
  ["", /one of local, bubblewrap, docker:IMAGE/],
  ["Local", /one of local/],
  ["podman:alpine", /one of local/],
  ["local:x", /one of local/],
  ["docker", /form is docker:IMAGE/],
  ["docker:", /form is docker:IMAGE/],
  ["docker:--privileged", /form is docker:IMAGE/],
  ["docker:a b", /form is docker:IMAGE/],
  ["docker:$(x)", /form is docker:IMAGE/],
  ["docker:alpine\n", /form is docker:IMAGE/],
  ["ssh:", /form is ssh:/],
  ["ssh:-oProxyCommand=x", /form is ssh:/],
  ["ssh:me@-host", /form is ssh:/],
  ["ssh:me@", /form is ssh:/],
  ["ssh:host:0", /form is ssh:/],
  ["ssh:host:70000", /form is ssh:/],
  ["ssh:host:x", /form is ssh:/],
  ["ssh:host~/x", /form is ssh:/],
  ["ssh:me:secret@host", /form is ssh:/],
  ["e2b", /form is e2b:TEMPLATE/],
  ["e2b:../x", /form is e2b:TEMPLATE/],
  ["k8s:agents", /form is k8s:NAMESPACE\/IMAGE/],
  ["k8s:/alpine", /form is k8s:NAMESPACE\/IMAGE/],
  ["k8s:Agents/alpine", /form is k8s:NAMESPACE\/IMAGE/],
  ["k8s:agents/", /form is k8s:NAMESPACE\/IMAGE/],
];

describe("--backend", () => {
  it.each(GOOD)("%s", (text, choice) => {
    expect(parseBackend(text)).toEqual(choice);
  });

  it.each(BAD)("refuses %j and says the form", (text, hint) => {
    let error: unknown;
    try {
      parseBackend(text);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ code: "usage", hint: expect.stringMatching(hint) });
  });
});
