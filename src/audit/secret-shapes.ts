/** One shape of text that is secret. `replace` keeps what a reader needs to see that something was there. */
export interface SecretShape {
  readonly name: string;
  /** Global. Every repetition is bounded or can't overlap, so that long text costs linear time. */
  readonly pattern: RegExp;
  readonly replace: string;
}

const WORDS = "pass(?:word|wd|phrase)|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?";
const VALUE = `"[^"]*"|'[^']*'|[^\\s"';&|,)}]+`;

/** Known secret shapes, the specific ones first. */
export const SECRET_SHAPES: readonly SecretShape[] = [
  {
    name: "private key",
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|$)/g,
    replace: "[redacted private key]",
  },
  {
    name: "AWS key id",
    pattern: /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g,
    replace: "[redacted AWS key id]",
  },
  {
    name: "GitHub token",
    pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})/g,
    replace: "[redacted GitHub token]",
  },
  { name: "GitLab token", pattern: /\bglpat-[A-Za-z0-9_-]{16,}/g, replace: "[redacted GitLab token]" },
  { name: "model provider key", pattern: /\bsk-[A-Za-z0-9_-]{16,}/g, replace: "[redacted API key]" },
  { name: "Stripe key", pattern: /\b[sr]k_(?:live|test)_[A-Za-z0-9]{10,}/g, replace: "[redacted API key]" },
  {
    name: "Slack token",
    pattern: /\bxox[a-z]-[A-Za-z0-9-]{8,}|\bxapp-[A-Za-z0-9-]{8,}/g,
    replace: "[redacted Slack token]",
  },
  {
    name: "Slack webhook",
    pattern: /(hooks\.slack\.com\/(?:services|workflows)\/)[A-Za-z0-9/]+/g,
    replace: "$1[redacted]",
  },
  {
    name: "Google key",
    pattern: /\bAIza[A-Za-z0-9_-]{30,}|\bya29\.[A-Za-z0-9_-]{16,}/g,
    replace: "[redacted Google key]",
  },
  { name: "npm token", pattern: /\bnpm_[A-Za-z0-9]{30,}/g, replace: "[redacted npm token]" },
  { name: "PyPI token", pattern: /\bpypi-[A-Za-z0-9_-]{40,}/g, replace: "[redacted PyPI token]" },
  {
    name: "Hugging Face token",
    pattern: /\bhf_[A-Za-z0-9]{24,}/g,
    replace: "[redacted Hugging Face token]",
  },
  {
    name: "SendGrid key",
    pattern: /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/g,
    replace: "[redacted API key]",
  },
  {
    name: "JSON web token",
    pattern: /\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?/g,
    replace: "[redacted JWT]",
  },
  {
    name: "authorization header",
    pattern:
      /\b((?:proxy-)?authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:[A-Za-z]{3,20}\s{1,4})?)(?![A-Za-z]{3,20}\s{1,4}\[redacted)[A-Za-z0-9._~+/=:-]{4,}/gi,
    replace: "$1[redacted]",
  },
  {
    name: "bearer token",
    pattern: /\b(bearer\s{1,4})[A-Za-z0-9._~+/=-]{12,}/gi,
    replace: "$1[redacted]",
  },
  {
    name: "cookie header",
    pattern: /\b((?:set-)?cookie\s{0,4}:\s{0,4})[^\n"']+/gi,
    replace: "$1[redacted]",
  },
  {
    name: "password in a URL",
    pattern: /\b([a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@'"]{0,200}:)[^\s/@'"]{1,400}@/gi,
    replace: "$1[redacted]@",
  },
  {
    name: "password option",
    pattern: new RegExp(`(--?[a-z-]{0,30}?(?:${WORDS})(?:\\s{1,4}|=))(?:${VALUE})`, "gi"),
    replace: "$1[redacted]",
  },
  {
    name: "assignment of a secret",
    pattern: new RegExp(
      `\\b([a-z0-9_.-]{0,40}?(?:${WORDS})[a-z0-9_]{0,20}["']?\\s{0,4}[=:]\\s{0,4})(?!\\[redacted)(?:${VALUE})`,
      "gi",
    ),
    replace: "$1[redacted]",
  },
  {
    name: "user and password option of curl and its kind",
    pattern: /(\s(?:-u|--user|--proxy-user)(?:\s{1,4}|=)["']?[^\s:'"]{1,100}:)[^\s'"]+/g,
    replace: "$1[redacted]",
  },
  {
    name: "password option of database clients",
    pattern:
      /\b((?:mysql|mariadb|mysqldump|sshpass)\b[^\n;|&]{0,200}?\s-p\s{0,1})(?!\[redacted)[^\s-][^\s]*/g,
    replace: "$1[redacted]",
  },
];

/** Cheap necessary condition for any shape above: text without one of these isn't looked at further. */
export const SECRET_HINT: RegExp =
  /PRIVATE KEY|A[KSBC][IC]A[A-Z0-9]{16}|gh[pousr]_|github_pat_|glpat-|sk-|[sr]k_|xox|xapp-|hooks\.slack|AIza|ya29\.|npm_|pypi-|hf_|SG\.|eyJ|:\/\/[^\s/]*@|-u|--user|--proxy-user|-p|bearer\s|cookie|pass(?:word|wd|phrase)|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential|authorization/i;

/** Names of members whose value is secret whatever it looks like: their end, without `_` and `-`, in lower case. */
export const SECRET_KEY: RegExp =
  /(?:password|passwd|passphrase|secret|token|apikey|accesskey|secretkey|privatekey|credentials?|authorization|cookie)$/;
