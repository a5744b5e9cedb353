import type { Program } from "../program.ts";

const UNIT_OPTIONS = {
  flag: "--no-pager --all -a --user --system --full -l --no-legend --plain --failed --quiet -q --value -r --recursive --reverse --with-dependencies --no-ask-password --before --after",
  text: "-t --type --state -p --property -P -n --lines -o --output --legend",
} as const;

// They ask the manager through a socket, which is a network to who confines a run.

/** Services, their logs, and what systemd keeps of the machine. */
export const SERVICES: readonly Program[] = [
  {
    names: "systemctl",
    style: "exact",
    network: "read",
    info: "--version --help -h",
    options: UNIT_OPTIONS,
    operands: "",
    commands: [
      {
        names:
          "status is-active is-enabled is-failed is-system-running list-units list-unit-files list-timers list-sockets list-dependencies list-jobs list-paths list-automounts list-machines show cat get-default",
        style: "exact",
        options: UNIT_OPTIONS,
        operands: "text*",
      },
      {
        names:
          "start stop restart reload try-restart reload-or-restart enable disable reenable preset mask unmask isolate kill freeze thaw reset-failed daemon-reload daemon-reexec set-property set-default edit revert link add-wants add-requires clean bind mount-image set-environment unset-environment import-environment cancel",
        system: "changes services",
        options: {
          flag: "--now --user --system --force -f --runtime --no-block -q --quiet --no-pager --no-reload --all -a",
          text: "-s --signal --kill-whom --kill-who",
        },
        operands: "text*",
      },
      {
        names:
          "reboot poweroff halt kexec suspend hibernate hybrid-sleep rescue emergency default exit soft-reboot",
        system: "stops the machine",
        operands: "text*",
      },
    ],
  },
  // Left out: `--rotate`, `--flush`, `--sync`, `--vacuum-…`, `--setup-keys`, `--update-catalog`, `--cursor-file`.
  {
    names: "journalctl",
    style: "exact",
    info: "--version --help -h",
    options: {
      flag: "--system --user -m --merge -f --follow -e --pager-end --no-tail -r --reverse --show-cursor --utc -x --catalog --no-hostname --no-full -l --full -a --all -q --quiet --no-pager -k --dmesg --disk-usage --list-boots --list-catalog --header -N --fields --truncate-newline -#",
      maybe: "-b --boot -n --lines --case-sensitive",
      text: "-S --since -U --until -c --cursor --after-cursor -u --unit --user-unit -t --identifier -p --priority --facility -g --grep -F --field -o --output --output-fields",
      read: "-D --directory --file",
    },
    operands: "text*",
  },
  {
    names: "hostnamectl timedatectl localectl",
    style: "exact",
    network: "read",
    info: "--version --help -h",
    options: {
      flag: "--no-pager --static --transient --pretty --all -a -l --full",
      text: "--json -p --property",
    },
    operands: "",
    commands: [
      {
        names: "status show list-timezones list-locales list-keymaps timesync-status hostname",
        style: "exact",
        options: { flag: "--no-pager --static --transient --pretty -a", text: "-p --property" },
        operands: "",
      },
      {
        names:
          "set-hostname set-icon-name set-chassis set-deployment set-location set-time set-timezone set-ntp set-local-rtc set-locale set-keymap",
        system: "changes the machine's settings",
        operands: "text*",
      },
    ],
  },
  {
    names: "loginctl",
    style: "exact",
    network: "read",
    info: "--version --help -h",
    options: { flag: "--no-pager --no-legend" },
    operands: "",
    commands: [
      {
        names:
          "list-sessions list-users list-seats session-status user-status seat-status show-session show-user show-seat",
        style: "exact",
        options: { flag: "--no-pager --no-legend -a --all -l --full --value", text: "-p --property" },
        operands: "text*",
      },
    ],
  },
  {
    names: "networkctl",
    style: "exact",
    network: "read",
    info: "--version --help -h",
    options: { flag: "--no-pager --no-legend -a --all -s --stats -l --full" },
    operands: "",
    commands: [
      {
        names: "list status lldp",
        style: "exact",
        options: { flag: "--no-pager -a --all" },
        operands: "text*",
      },
    ],
  },
  {
    names: "systemd-analyze",
    style: "exact",
    network: "read",
    info: "--version --help -h",
    options: { flag: "--no-pager --user --system" },
    operands: "",
    commands: [
      {
        names: "time blame critical-chain",
        style: "exact",
        options: { flag: "--no-pager --user --system" },
        operands: "text*",
      },
    ],
  },
  {
    names: "coredumpctl",
    style: "exact",
    info: "--version --help -h",
    options: { flag: "--no-pager --no-legend -r --reverse" },
    operands: "",
    commands: [
      {
        names: "list info",
        style: "exact",
        options: { flag: "--no-pager -r", text: "-n --since --until" },
        operands: "text*",
      },
    ],
  },
  {
    names: "service",
    style: "exact",
    info: "--version --help",
    // Even the state of all of them is what their scripts say when they are started.
    opaque: true,
  },
  { names: "rc-service rc-update initctl", opaque: true, system: "changes services" },
];
