// Makes a checkout's package.json that of an image: what toolgate needs itself and the packages named, at the versions of the lock; the
// rest (what the build has bundled, what only tests need) is left to `npm prune`.
import { readFileSync, writeFileSync } from "node:fs";

const { name, version, license, type, bin, dependencies, devDependencies } = JSON.parse(
  readFileSync("package.json", "utf8"),
);
const kept = process.argv.slice(2).map((wanted) => {
  const range = devDependencies[wanted];
  if (range === undefined) throw new Error(`${wanted} isn't in package.json: the lock has no version of it.`);
  return [wanted, range];
});
const manifest = {
  name,
  version,
  license,
  type,
  bin,
  dependencies: { ...dependencies, ...Object.fromEntries(kept) },
};
writeFileSync("package.json", `${JSON.stringify(manifest, null, 2)}\n`);
