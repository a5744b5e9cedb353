/** One field of a form. */
export interface FormField {
  readonly name: string;
  readonly filename?: string;
  readonly bytes: Buffer;
}

/** Takes a form apart. Strict enough for what clients send; whole bytes, also in fields without a file's name. */
export function multipart(body: Buffer, contentType: string | undefined): readonly FormField[] {
  const boundary = /boundary="?([^";]+)"?/.exec(contentType ?? "")?.[1];
  if (boundary === undefined) return [];
  const mark = Buffer.from(`--${boundary}`);
  const fields: FormField[] = [];
  let start = body.indexOf(mark);
  while (start >= 0) {
    const end = body.indexOf(mark, start + mark.length);
    if (end < 0) break;
    const field = readField(body.subarray(start + mark.length + 2, end - 2));
    if (field !== undefined) fields.push(field);
    start = end;
  }
  return fields;
}

function readField(part: Buffer): FormField | undefined {
  const gap = part.indexOf("\r\n\r\n");
  const head = part.toString("utf8", 0, gap);
  const name = /\bname="([^"]*)"/.exec(head)?.[1];
  const filename = /\bfilename="([^"]*)"/.exec(head)?.[1];
  if (gap < 0 || name === undefined) return undefined;
  return { name, bytes: part.subarray(gap + 4), ...(filename !== undefined && { filename }) };
}
