import { describe, expect, it } from "vitest";
import { redact, redactText } from "./redact.ts";

const A = "Ab3".repeat(12);

describe("redactText", () => {
  it.each([
    [
      "an AWS key id",
      "aws configure set aws_access_key_id AKIAIOSFODNN7EXAMPLE",
      "aws configure set aws_access_key_id [redacted AWS key id]",
    ],
    [
      "an AWS secret",
      "export AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG",
      "export AWS_SECRET_ACCESS_KEY=[redacted]",
    ],
    [
      "a GitHub token",
      `git push https://x-access-token:ghp_${A}@github.com/a/b`,
      "git push https://x-access-token:[redacted GitHub token]@github.com/a/b",
    ],
    ["a fine-grained GitHub token", `echo github_pat_${A}`, "echo [redacted GitHub token]"],
    ["an OpenAI key", `echo sk-proj-${A}`, "echo [redacted API key]"],
    ["an Anthropic key", `echo sk-ant-api03-${A}`, "echo [redacted API key]"],
    ["a Slack token", "curl -d token=xoxb-123456789012-abcdef", "curl -d token=[redacted Slack token]"],
    [
      "a Slack webhook",
      "curl https://hooks.slack.com/services/T0/B0/xyz",
      "curl https://hooks.slack.com/services/[redacted]",
    ],
    ["a JWT", "echo eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl", "echo [redacted JWT]"],
    [
      "a bearer header",
      "curl -H 'Authorization: Bearer abcdef0123456789' x",
      "curl -H 'Authorization: Bearer [redacted]' x",
    ],
    [
      "a basic header",
      'curl -H "authorization: Basic dXNlcjpwYXNz" x',
      'curl -H "authorization: Basic [redacted]" x',
    ],
    ["a cookie", "curl -H 'Cookie: sid=1; t=2' x", "curl -H 'Cookie: [redacted]' x"],
    [
      "a URL with a password",
      "psql postgres://app:hunter2@db/prod",
      "psql postgres://app:[redacted]@db/prod",
    ],
    ["password=", "connect host=db password=hunter2 user=x", "connect host=db password=[redacted] user=x"],
    ["a quoted assignment", 'DB_PASSWORD="a b c" node .', "DB_PASSWORD=[redacted] node ."],
    ["a JSON member", '{"apiKey": "k-123", "n": 1}', '{"apiKey": [redacted], "n": 1}'],
    ["an option", "login --password hunter2 --user x", "login --password [redacted] --user x"],
    ["curl -u", "curl -u me:hunter2 https://x", "curl -u me:[redacted] https://x"],
    ["mysql -p", "mysql -u root -phunter2 db", "mysql -u root -p[redacted] db"],
    [
      "a private key",
      "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nx",
      "[redacted private key]\nx",
    ],
    ["a cut private key", "-----BEGIN PRIVATE KEY-----\nMIIE", "[redacted private key]"],
  ])("replaces %s", (_name, text, expected) => {
    expect(redactText(text)).toBe(expected);
    expect(redactText(expected)).toBe(expected);
  });

  it.each([
    "git log --oneline -p src/tokenizer.ts",
    "mkdir -p build && ls -u",
    "npm test -- --run secrets",
    "https://example.com/a@b",
    "task-skeleton sketch",
    "grep -n 'password' src",
  ])("leaves %s as it is", (text) => {
    expect(redactText(text)).toBe(text);
  });

  it("never leaves the part of a secret that a cut leaves over", () => {
    const text = `${"x".repeat(1980)} sk-ant-${"s".repeat(100)}`;
    expect(redactText(text)).not.toContain("sss");
    expect(redactText(text).length).toBeLessThanOrEqual(2000);
  });

  it.each([
    ["letters", "a".repeat(1_000_000)],
    ["dots and colons", "a.-:".repeat(250_000)],
    ["unclosed keys", "-----BEGIN PRIVATE KEY-----".repeat(40_000)],
    ["half assignments", "password ".repeat(100_000)],
    ["half URLs", "a://b:c ".repeat(100_000)],
  ])("takes a bounded time for a megabyte of %s", (_name, text) => {
    const start = performance.now();
    expect(redactText(text).length).toBeLessThanOrEqual(2000);
    expect(performance.now() - start).toBeLessThan(500);
  });
});

describe("redact", () => {
  it("replaces the values of members with a secret's name, whatever they look like", () => {
    expect(
      redact({
        password: "x",
        api_key: 5,
        "access-token": { a: 1 },
        max_tokens: 100,
        key: "k",
        secret: null,
        Cookie: ["a"],
      }),
    ).toEqual({
      password: "[redacted]",
      api_key: "[redacted]",
      "access-token": "[redacted]",
      max_tokens: 100,
      key: "k",
      secret: null,
      Cookie: "[redacted]",
    });
  });

  it("keeps a __proto__ member as a member", () => {
    const input = JSON.parse('{"__proto__":{"polluted":true},"a":1}');
    const output = redact(input);
    expect(JSON.stringify(output)).toBe('{"__proto__":{"polluted":true},"a":1}');
    expect(Object.getPrototypeOf(output)).toBe(Object.prototype);
  });

  it("bounds text, members, depth and the whole", () => {
    const deep = JSON.parse(`${'{"a":'.repeat(50)}1${"}".repeat(50)}`);
    const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, "v".repeat(1000)]));
    const list = Array.from({ length: 5000 }, () => 1);
    const output = redact({ content: "c".repeat(1_000_000), deep, wide, list });
    expect(JSON.stringify(output).length).toBeLessThan(20_000);
  });

  it("ends on a value that holds itself", () => {
    const loop: Record<string, never> = {};
    Reflect.set(loop, "self", loop);
    Reflect.set(loop, "again", loop);
    expect(JSON.stringify(redact(loop)).length).toBeLessThan(40_000);
  });
});
