import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Where commands find themselves inside the sandbox. */
export const HOME = "/home/dev";
/** The repository they start in. */
export const PROJECT = "/home/dev/project";
/** The only place that a command which reads may write to. */
export const PRIVATE_TEMP = "/tmp/private";

/** Files that nobody may read unasked, by their place in the sandbox. */
export const SECRETS: readonly string[] = [
  `${PROJECT}/.env`,
  `${PROJECT}/config/.env.production`,
  `${HOME}/.ssh/id_rsa`,
  `${HOME}/.aws/credentials`,
  `${HOME}/.netrc`,
];

/** The fixture's symbolic links, for the judgement, which resolves paths as a backend would. */
export const LINKS: Readonly<Record<string, string>> = {
  [`${PROJECT}/link.txt`]: `${PROJECT}/README.md`,
  [`${PROJECT}/link-src`]: `${PROJECT}/src`,
  [`${PROJECT}/link-env`]: `${PROJECT}/.env`,
  [`${PROJECT}/link-out`]: `${HOME}/outside`,
  [`${PROJECT}/src/up`]: PROJECT,
};

/** What a repository's own settings can start: each program writes its name here when it runs. */
export const HELPER_FOLDER: string = `${PROJECT}/.git/helpers`;

const FILES: Readonly<Record<string, string>> = {
  "project/README.md": "# Project\n\nTODO: write more.\nalpha beta gamma\nfoo bar\n",
  "project/notes.txt": "one\ntwo\nthree\nfour\nerror: five\n",
  "project/app.log": "2024-01-01 INFO start\n2024-01-01 ERROR failed\n2024-01-02 WARN slow\n",
  "project/data.csv": "id,name,size\n1,a,10\n2,b,20\n3,c,30\n",
  "project/data.json": '{"name":"x","items":[{"id":1},{"id":2}],"version":"1.2.3"}\n',
  "project/conf.yaml": "name: x\nitems:\n  - 1\n  - 2\n",
  "project/package.json": '{"name":"x","version":"1.0.0","scripts":{"test":"touch pwned"}}\n',
  "project/Makefile": "all:\n\ttouch pwned\n",
  "project/prog.awk": '{ print > "pwned" }\n',
  "project/prog.sed": "w pwned\n",
  "project/prog.jq": ".name\n",
  "project/list.txt": "README.md\nnotes.txt\nsrc/main.c\n",
  "project/empty": "",
  "project/with space.txt": "blank\n",
  "project/-rf": "a name like an option\n",
  "project/--output=pwned": "a name like an option\n",
  "project/x.sh": "#!/bin/sh\ntouch pwned\n",
  "project/bin/ls": "#!/bin/sh\ntouch pwned\n",
  "project/bin/less": "#!/bin/sh\ntouch pwned\n",
  "project/.env": "SECRET=1\n",
  "project/config/.env.production": "SECRET=2\n",
  "project/config/app.ini": "[a]\nb = c\n",
  "project/src/main.c": "#include <stdio.h>\nint main(void) { return 0; }\n",
  "project/src/util.py": "import os\n\ndef foo():\n    return os.getcwd()\n",
  "project/src/app.ts": "export const a = 1;\nexport function foo() { return a; }\n",
  "project/src/deep/er/file.txt": "deep\nfoo\n",
  "project/tests/test_util.py": "def test_foo():\n    assert True\n",
  "project/patch.diff": "--- a/notes.txt\n+++ b/notes.txt\n@@ -1 +1 @@\n-one\n+uno\n",
  "outside/file.txt": "outside\n",
  ".ssh/id_rsa": "not a key\n",
  ".aws/credentials": "[default]\n",
  ".netrc": "machine example.invalid login a password b\n",
  ".bashrc": "touch /home/dev/project/pwned\n",
  ".lesskey": "",
};

/** What a hostile repository sets, each naming a program of its own. */
const HOSTILE_CONFIG: readonly (readonly [string, string])[] = [
  ["core.fsmonitor", "fsmonitor"],
  ["core.pager", "pager"],
  ["core.editor", "editor"],
  ["core.sshCommand", "ssh"],
  ["core.askPass", "askpass"],
  ["core.gitProxy", "proxy"],
  ["core.alternateRefsCommand", "alternate-refs"],
  ["diff.external", "external-diff"],
  ["diff.helper.textconv", "textconv"],
  ["filter.helper.clean", "clean"],
  ["filter.helper.smudge", "smudge"],
  ["gpg.program", "gpg"],
  ["credential.helper", "credential"],
  ["interactive.diffFilter", "diff-filter"],
  ["merge.helper.driver", "merge"],
  ["sequence.editor", "sequence-editor"],
  ["trailer.sign.command", "trailer"],
  ["uploadpack.packObjectsHook", "pack-objects"],
  ["alias.lg", "!alias"],
  ["alias.st", "!alias"],
  ["man.viewer", "man"],
  ["web.browser", "browser"],
  ["browser.browser.cmd", "browser"],
  ["man.man.cmd", "man"],
];

/** Makes the home folder that commands are given, with its repository. `hostile` settings name programs in `.git`. */
export function buildFixture(root: string, hostile: boolean): void {
  for (const [name, content] of Object.entries(FILES)) {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  const project = join(root, "project");
  for (const name of ["x.sh", "bin/ls", "bin/less"]) chmodSync(join(project, name), 0o755);
  copyFileSync("/bin/true", join(project, "tool"));
  for (const [from, to] of Object.entries(LINKS)) symlinkSync(to, from.replace(HOME, root));
  archives(project);
  history(root, project);
  if (hostile) makeHostile(root, project);
}

function archives(project: string): void {
  execFileSync("tar", ["-czf", "archive.tar.gz", "notes.txt", "data.csv"], { cwd: project });
  execFileSync("tar", ["-cf", "archive.tar", "notes.txt", "src"], { cwd: project });
  execFileSync("gzip", ["-k", "data.csv"], { cwd: project });
}

/** Git, for the fixture only: no setting of the machine counts. */
function git(root: string, project: string, ...args: string[]): void {
  execFileSync("git", args, {
    cwd: project,
    stdio: ["ignore", "ignore", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: root,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_DATE: "2024-01-01T00:00:00Z",
      GIT_COMMITTER_DATE: "2024-01-01T00:00:00Z",
    },
  });
}

function history(root: string, project: string): void {
  const run = (...args: string[]): void => git(root, project, ...args);
  run("init", "-q", "-b", "main");
  run("config", "user.name", "Dev");
  run("config", "user.email", "dev@example.invalid");
  writeFileSync(join(project, ".gitignore"), ".env\n.env.*\nlink-env\n");
  writeFileSync(join(project, ".gitattributes"), "*.c diff=helper\n*.py filter=helper\n*.ts merge=helper\n");
  run("add", ".");
  run("commit", "-q", "-m", "first");
  run("tag", "v1.0");
  run("branch", "topic");
  writeFileSync(join(project, "notes.txt"), "one\ntwo\n2.5\nthree\n");
  run("commit", "-q", "-a", "-m", "second foo");
  run("tag", "-a", "v1.1", "-m", "annotated");
  run("remote", "add", "origin", "https://example.invalid/x.git");
  writeFileSync(join(project, "src/app.ts"), "export const a = 2;\n");
  run("stash", "-q");
  writeFileSync(join(project, "src/main.c"), "int main(void) { return 1; }\n");
  writeFileSync(join(project, "src/util.py"), "def foo():\n    return 2\n");
  writeFileSync(join(project, "notes.txt"), "one\nzwei\n");
  run("add", "notes.txt");
}

function makeHostile(root: string, project: string): void {
  const folder = join(project, ".git/helpers");
  mkdirSync(folder);
  for (const [key, name] of HOSTILE_CONFIG) {
    const file = name.replace("!", "");
    const path = join(folder, file);
    writeFileSync(path, "#!/bin/sh\nexit 0\n");
    chmodSync(path, 0o755);
    const shown = `${HELPER_FOLDER}/${file}`;
    git(root, project, "config", key, name.startsWith("!") ? `!${shown}` : shown);
  }
  for (const name of ["post-index-change", "pre-commit", "post-checkout", "reference-transaction"]) {
    const path = join(project, ".git/hooks", name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `#!/bin/sh\nexec ${HELPER_FOLDER}/hook\n`);
    chmodSync(path, 0o755);
  }
  git(root, project, "config", "log.showSignature", "true");
  git(root, project, "config", "pager.log", `${HELPER_FOLDER}/pager`);
}
