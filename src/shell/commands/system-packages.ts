import type { Program } from "../program.ts";

const CHANGES = { system: "changes installed packages", network: "any", opaque: true } as const;

const DEBIAN: readonly Program[] = [
  {
    names: "apt aptitude",
    style: "exact",
    info: "--version -v --help -h help",
    options: { flag: "-q -qq --quiet" },
    commands: [
      {
        names: "list search show policy depends rdepends showsrc showpkg madison",
        style: "exact",
        options: {
          flag: "--installed --upgradable --upgradeable --manual-installed -a --all-versions -q -qq --quiet -n --names-only -f --full --no-recommends -v --verbose",
        },
        operands: "text*",
      },
      {
        ...CHANGES,
        names:
          "install remove purge update upgrade full-upgrade dist-upgrade safe-upgrade autoremove autoclean clean edit-sources source build-dep download changelog reinstall satisfy hold unhold",
      },
    ],
  },
  { ...CHANGES, names: "apt-get", info: "--version -v --help -h help" },
  {
    names: "apt-cache",
    style: "exact",
    info: "--version -v --help -h",
    options: { flag: "-q --quiet" },
    commands: [
      {
        names:
          "policy show search showpkg showsrc depends rdepends madison pkgnames stats unmet dump dumpavail dotty xvcg",
        style: "exact",
        options: {
          flag: "-n --names-only -f --full -q --quiet -a --all-versions --no-all-versions --installed --recurse -i --important --no-recommends --no-suggests --no-pre-depends --no-depends --no-conflicts --no-breaks --no-replaces --no-enhances --names-only",
        },
        operands: "text*",
      },
      { names: "gencaches", system: "changes the package cache", opaque: true },
    ],
  },
  {
    names: "apt-mark",
    style: "exact",
    info: "--version --help -h",
    commands: [
      {
        names: "showauto showmanual showhold showinstall showremove showpurge",
        style: "exact",
        operands: "text*",
      },
      {
        names: "auto manual hold unhold minimize-manual",
        system: "changes package marks",
        operands: "text*",
      },
    ],
  },
  {
    names: "apt-config",
    style: "exact",
    commands: [{ names: "dump shell", style: "exact", operands: "text*" }],
  },
  // The forms that only ask; `-i`, `-r`, `-P`, `-x` and the rest change something.
  {
    names: "dpkg",
    style: "exact",
    info: "--version --help -?",
    options: {
      flag: "-l --list -L --listfiles -s --status -S --search -p --print-avail --print-architecture --print-foreign-architectures --get-selections --compare-versions -C --audit -V --verify --no-pager -I --info -c --contents -f --field",
    },
    operands: "text*",
    when: [{ options: "-I --info -c --contents -f --field", operands: "read text*" }],
  },
  {
    names: "dpkg-query",
    style: "exact",
    info: "--version --help -?",
    options: {
      flag: "-l --list -L --listfiles -s --status -S --search -p --print-avail -W --show --no-pager",
      text: "-f --showformat",
    },
    operands: "text*",
  },
  {
    names: "dpkg-deb",
    style: "exact",
    info: "--version --help -?",
    options: { flag: "-I --info -c --contents -f --field -W --show" },
    operands: "read text*",
  },
  { ...CHANGES, names: "add-apt-repository apt-key dpkg-reconfigure debconf-set-selections tasksel" },
];

const RPM: readonly Program[] = [
  // Only questions; `-p` may name a file on the network, `-V` runs scripts of packages.
  {
    names: "rpm",
    style: "exact",
    info: "--version --help",
    options: {
      flag: "-q --query -a --all -i --info -l --list -f --file -c --configfiles -d --docfiles -s --state -R --requires --provides --changelog --scripts --last --conflicts --obsoletes --recommends --suggests --triggers --nosignature --nodigest --whatprovides --whatrequires --filesbypkg --dump -v",
      text: "--queryformat --qf -g --group",
    },
    ...CHANGES,
    when: [{ options: "-q --query", operands: "text*", instead: true }],
  },
  { ...CHANGES, names: "yum dnf dnf5 microdnf zypper rpmbuild", info: "--version --help -h" },
];

const OTHERS: readonly Program[] = [
  {
    names: "pacman",
    style: "exact",
    info: "--version -V --help -h",
    options: {
      flag: "-Q --query -c --changelog -d --deps -e --explicit -g --groups -i --info -k --check -l --list -m --foreign -n --native -o --owns -q --quiet -s --search -t --unrequired -u --upgrades -v --verbose",
      read: "-p --file",
    },
    ...CHANGES,
    when: [{ options: "-Q --query", operands: "text*", instead: true }],
  },
  {
    names: "apk",
    style: "exact",
    info: "--version -V --help -h version",
    options: { flag: "-q --quiet -v --verbose" },
    commands: [
      {
        names: "info list",
        style: "exact",
        options: {
          flag: "-a --all -d --description -e --installed -L --contents -P --provides -r --rdepends -R --depends -s --size -w --webpage -W --who-owns -i -I -v -vv -q --quiet -u --upgradable",
        },
        operands: "text*",
      },
      { ...CHANGES, names: "add del update upgrade fix cache fetch" },
    ],
  },
  {
    names: "brew",
    style: "exact",
    info: "--version -v --help -h help",
    options: { flag: "--prefix --cellar --caskroom --repository --repo --cache" },
    operands: "",
    when: [{ options: "--prefix --cellar --caskroom --repository --repo --cache", operands: "text" }],
    commands: [
      {
        names: "list ls",
        style: "exact",
        options: {
          flag: "--formula --formulae --cask --casks --full-name --versions --multiple --pinned -1 -l -r -t --installed-on-request",
        },
        operands: "text*",
      },
      { names: "leaves", style: "exact", options: { flag: "-r -p --installed-on-request" }, operands: "" },
      { names: "config commands", style: "exact", operands: "" },
      {
        ...CHANGES,
        names:
          "install uninstall remove rm upgrade update reinstall link unlink tap untap cleanup autoremove services pin unpin search info outdated deps uses doctor bundle cask fetch",
      },
    ],
  },
  {
    names: "snap",
    style: "exact",
    info: "--version version --help -h",
    commands: [
      {
        names: "list services connections changes",
        style: "exact",
        options: { flag: "--all" },
        operands: "text*",
      },
      {
        ...CHANGES,
        names:
          "install remove refresh revert enable disable start stop restart set unset connect disconnect find info login logout run alias",
      },
    ],
  },
  {
    names: "flatpak",
    style: "exact",
    info: "--version --help -h",
    commands: [
      {
        names: "list",
        style: "exact",
        options: { flag: "--app --runtime --user --system -d --show-details -a --all", text: "--columns" },
        operands: "",
      },
      { ...CHANGES, names: "install uninstall remove update run override remote-add" },
    ],
  },
  {
    ...CHANGES,
    names:
      "nix nix-env nix-shell nix-build guix emerge xbps-install port choco winget scoop asdf mise pkg pkg_add opkg",
  },
];

/** Package managers of systems. */
export const SYSTEM_PACKAGES: readonly Program[] = [...DEBIAN, ...RPM, ...OTHERS];
