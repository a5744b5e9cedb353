import { beforeAll, describe, expect, it } from "vitest";
import { decideCommand } from "../../test/permission-bash.ts";
import {
  decideFile,
  now,
  paperTool,
  verdict,
  type WorldOptions,
  world,
} from "../../test/permission-world.ts";
import { loadParser } from "../shell/analyse.ts";
import { decide } from "./engine.ts";

beforeAll(() => loadParser());

type Row = [command: string, expected: string, rules: readonly string[], options?: WorldOptions];

async function check(
  command: string,
  expected: string,
  rules: readonly string[],
  options: WorldOptions = {},
): Promise<void> {
  const decision = await decideCommand(command, { ...options, rules });
  expect(`${command} → ${verdict(decision)}`, decision.reason?.detail).toBe(`${command} → ${expected}`);
}

describe("deny and ask rules see a command in every form", () => {
  const rows: Row[] = [
    ["rm x", "deny", ["deny:Bash(rm:*)"]],
    ["ls && rm x", "deny", ["deny:Bash(rm:*)"]],
    ["ls; rm x", "deny", ["deny:Bash(rm:*)"]],
    ["ls | xargs rm", "deny", ["deny:Bash(rm:*)"]],
    ["true || rm x", "deny", ["deny:Bash(rm:*)"]],
    ["ls\nrm x", "deny", ["deny:Bash(rm:*)"]],
    ["sudo rm x", "deny", ["deny:Bash(rm:*)"]],
    ["/bin/rm x", "deny", ["deny:Bash(rm:*)"]],
    ["\\rm x", "deny", ["deny:Bash(rm:*)"]],
    ["'r'm x", "deny", ["deny:Bash(rm:*)"]],
    ["command rm x", "deny", ["deny:Bash(rm:*)"]],
    ["env A=1 rm x", "deny", ["deny:Bash(rm:*)"]],
    ["A=1 rm x", "deny", ["deny:Bash(rm:*)"]],
    ["timeout 5 rm x", "deny", ["deny:Bash(rm:*)"]],
    ["bash -c 'rm x'", "deny", ["deny:Bash(rm:*)"]],
    ["bash -c 'ls; rm x'", "deny", ["deny:Bash(rm:*)"]],
    ["find . -name x -exec rm {} +", "deny", ["deny:Bash(rm:*)"]],
    ["(cd a && rm x)", "deny", ["deny:Bash(rm:*)"]],
    ["for f in a b; do rm $f; done", "deny", ["deny:Bash(rm:*)"]],
    ["if true; then rm x; fi", "deny", ["deny:Bash(rm:*)"]],
    ["rm", "deny", ["deny:Bash(rm)"]],
    ["rm x", "deny", ["deny:Bash(rm)"]],
    ["rm -fr x", "deny", ["deny:Bash(rm -rf:*)"]],
    ["rm -r -f x", "deny", ["deny:Bash(rm -rf:*)"]],
    ["rm --recursive --force x", "deny", ["deny:Bash(rm -rf:*)"]],
    ["rm x", "ask", ["deny:Bash(rm -rf:*)"]],
    ["npm  run x", "deny", ["deny:Bash(npm run:*)"]],
    ["npm\trun x", "deny", ["deny:Bash(npm run:*)"]],
    ["npm --silent run x", "deny", ["deny:Bash(npm run:*)"]],
    ["git -C /x push", "deny", ["deny:Bash(git push:*)"]],
    ["git push origin main --force", "deny", ["deny:Bash(git push --force:*)"]],
    ["git push origin main", "ask", ["deny:Bash(git push --force:*)"]],
    ["cd x && git push", "ask", ["ask:Bash(git push:*)", "allow:Bash(git:*)"]],
    ["echo && git push", "ask", ["ask:Bash(git push:*)", "allow:Bash(git:*)"]],
    ["cd x && git push", "deny", ["deny:Bash(git push:*)", "allow:Bash(git:*)"]],
    ["git $X origin", "deny", ["deny:Bash(git push:*)"]],
    ["sudo ls", "deny", ["deny:Bash(sudo:*)"]],
    ["sudo -u root ls", "deny", ["deny:Bash(sudo ls:*)"]],
    ["curl https://x.example/a", "deny", ["deny:Bash(curl *)"]],
    ["/usr/bin/curl -s https://x.example/a", "deny", ["deny:Bash(curl *)"]],
    ["curl https://api.example.com/a", "deny", ["deny:web_fetch(domain:example.com)"]],
    ["ls", "deny", ["deny:Bash"]],
    ["ls", "deny", ["deny:Bash(*)"]],
    ["ls", "deny", ["deny:*"]],
    ["echo rm x", "allow", ["deny:Bash(rm:*)"]],
    ["git commit -m 'rm -rf x'", "ask", ["deny:Bash(rm:*)"]],
    ["cat <<'EOF'\nrm x\nEOF", "allow", ["deny:Bash(rm:*)"]],
    ["rmdir x", "ask", ["deny:Bash(rm:*)"]],
  ];
  it.each(rows)("%s → %s (%j)", check);
});

describe("allow rules settle a call only when every part is covered", () => {
  const rows: Row[] = [
    ["npm run build", "allow", ["allow:Bash(npm run:*)"]],
    ["npm run", "allow", ["allow:Bash(npm run:*)"]],
    ["npm run build", "allow", ["allow:Bash(npm run *)"]],
    ["npm run build", "allow", ["allow:Bash(npm run build)"]],
    ["npm  run   build", "allow", ["allow:Bash(npm run build)"]],
    ["npm run 'build'", "allow", ["allow:Bash(npm run build)"]],
    ["npm run build2", "ask", ["allow:Bash(npm run build)"]],
    ["npm runx", "ask", ["allow:Bash(npm run:*)"]],
    ["npm install", "ask", ["allow:Bash(npm run:*)"]],
    ["npm run build && npm test", "ask", ["allow:Bash(npm run:*)"]],
    ["npm run build && npm test", "allow", ["allow:Bash(npm run:*)", "allow:Bash(npm test)"]],
    ["npm run build | head -5", "allow", ["allow:Bash(npm run:*)"]],
    ["cd src && npm run build 2>&1 | tail -3 && echo done", "allow", ["allow:Bash(npm run:*)"]],
    ["npm run build 2>/dev/null", "allow", ["allow:Bash(npm run:*)"]],
    ["npm run build > log.txt", "allow", ["allow:Bash(npm run:*)"]],
    ["npm run build > /elsewhere/log.txt", "ask", ["allow:Bash(npm run:*)"]],
    ["npm run build > /elsewhere/log.txt", "allow", ["allow:Bash(npm run:*)", "allow:Edit(//elsewhere/**)"]],
    ["npm run build > .bashrc", "ask!", ["allow:Bash(npm run:*)", "allow:Edit(.bashrc)"]],
    ["timeout 5 npm run build", "allow", ["allow:Bash(npm run:*)"]],
    ["npm run build", "allow", ["allow:Bash(timeout 30 npm run:*)"]],
    ["CI=1 npm run build", "allow", ["allow:Bash(npm run:*)"]],
    ["CI=1 npm run build", "allow", ["allow:Bash(CI=1 npm run:*)"]],
    ["sudo ls", "ask", ["allow:Bash(ls:*)"]],
    ["sudo npm run build", "ask", ["allow:Bash(npm run:*)"]],
    ["sudo systemctl restart x", "allow", ["allow:Bash(sudo systemctl:*)"]],
    ["/elsewhere/npm run build", "ask", ["allow:Bash(npm run:*)"]],
    ["echo 'git status'; curl https://evil.example", "ask", ["allow:Bash(git status)"]],
    ["git push && curl https://evil.example", "ask", ["allow:Bash(git *)"]],
    ["find . -exec make {} +", "ask", ["allow:Bash(find:*)"]],
    ["find . -exec make {} +", "allow", ["allow:Bash(make:*)"]],
    ["make $(./x.sh)", "ask!", ["allow:Bash(make:*)"]],
    ["make", "allow", ["allow:Bash"]],
    ["rm -rf /", "ask!", ["allow:Bash"]],
    ["rm -rf build", "allow", ["allow:Bash(rm:*)"]],
    ["rm -rf /elsewhere/build", "ask!", ["allow:Bash(rm:*)"]],
    ["cat .env", "ask", ["allow:Bash(cat:*)"]],
    ["cat .env", "ask", ["allow:Bash"]],
    ["cat .env", "allow", ["allow:Bash(cat .env)"]],
    ["cat ~/.netrc", "allow", ["allow:Bash(cat ~/.netrc)"]],
    ["cat .env", "allow", ["allow:Read(.env)"]],
    ["cat .env", "ask", ["allow:Read(**)"]],
    ["cat .env", "deny", ["deny:Read(.env)", "allow:Bash(cat .env)"]],
    ["touch a && npm run build", "ask", ["allow:Bash(npm run:*)"]],
    ["touch a && npm run build", "allow", ["allow:Bash(npm run:*)"], { mode: "acceptEdits" }],
    ["npm run build > log", "allow", ["allow:Bash(npm run:*)"], { mode: "dontAsk" }],
    ["touch /elsewhere/a && npm run build", "ask", ["allow:Bash(npm run:*)"], { mode: "acceptEdits" }],
    ["touch .bashrc && npm run build", "ask!", ["allow:Bash(npm run:*)"], { mode: "acceptEdits" }],
    ["touch a && npm test", "ask", ["allow:Bash(npm run:*)"], { mode: "acceptEdits" }],
  ];
  it.each(rows)("%s → %s (%j)", check);
});

describe("deny and ask rules hold for a command with more behind it, allow rules don't", () => {
  const rows: Row[] = [
    ["git push origin main", "deny", ["deny:Bash(git push)"]],
    ["git push --force origin main", "deny", ["deny:Bash(git push --force)"]],
    ["git push origin main -f", "deny", ["deny:Bash(git push --force)"]],
    ["git push origin main", "ask", ["deny:Bash(git push --force)"]],
    ["npm publish --access public", "ask!", ["ask:Bash(npm publish)", "allow:Bash(npm publish:*)"]],
    ["npm publishing", "ask", ["deny:Bash(npm publish)"]],
    ["git push origin main", "ask", ["allow:Bash(git push)"]],
    ["git push", "allow", ["allow:Bash(git push)"]],
  ];
  it.each(rows)("%s → %s (%j)", async (command, expected, rules) => {
    const decision = await decideCommand(command, { rules });
    expect(decision.reason?.step === "ask-rule" ? "ask!" : verdict(decision)).toBe(expected);
  });
});

describe("a rule holds where what a command does isn't known before it runs", () => {
  const rows: Row[] = [
    ["$X -rf build", "ask", ["deny:Bash(rm:*)"]],
    ['env "$X" build', "ask", ["deny:Bash(rm:*)"]],
    ["ls | xargs $X", "ask", ["deny:Bash(rm:*)"]],
    ['bash -c "$X"', "ask", ["deny:Bash(rm:*)"]],
    ['bash "$X"', "ask", ["deny:Bash(rm:*)"]],
    ['eval "$X"', "ask", ["ask:Bash(git push:*)"]],
    ["sudo -u ann $X", "ask", ["deny:Bash(rm:*)"]],
    ["cat list | sh", "ask", ["deny:Bash(rm:*)"]],
    ["$(./which-one) build", "ask", ["deny:Bash(rm:*)"]],
    ["if true; then", "ask", ["deny:Bash(rm:*)"]],
    ["$X -rf build", "allow", ["deny:Read(.env)"]],
    ["$X -rf build", "allow", []],
    ['make "$X"', "allow", ["deny:Bash(rm:*)"]],
    ['bash build.sh "$X"', "allow", ["deny:Bash(rm:*)"]],
    ["./build.sh", "allow", ["deny:Bash(rm:*)"]],
    ["X=make; $X all", "allow", ["deny:Bash(rm:*)"]],
    ["X=rm; $X -r build", "deny", ["deny:Bash(rm:*)"]],
  ];
  it.each(rows)("in bypass mode, %s → %s (%j)", async (command, expected, rules) => {
    expect((await decideCommand(command, { mode: "bypass", rules })).behavior).toBe(expected);
  });

  it.each([
    ["$X -rf build", "ask", "allow:Bash"],
    ["make $X", "allow", "allow:Bash"],
    ['touch "$f"', "ask", "allow:Bash(touch:*)"],
    ["touch f", "allow", "allow:Bash(touch:*)"],
  ])("beside an allow rule, %s → %s (%s)", async (command, expected, allow) => {
    const rules = [allow, "deny:Bash(rm:*)", "deny:Edit(src/**)"];
    expect((await decideCommand(command, { rules })).behavior).toBe(expected);
  });

  const changes: Row[] = [
    ['echo x > "$f"', "ask", ["deny:Edit(src/**)"]],
    ['touch "$f"', "ask", ["deny:Edit(src/**)"]],
    ['rm "$f"', "ask", ["ask:Edit(src/**)"]],
    ['sed -i s/a/b/ "$f"', "ask", ["deny:Edit(src/**)"]],
    ["npm run build", "allow", ["deny:Edit(src/**)"]],
    ["go list -m -u all", "allow", ["deny:Edit(src/**)"]],
    ['touch "$f"', "allow", ["deny:Bash(rm:*)"]],
    ["touch lib/a", "allow", ["deny:Edit(src/**)"]],
    ['cat "$f"', "allow", ["deny:Edit(src/**)"]],
  ];
  it.each(changes)("about paths, %s → %s (%j)", async (command, expected, rules) => {
    expect((await decideCommand(command, { mode: "bypass", rules })).behavior).toBe(expected);
  });

  it("says so", async () => {
    const { reason } = await decideCommand("$X build", { mode: "bypass", rules: ["deny:Bash(rm:*)"] });
    expect(reason?.detail).toBe(
      "The deny rule Bash(rm:*) (session) may forbid what it turns out to do: it runs a program that isn't known before it runs (… build).",
    );
  });
});

describe("path rules are about what is touched, by whatever tool", () => {
  const links = { "/work/project/link": "/home/ann/.ssh", "/work/project/key": "/home/ann/.ssh/id_rsa" };
  const rows: Row[] = [
    ["cat ~/.ssh/id_rsa", "deny", ["deny:Read(~/.ssh/**)"]],
    ["head -1 < ~/.ssh/id_rsa", "deny", ["deny:Read(~/.ssh/**)"]],
    ["cat ~/.ssh/*", "deny", ["deny:Read(~/.ssh/id_rsa)"]],
    ["cat ~/.ssh/../.ssh/id_rsa", "deny", ["deny:Read(~/.ssh/**)"]],
    ["cat /home//ann/.ssh/id_rsa", "deny", ["deny:Read(~/.ssh/**)"]],
    ["cat /proc/self/root/home/ann/.ssh/id_rsa", "deny", ["deny:Read(~/.ssh/**)"]],
    ["cat /proc/self/cwd/notes", "deny", ["deny:Read(notes)"]],
    ["cat link/id_rsa", "deny", ["deny:Read(~/.ssh/**)"], { links }],
    ["cat key", "deny", ["deny:Read(~/.ssh/**)"], { links }],
    ["cat key", "deny", ["deny:Read(key)"], { links }],
    ["cat key", "ask", [], { links }],
    ["cd ~ && cat .ssh/id_rsa", "deny", ["deny:Read(~/.ssh/**)"]],
    ["grep -r x ~", "deny", ["deny:Read(~/.ssh/**)"]],
    ["grep -r x .", "deny", ["deny:Read(./secrets/**)"]],
    ["grep -r x src", "allow", ["deny:Read(./secrets/**)"]],
    ["find .", "allow", ["deny:Read(./secrets/**)"]],
    ["ls secrets", "deny", ["deny:Read(./secrets/**)"]],
    ["cat /etc/passwd", "deny", ["deny:Read(//**)"]],
    ["cat /etc/passwd", "deny", ["deny:Read(/etc/**)"]],
    ["cat ~/notes", "deny", ["deny:Read(~/**)"]],
    ["cat notes", "allow", ["deny:Read(~/**)"]],
    ["echo x > src/a.ts", "deny", ["deny:Edit(src/**)"]],
    ["echo x >> src/a.ts", "deny", ["deny:Write(src/**)"]],
    ["echo x > src/a.ts", "deny", ["deny:Edit(/src/**)"]],
    ["tee src/a.ts < b", "deny", ["deny:Edit(src/**)"]],
    ["sed -i s/a/b/ src/a.ts", "deny", ["deny:Edit(src/**)"]],
    ["cp b src/a.ts", "deny", ["deny:Edit(src/**)"]],
    ["rm src/a.ts", "deny", ["deny:Edit(src/**)"]],
    ["rm -r src", "deny", ["deny:Edit(src/keep/a.ts)"]],
    ["cat src/a.ts", "allow", ["deny:Edit(src/**)"]],
  ];
  it.each(rows)("%s → %s (%j)", check);

  it.each([
    ["Read", "/home/ann/.ssh/id_rsa", "deny"],
    ["Read", "/home/ann/.ssh/../.ssh/id_rsa", "deny"],
    ["Read", "/work/project/link/id_rsa", "deny"],
    ["Grep", "/home/ann", "deny"],
    ["Grep", "/home/ann/.ssh", "deny"],
    ["Glob", "/home/ann/.ssh", "deny"],
    ["Glob", "/home/ann", "allow"],
    ["Grep", "/work/project", "allow"],
  ] as const)("%s of %s → %s", (name, path, expected) => {
    expect(decideFile(name, path, { links, rules: ["deny:Read(~/.ssh/**)"] }).behavior).toBe(expected);
  });

  it("asks about a read whose path isn't known where a rule protects what it may be", () => {
    const tool = paperTool({ effects: () => [{ kind: "read", path: "/work/project", dynamic: true }] });
    const verdicts = [[], ["deny:Read(~/.ssh/**)"], ["ask:Read(./secrets/**)"], ["deny:Edit(**)"]].map(
      (rules) => verdict(now(decide(tool, {}, world({ rules })))),
    );
    expect(verdicts).toEqual(["allow", "ask", "ask", "allow"]);
  });

  it("takes a removal of a directory as one of what is below", () => {
    const tool = paperTool({ effects: () => [{ kind: "delete", path: "/work/project/src" }] });
    expect(verdict(now(decide(tool, {}, world({ rules: ["deny:Edit(src/a.ts)"] }))))).toBe("deny");
  });

  it("leaves out what a tool filters by itself", () => {
    const effect = { kind: "read", path: "/work/project", recursive: true } as const;
    const verdicts = [false, true].map((filtered) => {
      const tool = paperTool({ effects: () => [{ ...effect, filtered }] });
      return verdict(now(decide(tool, {}, world({ rules: ["deny:Read(./secrets/**)"] }))));
    });
    expect(verdicts).toEqual(["deny", "allow"]);
  });
});

describe("an allow rule for paths can't be walked out of", () => {
  const links = { "/work/project/src/evil": "/elsewhere" };
  it.each([
    ["Write", "/work/project/src/a.ts", "allow", "allow:Write(src/**)"],
    ["Write", "/work/project/src/../../../etc/passwd", "ask!", "allow:Write(src/**)"],
    ["Write", "/work/project/src/../out/a.ts", "ask", "allow:Write(src/**)"],
    ["Write", "/work/project/out/a.ts", "ask", "allow:Write(src/**)"],
    ["Write", "/work/project/src/evil/a.ts", "ask", "allow:Write(src/**)"],
    ["Edit", "/work/project/src/a.ts", "allow", "allow:Edit(/src/**)"],
    ["Edit", "/work/project/src/a.ts", "allow", "allow:Edit(/work/project/src/**)"],
    ["Edit", "/work/project/src/a.ts", "allow", "allow:Edit(//work/project/src/**)"],
    ["Edit", "/work/project/src/[id].ts", "allow", "allow:Edit(src/[[]id].ts)"],
    ["Edit", "/elsewhere/a.ts", "ask", "allow:Edit(/**)"],
    ["Edit", "/elsewhere/a.ts", "ask", "allow:Edit(**)"],
    ["Edit", "/elsewhere/a.ts", "allow", "allow:Edit(//**)"],
    ["Edit", "/work/project/deep/down/a.md", "allow", "allow:Edit(*.md)"],
    ["Edit", "/elsewhere/a.md", "ask", "allow:Edit(*.md)"],
    ["Edit", "/work/project/a.js", "allow", "allow:Edit(*.{ts,js})"],
  ] as const)("%s of %s → %s (%s)", (name, path, expected, rule) => {
    expect(verdict(decideFile(name, path, { rules: [rule], links }))).toBe(expected);
  });
});

describe("names of tools", () => {
  it.each([
    ["mcp__github__get_issue", "deny:mcp__github__*", "deny"],
    ["mcp__github__get_issue", "deny:mcp__github", "deny"],
    ["mcp__github__get_issue", "deny:mcp__github__get_issue", "deny"],
    ["mcp__github2__get_issue", "deny:mcp__github", "ask"],
    ["mcp__gitlab__get_issue", "deny:mcp__github__*", "ask"],
    ["mcp__github__get_issue", "allow:mcp__github__get_*", "allow"],
    ["mcp__github__delete", "allow:mcp__github__get_*", "ask"],
  ] as const)("%s under %s → %s", (name, rule, expected) => {
    const decision = now(decide(paperTool({ name, isMcp: true }), {}, world({ rules: [rule] })));
    expect(decision.behavior).toBe(expected);
  });

  it("asks the tool about content that only it understands", () => {
    const tool = paperTool({ name: "deploy", matches: (content) => content === "prod-*" });
    const verdicts = ["deny:deploy(prod-*)", "deny:deploy(test-*)", "allow:deploy(prod-*)"].map(
      (rule) => now(decide(tool, {}, world({ rules: [rule] }))).behavior,
    );
    expect(verdicts).toEqual(["deny", "ask", "allow"]);
  });
});

describe("a decision says why", () => {
  it("names step, rule, effect and place", async () => {
    const decision = await decideCommand("ls && /bin/rm x", { rules: ["deny:Bash(rm:*)"] });
    const { behavior, reason, message } = decision;
    expect({
      behavior,
      step: reason?.step,
      rule: reason?.rule?.ruleContent,
      span: reason?.span,
      message,
    }).toEqual({
      behavior: "deny",
      step: "deny-rule",
      rule: "rm:*",
      span: { start: 6, end: 15 },
      message: "Bash was denied. The deny rule Bash(rm:*) (session) forbids it: it runs /bin/rm x.",
    });
  });

  it("passes the judgement on, so that a tool needn't repeat it", () => {
    const input = {};
    let seen: unknown;
    const tool = paperTool({
      effects: () => [{ kind: "write", path: "/work/project/a" }],
      check: (_, { judgement }) => {
        seen = judgement?.input;
        return { behavior: "passthrough", message: "" };
      },
    });
    now(decide(tool, input, world()));
    expect(seen).toBe(input);
  });

  it("notices a rule that was added to the same list", () => {
    const rules = [...world({ rules: ["allow:Bash(make)"] }).rules];
    const context = { ...world(), rules };
    const tool = paperTool();
    const before = now(decide(tool, {}, context)).behavior;
    rules.push({ toolName: "Paper", ruleContent: null, behavior: "deny", source: "session" });
    expect([before, now(decide(tool, {}, context)).behavior]).toEqual(["ask", "deny"]);
  });
});
