// Builds dist/: one bundle an entry with shared chunks, dependencies included, so that a start loads few files.
// With `--types` also the declarations. Why dependencies are bundled: docs/decisions/0001-bundled-dependencies.md.
import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const { dependencies = {}, peerDependencies = {} } = manifest;
/** What package.json exports, the command line, and what runs in a thread of its own. */
const entries = Object.values(manifest.exports)
  .flatMap((entry) => /^\.\/dist\/(.*)\.js$/.exec(entry.default ?? "")?.[1] ?? [])
  .concat("cli/main", "tools/web/extract-worker");

rmSync(dist, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: entries.map((name) => join("src", `${name}.ts`)),
  outdir: dist,
  outbase: "src",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node22",
  // What carries a binary, and what the user brings: everything else is bundled.
  external: [...Object.keys(dependencies), ...Object.keys(peerDependencies), "vitest"],
  // CommonJS dependencies ask for built-in modules through `require`.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
  minifySyntax: true,
  minifyWhitespace: true,
  alias: { "@modelcontextprotocol/server/_shims": join(root, "scripts", "mcp-sdk-shims.mjs") },
  chunkNames: "chunks/[name]-[hash]",
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
});
cpSync(join(root, "console"), join(dist, "console"), { recursive: true });
writeFileSync(join(dist, "THIRD-PARTY-LICENSES.txt"), licences(Object.keys(metafile.inputs)));
if (process.argv.includes("--types")) {
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  execFileSync(process.execPath, [tsc, "-p", join(root, "tsconfig.build.json")], {
    cwd: root,
    stdio: "inherit",
  });
}
writeFileSync(join(dist, ".stamp"), "");

/** The licence texts of every package that went into the bundle. */
function licences(inputs) {
  const folderOf = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;
  const packages = new Set(inputs.flatMap((input) => folderOf.exec(input)?.[1] ?? []));
  const texts = [...packages].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? "" : readFileSync(join(root, folder, file), "utf8").trim();
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}
