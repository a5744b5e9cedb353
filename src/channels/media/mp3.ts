const KILOBITS_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const KILOBITS_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const HERTZ = [44_100, 48_000, 32_000];

/** Whether bytes are MP3 audio: tagged as such, or two frames that follow each other. */
export function isMp3(bytes: Buffer): boolean {
  if (bytes.toString("latin1", 0, 3) === "ID3") return true;
  const first = frameLength(bytes, 0);
  if (first === undefined) return false;
  return bytes.length <= first + 4 || frameLength(bytes, first) !== undefined;
}

/** The length of the frame that begins at an offset, by its header; `undefined` when none does. */
function frameLength(bytes: Buffer, at: number): number | undefined {
  if (bytes.length < at + 4) return undefined;
  const header = bytes.readUInt32BE(at);
  if (header >>> 21 !== 0x7ff) return undefined;
  const version = (header >>> 19) & 3;
  const isLayer3 = ((header >>> 17) & 3) === 1;
  const kilobits = (version === 3 ? KILOBITS_1 : KILOBITS_2)[(header >>> 12) & 15];
  const hertz = HERTZ[(header >>> 10) & 3];
  if (version === 1 || !isLayer3 || !kilobits || hertz === undefined) return undefined;
  const rate = version === 3 ? hertz : version === 2 ? hertz / 2 : hertz / 4;
  return Math.floor(((version === 3 ? 144 : 72) * kilobits * 1000) / rate) + ((header >>> 9) & 1);
}
