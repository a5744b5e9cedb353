import type { Program } from "../program.ts";

/** Editors, terminal multiplexers, and agents' own ways to change files. */
export const EDITORS: readonly Program[] = [
  {
    names:
      "vim vi nvim view vimdiff nano emacs emacsclient ex ed red pico micro mcedit code cursor subl gedit kate helix hx kak",
    info: "--version",
    opaque: true,
  },
  {
    names: "tmux",
    style: "exact",
    network: "read",
    info: "-V",
    // A format may run shell code, so that `-F` isn't listed.
    commands: [
      {
        names: "ls list-sessions list-windows lsw list-panes lsp list-clients",
        style: "exact",
        options: { flag: "-a -s", text: "-t" },
        operands: "",
      },
      {
        names: "capture-pane capturep",
        style: "exact",
        // Without `-p` what was captured goes into a buffer.
        options: { flag: "-a -e -p -q -C -J -N -P -T -M", text: "-t -S -E" },
        when: [{ options: "-p", operands: "" }],
      },
      {
        names: "has-session has",
        style: "exact",
        options: { text: "-t" },
        operands: "",
      },
      {
        names:
          "new new-session send-keys send kill-session kill-server kill-window attach attach-session new-window split-window run-shell source-file respawn-pane if-shell pipe-pane",
        opaque: true,
      },
    ],
  },
  { names: "screen", info: "--version -v -ls -list", opaque: true },
  { names: "zellij script scriptreplay", info: "--version", opaque: true },
  { names: "byobu dtach abduco unbuffer joe", opaque: true },
  { names: "apply_patch applypatch", reader: "apply-patch" },
];
