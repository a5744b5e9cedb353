/** More than any document has. */
const MOST_ENTRIES = 50_000;

/** The names in a zip archive, by its central directory; `undefined` for what is no zip archive. Nothing is unpacked. */
export async function zipNames(bytes: Buffer): Promise<readonly string[] | undefined> {
  const { default: yauzl } = await import("yauzl");
  try {
    const zip = await yauzl.fromBufferPromise(bytes, { strictFileNames: false });
    const names: string[] = [];
    for await (const entry of zip.eachEntry()) {
      names.push(entry.fileName);
      if (names.length >= MOST_ENTRIES) break;
    }
    return names;
  } catch {
    // It throws plain errors for everything that is wrong with an archive.
    return undefined;
  }
}
