import type { Program } from "../program.ts";

const INFO = "--help -h";
const CHANGES = { network: "any", opaque: true, info: INFO } as const;
const READS = { style: "exact", network: "read", info: INFO } as const;
const SCOPE = "-n --namespace --context --request-timeout";

const KUBECTL_READS: readonly Program[] = [
  // A table of secrets shows names; other formats show values.
  {
    ...READS,
    names: "get",
    options: {
      flag: "-A --all-namespaces -w --watch --watch-only --output-watch-events --show-labels --no-headers --ignore-not-found --show-kind --show-managed-fields --allow-missing-template-keys",
      maybe: "--server-print",
      text: `${SCOPE} -l --selector --field-selector --sort-by --chunk-size -L --label-columns --subresource`,
      "kube-output": "-o --output --template",
    },
    operands: "text*",
    when: [{ options: "-o --output --template", operands: "kube-resource*" }],
  },
  {
    ...READS,
    names: "describe",
    options: {
      flag: "-A --all-namespaces",
      maybe: "--show-events",
      text: `${SCOPE} -l --selector --chunk-size`,
    },
    operands: "text*",
  },
  {
    ...READS,
    names: "logs log",
    options: {
      flag: "-f --follow --all-containers --all-pods -p --previous --timestamps --prefix --ignore-errors",
      text: `${SCOPE} --tail --since --since-time -c --container --limit-bytes --max-log-requests -l --selector --pod-running-timeout`,
    },
    operands: "text*",
  },
  {
    ...READS,
    names: "top",
    commands: [
      {
        names: "pod pods po node nodes no",
        style: "exact",
        options: {
          flag: "-A --all-namespaces --containers --no-headers --show-capacity --sum --use-protocol-buffers",
          text: `${SCOPE} -l --selector --sort-by --field-selector`,
        },
        operands: "text*",
      },
    ],
  },
  {
    ...READS,
    names: "explain",
    options: { flag: "--recursive", text: `${SCOPE} --api-version -o --output` },
    operands: "text",
  },
  {
    ...READS,
    names: "version api-resources api-versions",
    options: {
      flag: "--client --short --cached --no-headers --show-kind",
      maybe: "--namespaced",
      text: `${SCOPE} -o --output --api-group --verbs --sort-by --categories`,
    },
    operands: "",
  },
  { ...READS, names: "cluster-info", options: { text: SCOPE }, operands: "" },
  {
    ...READS,
    names: "events",
    options: {
      flag: "-A --all-namespaces -w --watch --no-headers",
      text: `${SCOPE} --for --types -o --output --chunk-size`,
    },
    operands: "",
  },
  {
    names: "config",
    style: "exact",
    info: INFO,
    commands: [
      // `--raw` shows the credentials.
      {
        names: "view",
        style: "exact",
        options: { flag: "--minify --flatten", text: "-o --output --context" },
        operands: "",
      },
      { names: "current-context get-clusters get-users", style: "exact", operands: "" },
      {
        names: "get-contexts",
        style: "exact",
        options: { flag: "--no-headers", text: "-o --output" },
        operands: "text*",
      },
      {
        names:
          "set set-context set-cluster set-credentials unset use-context use rename-context delete-context delete-cluster delete-user",
        system: "changes kubectl's settings",
        opaque: true,
      },
    ],
  },
  {
    ...READS,
    names: "auth",
    commands: [
      {
        names: "can-i",
        style: "exact",
        options: {
          flag: "--list -A --all-namespaces -q --quiet --no-headers",
          text: `${SCOPE} --subresource`,
        },
        operands: "text*",
      },
      { names: "whoami", style: "exact", options: { text: `${SCOPE} -o --output` }, operands: "" },
      { names: "reconcile", opaque: true },
    ],
  },
  {
    ...READS,
    names: "rollout",
    commands: [
      {
        names: "history status",
        style: "exact",
        options: {
          maybe: "-w --watch",
          text: `${SCOPE} --revision --timeout -l --selector -o --output`,
        },
        operands: "text*",
      },
      { names: "undo restart pause resume", opaque: true },
    ],
  },
];

const KUBECTL: Program = {
  names: "kubectl oc k",
  style: "exact",
  info: INFO,
  options: { text: SCOPE },
  commands: [
    ...KUBECTL_READS,
    { names: "options", style: "exact", operands: "" },
    { names: "completion", style: "exact", operands: "text" },
    {
      ...CHANGES,
      names:
        "apply create delete edit patch replace run exec attach cp port-forward proxy scale autoscale expose set label annotate taint drain cordon uncordon debug diff kustomize plugin wait certificate krew login logout new-app start-build rsh rsync",
    },
  ],
};

const HELM: Program = {
  names: "helm",
  style: "exact",
  info: `${INFO} version env`,
  options: { text: "-n --namespace --kube-context" },
  commands: [
    {
      ...READS,
      names: "list ls",
      options: {
        flag: "-a --all -A --all-namespaces -d --date --deployed --failed --pending -q --short -r --reverse --superseded --uninstalled --uninstalling --no-headers",
        text: "-n --namespace --kube-context -f --filter -m --max -o --output --offset -l --selector --time-format",
      },
      operands: "",
    },
    {
      ...READS,
      names: "history hist status",
      options: {
        flag: "--show-desc --show-resources",
        text: "-n --namespace --kube-context -o --output --max --revision",
      },
      operands: "text",
    },
    { names: "version", style: "exact", options: { flag: "--short", text: "--template" }, operands: "" },
    {
      names: "repo",
      style: "exact",
      commands: [
        { names: "list ls", style: "exact", options: { text: "-o --output" }, operands: "" },
        { ...CHANGES, names: "add remove update index" },
      ],
    },
    {
      names: "search",
      style: "exact",
      commands: [
        {
          names: "repo",
          style: "exact",
          options: {
            flag: "--devel -r --regexp -l --versions --fail-on-no-result",
            text: "-o --output --version --max-col-width",
          },
          operands: "text*",
        },
        { ...CHANGES, names: "hub" },
      ],
    },
    {
      ...CHANGES,
      names:
        "install upgrade uninstall delete rollback test pull push fetch template package create dependency dep lint get show inspect plugin registry verify",
    },
  ],
};

// Most of it runs the providers that a configuration names.
const TERRAFORM: Program = {
  names: "terraform tofu",
  style: "single",
  info: "-version --version -v -help --help -h version",
  options: { dir: "-chdir" },
  commands: [
    { names: "version", style: "single", options: { flag: "-json" }, operands: "" },
    {
      names: "workspace",
      style: "single",
      commands: [
        { names: "show", style: "single", operands: "" },
        { names: "list", style: "single", network: "read", operands: "" },
        { names: "new select delete", opaque: true },
      ],
    },
    {
      names: "state",
      style: "single",
      commands: [
        { names: "list", style: "single", network: "read", options: { text: "-id" }, operands: "text*" },
        { names: "mv rm pull push show replace-provider", opaque: true, network: "any" },
      ],
    },
    // Only what is written by itself is looked at, and with `-check` nothing is written.
    {
      names: "fmt",
      style: "single",
      options: { flag: "-check -diff -no-color", recursive: "-recursive", text: "-list" },
      opaque: true,
      when: [{ options: "-check", operands: "read*", implied: ".", instead: true }],
    },
    {
      names:
        "apply plan init destroy import taint untaint refresh validate get graph output providers show test console login logout force-unlock metadata",
      network: "any",
      opaque: true,
    },
  ],
};

/** Clients of clouds and services: what they fetch is the account's own, and often secret, so that rules decide. */
const CLOUDS: readonly Program[] = [
  { names: "aws", info: "--version help", reader: "cloud" },
  { names: "gcloud", info: "--version version help --help", reader: "cloud" },
  { names: "gsutil bq", info: "--version version help --help", network: "any", opaque: true },
  { names: "az", info: "version --version", reader: "cloud" },
  { names: "azd", info: "version", network: "any", opaque: true },
  {
    names:
      "heroku vercel netlify fly flyctl wrangler firebase supabase railway doctl linode-cli hcloud ibmcloud oci eksctl sam cdk serverless sls pulumi terragrunt packer vault consul nomad argocd flux istioctl kustomize minikube kind k3d skaffold tilt glab hub jira sentry-cli stripe twilio ngrok cloudflared tailscale codex claude gemini opencode aider",
    info: "--version --help",
    network: "any",
    opaque: true,
  },
  { names: "vagrant", info: "--version -v --help -h", network: "any", opaque: true },
];

/** Kubernetes, infrastructure and cloud clients. */
export const CLOUD: readonly Program[] = [KUBECTL, HELM, TERRAFORM, ...CLOUDS];
