/** A frame of Feishu's long connection: a message of protocol buffers, with these fields. */
export interface Frame {
  readonly service: number;
  /** 0 for what concerns the connection, 1 for events. */
  readonly method: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: string;
}

const SEQ_ID = 1;
const LOG_ID = 2;
const SERVICE = 3;
const METHOD = 4;
const HEADERS = 5;
const PAYLOAD = 8;

/** A frame's bytes. */
export function encodeFrame({ service, method, headers, payload }: Frame): Buffer {
  const pairs = Object.entries(headers).map(([key, value]) =>
    bytesField(HEADERS, Buffer.concat([bytesField(1, Buffer.from(key)), bytesField(2, Buffer.from(value))])),
  );
  return Buffer.concat([
    numberField(SEQ_ID, 1),
    numberField(LOG_ID, 1),
    numberField(SERVICE, service),
    numberField(METHOD, method),
    ...pairs,
    bytesField(PAYLOAD, Buffer.from(payload)),
  ]);
}

/** A frame from its bytes. */
export function decodeFrame(bytes: Buffer): Frame {
  const fields = fieldsOf(bytes);
  const number = (wanted: number): number => Number(fields.find(([field]) => field === wanted)?.[1] ?? 0);
  const headers = fields.flatMap(([field, value]) => {
    if (field !== HEADERS || typeof value === "number") return [];
    const [[, key] = [], [, text] = []] = fieldsOf(value);
    return [[String(key), String(text)] as const];
  });
  const payload = fields.find(([field]) => field === PAYLOAD)?.[1];
  return {
    service: number(SERVICE),
    method: number(METHOD),
    headers: Object.fromEntries(headers),
    payload: payload === undefined ? "" : String(payload),
  };
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 127) {
    bytes.push((rest & 127) | 128);
    rest >>>= 7;
  }
  return Buffer.from([...bytes, rest]);
}

const numberField = (field: number, value: number): Buffer =>
  Buffer.concat([varint(field << 3), varint(value)]);
const bytesField = (field: number, value: Buffer): Buffer =>
  Buffer.concat([varint((field << 3) | 2), varint(value.length), value]);

function fieldsOf(bytes: Buffer): (readonly [number, number | Buffer])[] {
  const fields: (readonly [number, number | Buffer])[] = [];
  let at = 0;
  const next = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = next();
    const value = next();
    if ((tag & 7) !== 2) fields.push([tag >>> 3, value]);
    else {
      fields.push([tag >>> 3, bytes.subarray(at, at + value)]);
      at += value;
    }
  }
  return fields;
}
