/** A host as rules compare it: one spelling for each name and address, without port, brackets and trailing dot. `*` and `*.` stay. */
export function hostName(text: string): string {
  const name = text
    .trim()
    .toLowerCase()
    .replace(/^\[(.*)\](?::\d+)?$/, "$1")
    .replace(/^([^:]*):\d+$/, "$1")
    .replace(/\.$/, "");
  // Plain names are as they are; what ends in a number may be an address in an odd notation.
  if (/^(?:[a-z0-9_-]+\.)*[a-z_-][a-z0-9_-]*$/.test(name)) return name;
  const star = name.startsWith("*.") ? "*." : "";
  return star + oneSpelling(name.slice(star.length));
}

/** The host that a rule's content names, with or without `domain:`. */
export function domainOf(content: string): string {
  return content.startsWith("domain:") ? content.slice("domain:".length) : content;
}

/** As browsers and clients read it: `0x7f.1` is 127.0.0.1, `bücher.example` is xn--bcher-kva.example. */
function oneSpelling(name: string): string {
  const url = URL.parse(`http://${name.includes(":") ? `[${name}]` : name}/`);
  if (url === null || url.pathname !== "/" || url.username !== "" || url.port !== "") return name;
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return inIPv4(host) ?? host;
}

/** The IPv4 address that an IPv6 one only carries. */
function inIPv4(host: string): string | undefined {
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(host) ?? [];
  if (high === undefined || low === undefined) return undefined;
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join(".");
}
