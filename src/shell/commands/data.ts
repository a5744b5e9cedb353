import type { Program } from "../program.ts";

const COMPARE: readonly Program[] = [
  // `--paginate` starts pr.
  {
    names: "colordiff",
    style: "exact",
    followsUnless: "--no-dereference",
    info: "--version -v --help",
    options: {
      flag: "--normal -q --brief -s --report-identical-files -c -u -e --ed -n --rcs -y --side-by-side --left-column --suppress-common-lines -p --show-c-function -t --expand-tabs -T --initial-tab --suppress-blank-empty -N --new-file -P --unidirectional-new-file --ignore-file-name-case --no-ignore-file-name-case --no-dereference -i --ignore-case -E --ignore-tab-expansion -Z --ignore-trailing-space -b --ignore-space-change -w --ignore-all-space -B --ignore-blank-lines -a --text --strip-trailing-cr -d --minimal --speed-large-files -#",
      recursive: "-r --recursive",
      maybe: "--context --unified --color",
      text: "-C -U --label -L -F --show-function-line -W --width --tabsize -x --exclude -I --ignore-matching-lines -D --ifdef --GTYPE-group-format --line-format --LTYPE-line-format --palette --horizon-lines -S --starting-file --old-line-format --new-line-format --unchanged-line-format --old-group-format --new-group-format --unchanged-group-format --changed-group-format",
      read: "-X --exclude-from --from-file --to-file",
    },
    operands: "input input",
    when: [{ options: "--from-file --to-file", operands: "input*" }],
  },
  {
    names: "diffstat",
    style: "exact",
    info: "-V",
    options: { flag: "-b -c -C -l -m -q -s -t -u -v", text: "-f -n -N -p -w -S -D -R" },
    operands: "input*",
  },
  // Patches name the files that they change.
  {
    names: "patch",
    style: "exact",
    info: "--version -v --help",
    options: {
      flag: "-b --backup -c --context -l --ignore-whitespace -n --normal -N --forward -R --reverse -s --silent --quiet -t --batch -f --force -u --unified -E --remove-empty-files --dry-run --verbose --binary -Z --set-utc -T --set-time --backup-if-mismatch --no-backup-if-mismatch --merge",
      text: "-p --strip -F --fuzz -V --version-control --quoting-style --reject-format -z --suffix",
      read: "-i --input",
      write: "-o --output -r --reject-file -B --prefix",
      dir: "-d --directory",
    },
    operands: "write read",
    system: "changes the files that the patch names",
    when: [{ options: "--dry-run", operands: "read read", instead: true }],
  },
];

const STRUCTURED: readonly Program[] = [
  { names: "jq gojq jaq", reader: "jq" },
  { names: "yq", reader: "yq" },
  {
    names: "xmllint",
    style: "exact",
    info: "--version",
    options: {
      flag: "--noout --format --nonet --recover --huge --nowarning --noblanks --nocdata --c14n --html --quiet --debug --timing --nsclean",
      text: "--xpath --encode --pattern --pretty",
    },
    operands: "local-file*",
  },
  {
    names: "csvlook csvcut csvstat csvgrep csvsort",
    style: "exact",
    info: "--version --help",
    options: {
      flag: "-n --names -i --invert-match --csv --json -v -H --no-header-row -l --linenumbers -r --reverse -a --any-match -I --no-inference --zero -t --tabs",
      text: "-c --columns -m --match --regex -d --delimiter -q --quotechar --max-rows --max-columns --max-column-width -e --encoding -C --not-columns -K --skip-lines",
    },
    operands: "input*",
  },
  {
    names: "dos2unix unix2dos mac2unix",
    operands: "write*",
    info: "--version -V --help",
    style: "exact",
    options: { flag: "-q --quiet -k --keepdate -f --force -ascii -b --keep-bom -s --safe -v --verbose" },
  },
];

const CLIENT = { network: "any", opaque: true } as const;

const DATABASES: readonly Program[] = [
  { names: "sqlite3 sqlite", reader: "sqlite" },
  {
    ...CLIENT,
    names: "psql pg_dump pg_dumpall pg_restore createdb dropdb initdb pg_ctl pg_isready",
    info: "--version -V --help -?",
  },
  { ...CLIENT, names: "mysql mysqldump mysqladmin mariadb mariadb-dump", info: "--version -V --help -?" },
  {
    ...CLIENT,
    names:
      "redis-cli mongosh mongo mongodump mongorestore influx cqlsh clickhouse clickhouse-client duckdb sqlcmd sqlplus bcp usql pgcli mycli",
    info: "--version --help",
  },
  { ...CLIENT, names: "nginx apache2 httpd haproxy", info: "-v -V" },
  { ...CLIENT, names: "mysqld mariadbd postgres memcached", info: "--version -V" },
  { ...CLIENT, names: "redis-server mongod etcd etcdctl", info: "--version" },
  { ...CLIENT, names: "caddy", info: "version --version" },
];

/** Comparing, structured data and databases. */
export const DATA: readonly Program[] = [...COMPARE, ...STRUCTURED, ...DATABASES];
