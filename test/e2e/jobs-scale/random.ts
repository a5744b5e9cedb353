/** A whole number below another. */
export function random(below: number): number {
  return Math.floor(Math.random() * below);
}
