/** What the page says. */
export interface LandingFacts {
  readonly version: string;
  readonly mcpUrl: string;
}

/** The page at `/`: what runs here and how to connect. Holds no secret, so it needs no token; loads nothing from elsewhere. */
export function landingPage({ version, mcpUrl }: LandingFacts): string {
  const url = escapeHtml(mcpUrl);
  const server = { type: "http", url: mcpUrl, headers: { Authorization: "Bearer YOUR_TOKEN" } };
  const config = escapeHtml(JSON.stringify({ mcpServers: { toolgate: server } }, null, 2));
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>toolgate</title>
<style>${STYLE}</style>
<main>
  <header><h1><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M2 4h20M4 9h16M7 4v17M17 4v17"/></svg> toolgate</h1><p class="status"><i></i>running · version ${escapeHtml(version)}</p></header>
  <p>Tools for AI agents behind one gate: every call is judged by what it will do, confined to that, and written down.</p>
  <p><a href="/console">Open the console</a>: what tools send, what you write, and the questions that wait for you.</p>
  <h2>Connect an MCP client</h2>
  <p>Streamable HTTP at <code>${url}</code>, with the bearer token that was shown when the server started.</p>
  <pre><code>${config}</code></pre>
  <h2>At a shell</h2>
  <pre><code>toolgate explain 'rm -rf build'      # what would be decided, and why
toolgate audit tail                  # what ran
toolgate audit verify                # nothing was changed since</code></pre>
  <p class="quiet">Without the token nothing can be called here, and nothing about the project is shown.</p>
</main>
</html>
`;
}

/** Matches the page above: its only style, no script, nothing from elsewhere, in no frame. */
export const LANDING_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const STYLE = `
:root{color-scheme:light dark;--ink:#1d2430;--quiet:#5d6675;--line:#e1e5ea;--bed:#f6f7f9;--paper:#fff;--accent:#b4342d}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ee;--quiet:#98a1b0;--line:#2c333d;--bed:#14181e;--paper:#1b2027;--accent:#ef7d72}}
*{box-sizing:border-box}
body{margin:0;background:var(--bed);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
main{max-width:44rem;margin:8vh auto;padding:2rem 2.25rem;background:var(--paper);border:1px solid var(--line);border-radius:14px}
header{display:flex;flex-wrap:wrap;align-items:baseline;justify-content:space-between;gap:.5rem}
h1{margin:0;font-size:1.6rem;letter-spacing:-.01em}h1 svg{width:.85em;fill:none;stroke:var(--accent);stroke-width:2.6;stroke-linecap:round}
h2{margin:1.8rem 0 .4rem;font-size:1rem}
p{margin:.6rem 0}.quiet,.status{color:var(--quiet);font-size:.9rem}
.status i{display:inline-block;width:.55em;height:.55em;margin-right:.45em;border-radius:50%;background:#2ea56b}
a{color:inherit;text-decoration-color:var(--accent);text-underline-offset:.2em}
code{font:.86em/1.5 ui-monospace,monospace}
pre{overflow-x:auto;margin:.6rem 0;padding:.9rem 1rem;background:var(--bed);border:1px solid var(--line);border-radius:9px}
@media(max-width:30rem){main{margin:0;border:0;border-radius:0;min-height:100vh;padding:1.25rem}}`;

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
