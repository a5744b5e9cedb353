import type { Program } from "../program.ts";

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
    names: "swapon",
    info: "--show -s --summary --version -V --help -h",
    system: "changes what the machine has mounted or loaded",
    style: "exact",
    options: { flag: "--show --noheadings --bytes --raw -a --all -v --verbose" },
    operands: "text*",
    when: [{ options: "--show", operands: "", instead: true }],
  },
  {
    names: "umount swapoff losetup modprobe insmod rmmod depmod kexec eject",
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
      "tc brctl bridge ethtool iw iwconfig wpa_cli ifup ifdown dhclient firewall-cmd ipset wg wg-quick openvpn",
    system: "changes the network",
    opaque: true,
  },
  {
    names: "nmcli",
    style: "exact",
    info: "--version -v --help -h",
    options: {
      flag: "-t --terse -p --pretty -o --overview --offline",
      text: "-f --fields -c --colors -m --mode -e --escape -g --get-values -w --wait",
    },
    network: "read",
    operands: "",
    commands: [
      {
        names: "general g networking n radio r device dev d connection con c",
        style: "exact",
        operands: "",
        commands: [
          { names: "status show permissions connectivity", style: "exact", operands: "text*" },
          // With a name it is given that name.
          { names: "hostname", style: "exact", operands: "" },
          {
            names:
              "on off up down add modify edit delete connect disconnect reapply set monitor clone import export reload load wifi",
            system: "changes the network",
            opaque: true,
          },
        ],
      },
      { names: "monitor m agent a", opaque: true },
    ],
  },
  {
    names: "busctl",
    style: "exact",
    info: "--version --help",
    options: { flag: "--no-pager --user --system --acquired --unique --activatable" },
    network: "read",
    operands: "",
    commands: [
      {
        names: "list",
        style: "exact",
        options: { flag: "--no-pager --user --system --acquired --unique --activatable" },
        operands: "",
      },
    ],
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

/** What macOS and desktops have of their own. */
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
      {
        names: "read read-type domains find",
        style: "exact",
        options: { flag: "-g -globalDomain -currentHost" },
        operands: "text*",
      },
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

/** Programs that change the machine: users, disks, settings, the desktop. */
export const MACHINE: readonly Program[] = [...CHANGERS, ...MAC];
