import type { Program } from "../program.ts";
import { MACHINE } from "./machine.ts";
import { SERVICES } from "./services.ts";

/** Programs that only report: no option of theirs changes anything. */
const REPORTS: readonly Program[] = [
  {
    names: "ps pidof pstree free vmstat iostat mpstat w lslocks lsipc lsns lsmem ipcs",
    safe: true,
    operands: "text*",
  },
  { names: "pgrep", safe: true, options: { read: "-F --pidfile" }, operands: "text*" },
  // Left out: `-n` and `-N`, which make a file of settings.
  {
    names: "pmap",
    info: "-V -h",
    options: {
      flag: "-x --extended -X -c --read-rc -d --device -q --quiet -p --show-path",
      text: "-A --range",
      read: "-C --read-rc-from",
    },
    operands: "text*",
  },
  {
    names: "lslogins",
    safe: true,
    options: { read: "--wtmp-file --btmp-file --lastlog-file --lastlog --wtmp --btmp" },
    operands: "text*",
  },
  {
    names: "last lastb",
    style: "exact",
    info: "--version -V --help -h",
    options: {
      flag: "-a --hostlast -d --dns -F --fulltimes -i --ip -R --nohostname -w --fullnames -x --system -#",
      text: "-n --limit -p --present -s --since -t --until --time-format",
      read: "-f --file",
    },
    operands: "text*",
    when: [{ options: "-d --dns", network: "any" }],
  },
  // It draws on the terminal it is given, whatever that is.
  { names: "tload", options: { flag: "-V", text: "-d --delay -s --scale" }, operands: "write" },
  { names: "findmnt", safe: true, options: { read: "-F --tab-file" }, operands: "text*" },
  {
    names: "lscpu lsblk lsmod sw_vers vm_stat system_profiler ioreg clear tput getconf",
    safe: true,
    operands: "text*",
  },
  { names: "mdfind", safe: true, operands: "text*" },
  {
    names: "mdls",
    style: "single",
    options: { flag: "-raw", text: "-name -nullMarker", output: "-plist" },
    operands: "list*",
  },
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
    when: [{ options: "-i", network: "read" }],
  },
  // Left out: `-K` (kills), `-D` (writes), `-N` (enters another namespace).
  {
    names: "ss",
    style: "exact",
    network: "read",
    info: "-V --version -h --help",
    options: {
      flag: "-n --numeric -r --resolve -a --all -l --listening -B --bound-inactive -o --options -e --extended -m --memory -p --processes -T --threads -i --info --tos --cgroup -s --summary -b --bpf -E --events -Z --context -z --contexts -4 --ipv4 -6 --ipv6 -0 --packet -t --tcp -M --mptcp -S --sctp -u --udp -d --dccp -w --raw -x --unix -H --no-header -O --oneline -Q --no-queues",
      text: "-f --family -A --query --socket",
      read: "-F --filter",
    },
    operands: "socket-filter*",
    when: [{ options: "-r --resolve", network: "any" }],
  },
  {
    names: "netstat",
    style: "exact",
    network: "read",
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
    network: "read",
    info: "--version -V --help",
    options: { flag: "-a -s -v -l" },
    operands: "text",
  },
  {
    names: "arp",
    style: "exact",
    network: "read",
    info: "-V --help -h",
    options: { flag: "-a -e -n -v --verbose --numeric", text: "-i --device" },
    operands: "",
  },
  {
    names: "route",
    style: "exact",
    network: "read",
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
    when: [{ options: "-L -S --list --list-rules", operands: "text*", network: "read", instead: true }],
  },
  {
    names: "nft",
    style: "exact",
    info: "-v --version -h",
    options: { flag: "-a -n -j --json --handle" },
    commands: [{ names: "list", style: "exact", network: "read", operands: "text*" }],
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
  // A network of its own has neither addresses nor routes to show.
  network: "read",
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

/** Processes, services, users, devices and networks of the machine. */
export const SYSTEM: readonly Program[] = [...REPORTS, ...MIXED, ...SERVICES, IP, ...MACHINE];
