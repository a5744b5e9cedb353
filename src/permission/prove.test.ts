import { beforeAll, describe, expect, it } from "vitest";
import { BASH } from "../../test/permission-bash.ts";
import {
  type FileToolName,
  fileTool,
  now,
  paperTool,
  rule,
  verdict,
  type WorldOptions,
  world,
} from "../../test/permission-world.ts";
import { loadParser } from "../shell/analyse.ts";
import { decide } from "./engine.ts";
import { proveSuggestions, whyNoSuggestion } from "./prove.ts";

beforeAll(() => loadParser());

function suggestions(command: string, options: WorldOptions = {}): readonly string[] {
  const context = world(options);
  const input = { command };
  const decision = now(decide(BASH, input, context));
  return now(proveSuggestions(BASH, input, context, decision)).map((suggestion) => suggestion.text);
}

describe("suggestions for commands", () => {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["npm run build", ["Bash(npm run build)", "Bash(npm run build:*)"]],
    ["npm test", ["Bash(npm test)", "Bash(npm test:*)"]],
    ["git commit -m 'fix it'", ["Bash(git commit -m 'fix it')", "Bash(git commit:*)"]],
    ["sudo systemctl restart nginx", ["Bash(sudo systemctl restart nginx)"]],
    [
      "gcloud scheduler jobs delete x",
      ["Bash(gcloud scheduler jobs delete x)", "Bash(gcloud scheduler jobs delete:*)"],
    ],
    // What runs anything is never offered broadly.
    ["python3 -c 'print(1)'", ["Bash(python3 -c 'print(1)')"]],
    ["python3 scripts/a.py --x", ["Bash(python3 scripts/a.py --x)", "Bash(python3 scripts/a.py:*)"]],
    ["curl -s https://x.example/a", ["Bash(curl -s https://x.example/a)"]],
    ["rm -rf build", ["Bash(rm -rf build)"]],
    // A compound takes a rule for each part that needs one.
    ["cd src && npm test | head -5", ["Bash(npm test)", "Bash(npm test:*)"]],
    ["npm test && make all", ["Bash(npm test), Bash(make all)", "Bash(npm test:*), Bash(make all:*)"]],
    // A redirection outside needs its own rule: that of the command would never settle it.
    [
      "npm test > /elsewhere/log",
      ["Edit(/elsewhere/log), Bash(npm test)", "Edit(/elsewhere/**), Bash(npm test:*)"],
    ],
    // What will be different next time is left open.
    ["docker restart 3f2a9c1b7e44", ["Bash(docker restart:*)"]],
    ["pytest /tmp/run-8812/test_a.py", ["Bash(pytest:*)"]],
    ["cat .env", ["Bash(cat .env)", "Read(./.env)"]],
    // Nothing settles a safety question.
    ["rm -rf /", []],
    ["echo x > .env", []],
  ];
  it.each(rows)("%s → %j", (command, expected) => {
    expect([...suggestions(command)].sort()).toEqual([...expected].sort());
  });

  it("each settle the very same call when they are added", () => {
    const context = world();
    for (const [command] of rows) {
      const input = { command };
      const found = now(proveSuggestions(BASH, input, context, now(decide(BASH, input, context))));
      for (const suggestion of found) {
        const rules = suggestion.rules ?? [suggestion.rule];
        expect(`${command}: ${verdict(now(decide(BASH, input, { ...context, rules })))}`).toBe(
          `${command}: allow`,
        );
      }
    }
  });

  it("are the same whether or not the command is wrapped or has assignments", () => {
    expect(suggestions("CI=1 timeout 5 npm test")).toEqual(suggestions("npm test"));
  });

  it("say what else they allow", () => {
    const context = world();
    const input = { command: "npm run build > /elsewhere/log" };
    const found = now(proveSuggestions(BASH, input, context, now(decide(BASH, input, context))));
    expect(found.at(-1)?.alsoAllows).toBe(
      "changes by any tool to any file below /elsewhere (or ./elsewhere); any command that begins with `npm run build`",
    );
  });

  it("are none where no rule counts, with the reason", () => {
    const why = (options: WorldOptions, command = "make"): string | undefined => {
      const context = world(options);
      return whyNoSuggestion(now(decide(BASH, { command }, context)), context);
    };
    expect([
      why({ rules: ["deny:Bash(make)"] }),
      why({ rules: ["ask:Bash(make)"] }),
      why({ mode: "explore" }),
      why({}, "rm -rf /"),
      why({}, "ls"),
      why({}),
      why({ mode: "dontAsk" }),
    ]).toEqual([
      "A deny rule forbids it; no allow rule is stronger.",
      "A rule wants it asked every time; no allow rule is stronger.",
      "Rules don't count in explore mode.",
      "It is a safety question, which no rule may silence; answer it each time.",
      "It is allowed already.",
      undefined,
      undefined,
    ]);
  });
});

describe("suggestions for file tools", () => {
  it.each<readonly [FileToolName, string, readonly string[]]>([
    ["Write", "/work/project/src/a.ts", ["Write(./src/a.ts)", "Write(./src/**)"]],
    ["Edit", "/work/project/a.ts", ["Edit(./a.ts)", "Edit(./**)"]],
    ["Edit", "/home/ann/notes/a", ["Edit(~/notes/a)", "Edit(~/notes/**)"]],
    ["Edit", "/elsewhere/a", ["Edit(/elsewhere/a)", "Edit(/elsewhere/**)"]],
    ["Edit", "/work/project/app/[id].tsx", ["Edit(./app/[[]id].tsx)", "Edit(./app/**)"]],
    ["Read", "/home/ann/.netrc", ["Read(~/.netrc)"]],
    ["Edit", "/home/ann/.netrc", []],
  ])("%s of %s", (name, path, expected) => {
    const context = world();
    const tool = fileTool(name);
    const decision = now(decide(tool, { path }, context));
    const found = now(proveSuggestions(tool, { path }, context, decision)).map(
      (suggestion) => suggestion.text,
    );
    expect(found.filter((text) => !text.startsWith(`${name}(//work/project`))).toEqual(expected);
  });

  it("come from the tool where it doesn't state its effects, and are tried all the same", async () => {
    const tool = paperTool({
      name: "deploy",
      matches: (content) => content === "staging",
      suggests: [rule("allow:deploy(prod)"), rule("allow:deploy(staging)"), rule("allow:deploy")],
    });
    const context = world();
    const decision = await decide(tool, {}, context);
    const found = await proveSuggestions(tool, {}, context, decision);
    expect(found.map((suggestion) => suggestion.text)).toEqual(["deploy(staging)", "deploy"]);
  });
});
