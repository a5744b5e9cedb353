// The console's page. What comes from the server is put in as text, never as HTML: people, tools and files wrote it.

const KEY = "toolgate-token";
const at = (id) => document.getElementById(id);
const shown = new Set();
let token = tokenFromAddress() ?? sessionStorage.getItem(KEY);
let stop = new AbortController();
/** Whether the newest is in view, so that what comes next is scrolled to. */
let isAtEnd = true;

/** `/console#token=…` opens it at once; the token goes out of the address, which others may see. */
function tokenFromAddress() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given !== null) history.replaceState(null, "", location.pathname);
  return given;
}

function make(name, { text, ...properties } = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  if (text !== undefined) element.textContent = text;
  element.append(...children);
  return element;
}

function call(path, options = {}) {
  return fetch(`/api${path}`, {
    ...options,
    headers: { ...options.headers, Authorization: `Bearer ${token}` },
  });
}

function status(text, isLive) {
  at("status").textContent = text;
  at("status").classList.toggle("live", isLive);
}

function showLogin(why) {
  sessionStorage.removeItem(KEY);
  at("chat").hidden = at("questions").hidden = true;
  at("login").hidden = false;
  status(why, false);
  at("token").focus();
}

/** One event's name and data out of its lines. */
function parse(block) {
  const field = (name) =>
    block
      .split("\n")
      .filter((line) => line.startsWith(`${name}: `))
      .map((line) => line.slice(name.length + 2))
      .join("\n");
  const data = field("data");
  return data === "" ? undefined : { name: field("event"), data: JSON.parse(data) };
}

/** Follows the events until the connection ends. EventSource can't send the token. */
async function follow(signal) {
  const response = await call("/console/events", { signal });
  if (response.status === 401) return showLogin("The token is wrong.");
  if (!response.ok) throw new Error(`The server answered ${response.status}.`);
  sessionStorage.setItem(KEY, token);
  let rest = "";
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + piece).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) take(parse(block));
  }
  throw new Error("The connection was closed.");
}

async function keepFollowing() {
  stop.abort();
  stop = new AbortController();
  const { signal } = stop;
  for (let waitMs = 500; !signal.aborted && token !== null; waitMs = Math.min(waitMs * 2, 15_000)) {
    try {
      status("Connecting …", false);
      await follow(signal);
      if (!at("login").hidden) return;
    } catch {
      if (signal.aborted) return;
      if (at("status").classList.contains("live")) waitMs = 500;
      status("Not connected; trying again …", false);
      await new Promise((done) => setTimeout(done, waitMs));
    }
  }
}

function take(event) {
  if (event === undefined) return;
  const { name, data } = event;
  if (name === "entry") showEntry(data);
  if (name === "approvals") showQuestions(data);
  if (name !== "hello") return;
  at("login").hidden = true;
  at("chat").hidden = false;
  at("unanswered").hidden = data.answers;
  status("Live", true);
  for (const entry of data.entries) showEntry(entry);
  showQuestions(data.approvals);
}

function showEntry({ id, at: when, from, text, files }) {
  if (shown.has(id)) return;
  shown.add(id);
  at("empty").hidden = true;
  const time = make("time", { text: new Date(when).toLocaleString(), dateTime: when });
  const who = make("p", { className: "who" }, from === "person" ? "You · " : "toolgate · ", time);
  const entry = make("li", { className: from === "person" ? "person" : "agent" }, who);
  if (text !== "") entry.append(make("p", { className: "words", text }));
  for (const file of files) entry.append(showFile(file));
  at("entries").append(entry);
  stayAtEnd();
}

async function blobOf({ id, mediaType }) {
  const response = await call(`/console/media/${encodeURIComponent(id)}`);
  if (!response.ok) throw new Error("It can't be had.");
  // By the type that the server keeps, not by what the bytes may say.
  return URL.createObjectURL(new Blob([await response.arrayBuffer()], { type: mediaType }));
}

const PLAYERS = { image: "img", video: "video", audio: "audio" };

function showFile(file) {
  const { name, mediaType, size } = file;
  const save = make("button", { type: "button", className: "link", text: `${name} (${sizeText(size)})` });
  save.title = "Save";
  save.addEventListener("click", async () => {
    const url = await blobOf({ ...file, mediaType: "application/octet-stream" });
    make("a", { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  });
  const figure = make("figure", {}, make("figcaption", {}, save));
  const player = PLAYERS[mediaType.split("/")[0]];
  if (player !== undefined) void showPlayer(figure, player, file);
  return figure;
}

async function showPlayer(figure, player, file) {
  const url = await blobOf(file).catch(() => undefined);
  if (url === undefined) return;
  const element = make(player, player === "img" ? { alt: file.name } : { controls: true });
  element.addEventListener(player === "img" ? "load" : "loadedmetadata", stayAtEnd);
  element.src = url;
  figure.prepend(element);
}

function stayAtEnd() {
  if (isAtEnd) at("entries").scrollTop = at("entries").scrollHeight;
}

function sizeText(bytes) {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

/** Questions that are still there keep their place, so that nobody answers another than they meant. */
function showQuestions(questions) {
  const list = at("question-list");
  const ids = new Set(questions.map(({ id }) => id));
  for (const item of [...list.children]) if (!ids.has(item.dataset.id)) item.remove();
  const there = new Set([...list.children].map((item) => item.dataset.id));
  list.append(...questions.filter(({ id }) => !there.has(id)).map(question));
  at("questions").hidden = questions.length === 0;
  document.title = questions.length === 0 ? "Console · toolgate" : `(${questions.length}) Console · toolgate`;
}

function question({ id, toolName, input, message, cwd, why }) {
  const approve = make("button", { type: "button", className: "approve", text: "Approve" });
  const reject = make("button", { type: "button", text: "Reject" });
  const fault = make("span", { className: "quiet" });
  const answer = async (approved) => {
    approve.disabled = reject.disabled = true;
    const body = JSON.stringify({ approved });
    const response = await call(`/approvals/${encodeURIComponent(id)}`, { method: "POST", body }).catch(
      () => undefined,
    );
    if (response?.ok) return item.remove();
    const said = await response?.json().catch(() => undefined);
    fault.textContent = said?.error ?? "The server can't be reached.";
    approve.disabled = reject.disabled = false;
    return undefined;
  };
  approve.addEventListener("click", () => answer(true));
  reject.addEventListener("click", () => answer(false));
  for (const [button, verb] of [
    [approve, "Approve"],
    [reject, "Reject"],
  ]) {
    button.setAttribute("aria-label", `${verb} ${toolName}`);
  }
  const item = make(
    "li",
    {},
    make("strong", { text: toolName }),
    make("p", { className: "words", text: why ?? message }),
    make("pre", { text: input, tabIndex: 0 }),
    make("p", { className: "quiet", text: `in ${cwd}` }),
    make("div", { className: "row" }, approve, reject, fault),
  );
  item.dataset.id = id;
  return item;
}

at("entries").addEventListener("scroll", ({ target }) => {
  isAtEnd = target.scrollHeight - target.scrollTop - target.clientHeight < 60;
});
new ResizeObserver(stayAtEnd).observe(at("entries"));

at("login").addEventListener("submit", (event) => {
  event.preventDefault();
  token = at("token").value.trim();
  at("token").value = "";
  void keepFollowing();
});

at("files").addEventListener("change", () => {
  at("attached").textContent = [...at("files").files].map(({ name }) => name).join(", ");
});

at("text").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  at("compose").requestSubmit();
});

at("compose").addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = new FormData();
  form.set("text", at("text").value);
  for (const file of at("files").files) form.append("files", file);
  at("send").disabled = true;
  const response = await call("/console/messages", { method: "POST", body: form }).catch(() => undefined);
  at("send").disabled = false;
  const said = response?.ok ? undefined : await response?.json().catch(() => undefined);
  at("fault").textContent = response?.ok ? "" : (said?.error ?? "The server can't be reached.");
  if (!response?.ok) return;
  at("text").value = "";
  at("files").value = "";
  at("attached").textContent = "";
  at("text").focus();
});

if (token === null) showLogin("");
else void keepFollowing();
