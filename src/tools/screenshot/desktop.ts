import { ToolgateError } from "../../errors.ts";
import { cropped, type Rectangle, within } from "../../lib/pixels.ts";
import { decodePng } from "../../lib/png-decode.ts";
import { encodePng } from "../../lib/png-encode.ts";
import { captureScreen, type Place } from "./capture.ts";

/** A picture of the desktop, as PNG: of all monitors or one, all of it or a part. */
export async function pictureOfDesktop(
  place: Place,
  { monitor, region }: { readonly monitor: number; readonly region: Rectangle | undefined },
): Promise<Uint8Array> {
  const { bytes, part } = await captureScreen(place, monitor);
  if (part === undefined && region === undefined) return bytes;
  const whole = decodePng(bytes);
  if (whole === undefined) {
    throw new ToolgateError(
      "unsupported",
      "The screen's picture is of a kind that no part can be taken of.",
      {
        hint: "Take all of it: region full, monitor 0.",
      },
    );
  }
  const screen = part === undefined ? undefined : within(part, whole);
  const monitorOnly = screen === undefined ? whole : cropped(whole, screen);
  if (region === undefined) return encodePng(monitorOnly);
  const wanted = within(region, monitorOnly);
  if (wanted !== undefined) return encodePng(cropped(monitorOnly, wanted));
  throw new ToolgateError(
    "invalid_input",
    `region lies outside the screen, which is ${monitorOnly.width}×${monitorOnly.height}.`,
  );
}
