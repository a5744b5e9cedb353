/** A picture's pixels: red, green, blue and opacity, a byte each, rows from the top. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** A rectangle in pixels, from the top left. */
export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The part of a rectangle that lies in a picture, or `undefined` when none does. */
export function within(
  rectangle: Rectangle,
  { width, height }: Pick<Pixels, "width" | "height">,
): Rectangle | undefined {
  const x = Math.max(0, rectangle.x);
  const y = Math.max(0, rectangle.y);
  const right = Math.min(width, rectangle.x + rectangle.width);
  const bottom = Math.min(height, rectangle.y + rectangle.height);
  return right <= x || bottom <= y ? undefined : { x, y, width: right - x, height: bottom - y };
}

/** A part of a picture. The rectangle lies in it. */
export function cropped(picture: Pixels, { x, y, width, height }: Rectangle): Pixels {
  const data = new Uint8Array(width * height * 4);
  for (let row = 0; row < height; row += 1) {
    const from = ((y + row) * picture.width + x) * 4;
    data.set(picture.data.subarray(from, from + width * 4), row * width * 4);
  }
  return { width, height, data };
}

/** A picture made smaller: each new pixel is the mean of those that it stands for. */
export function shrunk(picture: Pixels, scale: number): Pixels {
  const width = Math.max(1, Math.round(picture.width * scale));
  const height = Math.max(1, Math.round(picture.height * scale));
  if (width >= picture.width && height >= picture.height) return picture;
  const data = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y += 1) {
    const top = Math.floor((y * picture.height) / height);
    const bottom = Math.max(top + 1, Math.floor(((y + 1) * picture.height) / height));
    for (let x = 0; x < width; x += 1) {
      const left = Math.floor((x * picture.width) / width);
      const right = Math.max(left + 1, Math.floor(((x + 1) * picture.width) / width));
      mean(
        picture,
        { x: left, y: top, width: right - left, height: bottom - top },
        data,
        (y * width + x) * 4,
      );
    }
  }
  return { width, height, data };
}

function mean(picture: Pixels, { x, y, width, height }: Rectangle, out: Uint8Array, at: number): void {
  let [red, green, blue, opacity] = [0, 0, 0, 0];
  for (let row = y; row < y + height; row += 1) {
    let from = (row * picture.width + x) * 4;
    for (let column = 0; column < width; column += 1, from += 4) {
      red += picture.data[from] ?? 0;
      green += picture.data[from + 1] ?? 0;
      blue += picture.data[from + 2] ?? 0;
      opacity += picture.data[from + 3] ?? 0;
    }
  }
  const count = width * height;
  out[at] = red / count;
  out[at + 1] = green / count;
  out[at + 2] = blue / count;
  out[at + 3] = opacity / count;
}
