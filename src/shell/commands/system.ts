import type { Program } from "../program.ts";

/** Programs that only report: no option of theirs changes anything. */
const REPORTS: readonly Program[] = [
  {
    names:
      "ps pgrep pidof pstree pmap free vmstat iostat mpstat w last lastb lslocks lsipc lsns lsmem lslogins ipcs tload",
    safe: true,
    operands: "text*",
  },
  {
    names: "lscpu lsblk findmnt lsmod sw_vers clear tput getconf",
    safe: true,
    operands: "text*",
  },
  { names: "mdls mdfind", safe: true, operands: "text*" },
];

/** Programs that report, with an option or operand that changes something. */
const MIXED: readonly Program[] = [
  {
    names: "top",
    style: "exact",
    info: "-v -h --version --help",
    options: {
      flag: "-b -c -e -H -i -s -S -1",
      maybe: "-w -E",
      text: "-n -p -u -U -d -o -l -stats -pid",
    },
    operands: "",
  },
  {
    names: "lsof",
    style: "exact",
    info: "-v -h -?",
    options: {
      flag: "-a -b -C -E -H -K -l -L -M -n -N -O -P -R -t -U -V -w -W -x -X",
      maybe: "-i -F -r +r -s -T +L +c",
      text: "-c -d -g -p -u -e -o -S",
    },
    operands: "list*",
  },
  // Left out: `-K` (kills), `-D` (writes), `-N` (enters another namespace).
  {
    names: "ss",
    style: "exact",
    info: "-V --version -h --help",
    options: {
      flag: "-n --numeric -r --resolve -a --all -l --listening -B --bound-inactive -o --options -e --extended -m --memory -p --processes -T --threads -i --info --tos --cgroup -s --summary -b --bpf -E --events -Z --context -z --contexts -4 --ipv4 -6 --ipv6 -0 --packet -t --tcp -M --mptcp -S --sctp -u --udp -d --dccp -w --raw -x --unix -H --no-header -O --oneline -Q --no-queues",
      text: "-f --family -A --query --socket",
      read: "-F --filter",
    },
    operands: "text*",
  },
  {
    names: "netstat",
    style: "exact",
    info: "-V --version -h --help",
    options: {
      flag: "-r --route -i --interfaces -g --groups -s --statistics -M --masquerade -v --verbose -W --wide -n --numeric --numeric-hosts --numeric-ports --numeric-users -N --symbolic -e --extend -p --programs -o --timers -c --continuous -l --listening -a --all -F --fib -C --cache -Z --context -t --tcp -u --udp -S --sctp -w --raw -x --unix -4 -6 -A -b -L -m",
      text: "-f -I",
    },
    operands: "text*",
  },
  // A second word changes the interface.
  {
    names: "ifconfig",
    style: "exact",
    info: "--version -V --help",
    options: { flag: "-a -s -v -l" },
    operands: "text",
  },
  {
    names: "arp",
    style: "exact",
    info: "-V --help -h",
    options: { flag: "-a -e -n -v --verbose --numeric", text: "-i --device" },
    operands: "",
  },
  {
    names: "route",
    style: "exact",
    info: "-V --help -h",
    options: { flag: "-n -e -ee -v -4 -6" },
    operands: "",
  },
  {
    names: "iptables ip6tables",
    style: "exact",
    info: "--version -V --help -h",
    options: {
      flag: "-L -S --list --list-rules -n --numeric -v --verbose -x --exact --line-numbers",
      text: "-t --table",
    },
    operands: "",
    system: "changes the firewall",
    when: [{ options: "-L -S --list --list-rules", operands: "text*", instead: true }],
  },
  {
    names: "nft",
    style: "exact",
    info: "-v --version -h",
    options: { flag: "-a -n -j --json --handle" },
    commands: [{ names: "list", style: "exact", operands: "text*" }],
  },
  {
    names: "ufw",
    style: "exact",
    info: "--version version",
    commands: [
      { names: "status", style: "exact", operands: "text" },
      {
        names: "enable disable allow deny reject delete reset reload limit",
        system: "changes the firewall",
        operands: "text*",
      },
    ],
  },
  {
    names: "ldconfig",
    style: "exact",
    info: "--version -V --help -?",
    options: { flag: "-p --print-cache" },
    operands: "",
    system: "rebuilds the cache of libraries",
    when: [{ options: "-p --print-cache", instead: true, operands: "" }],
  },
  {
    names: "dmesg",
    style: "exact",
    info: "-V --version -h --help",
    options: {
      flag: "-H --human -k --kernel -P --nopager -p --force-prefix -r --raw --noescape -S --syslog -u --userspace -w --follow -W --follow-new -x --decode -d --show-delta -e --reltime -T --ctime -t --notime -J --json",
      maybe: "-L --color",
      text: "-f --facility -l --level -s --buffer-size --since --until --time-format",
      read: "-F --file -K --kmsg-file",
    },
    operands: "",
  },
  {
    names: "getent",
    style: "exact",
    info: "--version -V --help -?",
    // Hosts and networks are looked up on the network.
    commands: [
      {
        names: "passwd group shadow gshadow services protocols rpc aliases initgroups",
        style: "exact",
        operands: "text*",
      },
      {
        names: "hosts ahosts ahostsv4 ahostsv6 networks netgroup ethers",
        style: "exact",
        network: "any",
        operands: "host*",
      },
    ],
  },
  {
    names: "sysctl",
    style: "exact",
    info: "--version -V --help -h",
    options: {
      flag: "-a --all -A -X -b --binary -e --ignore -N --names -n --values -q --quiet -d",
      text: "-r --pattern",
    },
    operands: "sysctl*",
  },
  {
    names: "mount",
    style: "exact",
    info: "--version -V --help -h",
    options: { flag: "-l --show-labels -v --verbose", text: "-t --types" },
    operands: "",
  },
  {
    names: "lspci",
    style: "exact",
    info: "--version",
    options: { flag: "-v -vv -vvv -nn -n -k -m -mm -t -D -b -x -xxx", text: "-s -d" },
    operands: "",
  },
  {
    names: "lsusb",
    style: "exact",
    info: "-V --version -h",
    options: { flag: "-v -t", text: "-s -d" },
    operands: "",
  },
  {
    names: "fuser",
    style: "exact",
    info: "-V --version",
    options: {
      flag: "-a -c -l -m -u -v -4 -6 --all --mount --user --verbose --ipv4 --ipv6",
      text: "-n --namespace",
    },
    operands: "list*",
  },
  {
    names: "nvidia-smi",
    style: "exact",
    info: "-h --help --version",
    options: {
      flag: "-L --list-gpus -q --query",
      text: "-i --id --query-gpu --query-compute-apps --format -l --loop -d --display",
    },
    operands: "",
    commands: [{ names: "topo nvlink", style: "exact", options: { flag: "-m -s" }, operands: "" }],
  },
  {
    names: "sensors acpi upower",
    style: "exact",
    info: "--version -v -V --help -h",
    options: { flag: "-A -u -j -f -a -b -i -t -d -e" },
    operands: "",
  },
  { names: "lastlog", style: "exact", options: { text: "-u --user -t --time -b --before" }, operands: "" },
  {
    names: "crontab",
    style: "exact",
    info: "-V",
    options: { flag: "-l", text: "-u" },
    system: "changes scheduled jobs",
    operands: "input",
    when: [{ options: "-l", operands: "", instead: true }],
  },
  { names: "atq", style: "exact", info: "-V", options: { text: "-q" }, operands: "" },
  {
    names: "getcap",
    style: "exact",
    options: { flag: "-v -n", recursive: "-r" },
    operands: "list*",
  },
  {
    names: "fdisk",
    style: "exact",
    info: "-V --version -h --help",
    options: { flag: "-l --list -x --list-details" },
    danger: "changes the partitions of a disk",
    operands: "read*",
    when: [{ options: "-l --list -x --list-details", operands: "list*", instead: true }],
  },
];

const UNIT_OPTIONS = {
  flag: "--no-pager --all -a --user --system --full -l --no-legend --plain --failed --quiet -q --value -r --recursive --reverse --with-dependencies --no-ask-password --before --after",
  text: "-t --type --state -p --property -P -n --lines -o --output --legend",
} as const;

const SYSTEMD: readonly Program[] = [
  {
    names: "systemctl",
    style: "exact",
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
    options: { flag: "--status-all" },
    operands: "",
  },
  { names: "rc-service rc-update initctl", opaque: true, system: "changes services" },
];

const IP_SHOW = "show list lst ls sh l";
const IP_CHANGE = {
  names: "add a del d delete change chg replace set flush f append restore save",
  system: "changes the network",
  operands: "text*",
} as const;
const IP_GLOBAL =
  "-4 -6 -0 -M -B -br -brief -s -stats -statistics -d -details -h -human -human-readable -o -oneline -r -resolve -c -color -j -json -p -pretty -t -timestamp -ts -a -all -iec -N -numeric";

const IP: Program = {
  names: "ip",
  style: "single",
  info: "-V -Version -help",
  options: { flag: IP_GLOBAL, text: "-f -family -l -loops -rc -rcvbuf" },
  operands: "",
  commands: [
    {
      names: "a addr addre addres address r ro route",
      style: "single",
      operands: "",
      commands: [
        // `s` is short for show here, and for set with the other objects.
        { names: `${IP_SHOW} s get`, style: "single", operands: "text*" },
        { ...IP_CHANGE, style: "single" },
      ],
    },
    {
      names:
        "link l rule ru n neigh neighbor neighbour maddr maddress mroute mrule tunnel tuntap token ntable macsec netconf nexthop vrf",
      style: "single",
      operands: "",
      commands: [
        { names: `${IP_SHOW} get`, style: "single", operands: "text*" },
        { ...IP_CHANGE, style: "single" },
      ],
    },
    {
      names: "netns",
      style: "single",
      operands: "",
      commands: [
        { names: "list ls show identify pids", style: "single", operands: "text*" },
        { names: "exec add del delete set attach monitor", opaque: true },
      ],
    },
    { names: "help", style: "single", operands: "" },
  ],
};

/** Programs that change the machine. */
const CHANGERS: readonly Program[] = [
  {
    names: "pkill killall killall5 skill snice",
    system: "signals processes",
    operands: "text*",
    style: "exact",
    options: {
      flag: "-f --full -x --exact -n --newest -o --oldest -i --ignore-case -e --echo -c --count -v --verbose -q --quiet -w --wait -r --regexp -# -9 -15 -KILL -TERM -HUP -INT -USR1 -USR2 -STOP -CONT -SIGTERM -SIGKILL",
      text: "-u --euid -U --uid -G --group -P --parent -t --terminal -s --session --signal -g --pgroup -F --pidfile",
    },
  },
  {
    names: "renice",
    system: "changes how processes run",
    operands: "text*",
    style: "exact",
    options: { text: "-n --priority -p --pid -g --pgrp -u --user" },
  },
  {
    names: "umount swapon swapoff losetup modprobe insmod rmmod depmod kexec eject",
    system: "changes what the machine has mounted or loaded",
    operands: "text*",
    style: "exact",
    options: { flag: "-a --all -f --force -l --lazy -v --verbose -r -R -q" },
  },
  {
    names:
      "useradd userdel usermod groupadd groupdel groupmod adduser deluser addgroup delgroup passwd chpasswd gpasswd chage chsh chfn visudo vipw newusers",
    system: "changes users",
    opaque: true,
  },
  { names: "reboot shutdown poweroff halt init telinit", system: "stops the machine", opaque: true },
  {
    names: "wall write mesg logger setterm loadkeys setfont chvt openvt",
    system: "writes to terminals or the system's log",
    opaque: true,
  },
  {
    names: "update-alternatives alternatives update-grub grub-install mkinitcpio update-initramfs dracut",
    system: "changes the system's set-up",
    opaque: true,
  },
  {
    names:
      "setfacl chattr setcap chcon restorecon setenforce semanage apparmor_parser aa-complain aa-enforce",
    system: "changes access rights",
    opaque: true,
  },
  { names: "hwclock ntpdate chronyc ntpd", system: "changes the clock", opaque: true },
  {
    names:
      "tc brctl bridge ethtool iw iwconfig nmcli wpa_cli ifup ifdown dhclient firewall-cmd ipset wg wg-quick openvpn",
    system: "changes the network",
    opaque: true,
  },
  { names: "at batch", system: "changes scheduled jobs", opaque: true },
  {
    names: "cryptsetup lvremove vgremove pvremove mdadm zfs",
    danger: "changes disks, partitions or volumes",
    opaque: true,
  },
  {
    names:
      "fsck fsck.ext4 e2fsck tune2fs resize2fs xfs_repair btrfs lvm pvcreate vgcreate lvcreate lvextend hdparm smartctl badblocks",
    system: "changes disks or volumes",
    opaque: true,
  },
];

const MAC: readonly Program[] = [
  {
    names: "launchctl",
    style: "exact",
    commands: [
      { names: "list print", style: "exact", operands: "text*" },
      {
        names: "load unload start stop bootstrap bootout kickstart enable disable",
        system: "changes services",
        opaque: true,
      },
    ],
  },
  {
    names: "defaults",
    style: "exact",
    commands: [
      { names: "read read-type domains find", style: "exact", operands: "text*" },
      { names: "write delete rename import", system: "changes settings", opaque: true },
    ],
  },
  {
    names: "plutil",
    style: "exact",
    info: "-help",
    options: { flag: "-p -lint -s" },
    operands: "",
    when: [{ options: "-p -lint", operands: "input*" }],
  },
  {
    names: "diskutil",
    style: "exact",
    commands: [{ names: "list info", style: "exact", operands: "text*" }],
  },
  {
    names: "pmset scutil networksetup spctl csrutil nvram systemsetup softwareupdate dscl security",
    system: "changes the machine's settings",
    opaque: true,
  },
  {
    names:
      "osascript open xdg-open gio gnome-open start explorer.exe cmd.exe powershell powershell.exe pwsh wsl wsl.exe",
    opaque: true,
  },
  { names: "pbcopy xclip xsel wl-copy clip.exe", system: "changes the clipboard", opaque: true },
  { names: "say notify-send espeak afplay aplay xdotool", opaque: true },
];

/** Processes, services, users, devices and networks of the machine. */
export const SYSTEM: readonly Program[] = [...REPORTS, ...MIXED, ...SYSTEMD, IP, ...CHANGERS, ...MAC];
