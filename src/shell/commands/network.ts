import type { Program } from "../program.ts";

// Everything here connects, so that it asks; what it reads and writes is said for the rules about files.

const CURL: Program = {
  names: "curl",
  style: "exact",
  info: "--version -V --help -h --manual -M",
  network: "any",
  options: {
    flag: "-s --silent -S --show-error -f --fail --fail-with-body -L --location -i --include -I --head -v --verbose -k --insecure -g --globoff -N --no-buffer -G --get -# --progress-bar -4 --ipv4 -6 --ipv6 --compressed --http1.0 --http1.1 --http2 --http3 -Z --parallel -q --disable --tlsv1.2 --tlsv1.3 --no-progress-meter --path-as-is --raw -n --netrc --retry-all-errors --retry-connrefused -j --junk-session-cookies --create-dirs --no-keepalive --ssl-reqd -O --remote-name --remote-name-all -J --remote-header-name",
    text: "-X --request -H --header -A --user-agent -e --referer -u --user -m --max-time --connect-timeout --retry --retry-delay --retry-max-time -w --write-out -r --range --limit-rate --data-raw --resolve --interface -x --proxy --noproxy --max-redirs --oauth2-bearer -C --continue-at --ciphers --max-filesize -y -Y --form-string --url-query",
    "http-data": "-d --data --data-ascii --data-binary --data-urlencode --json -F --form",
    read: "-T --upload-file --cacert --cert -E --key --netrc-file",
    output:
      "-o --output -D --dump-header --trace --trace-ascii --stderr -c --cookie-jar --etag-save --hsts --alt-svc",
    write: "--output-dir --libcurl",
    url: "--url",
    run: "-K --config",
  },
  operands: "url*",
  when: [{ options: "-O --remote-name --remote-name-all", touches: "." }],
};

// These write into the working directory unless told where.
const WGET: Program = {
  names: "wget wget2",
  style: "exact",
  info: "--version -V --help -h",
  network: "any",
  options: {
    flag: "-q --quiet -v --verbose -nv --no-verbose -c --continue -nc --no-clobber -N --timestamping -S --server-response --spider -r --recursive -k --convert-links -p --page-requisites -np --no-parent -nd --no-directories -nH --no-host-directories -m --mirror -E --adjust-extension --no-check-certificate --content-disposition --trust-server-names --no-cookies -4 -6 --https-only --no-cache -K --no-hsts",
    maybe: "--show-progress --progress",
    text: "-t --tries -T --timeout -w --wait --limit-rate -l --level -A --accept -R --reject -D --domains -U --user-agent --header --referer --user --password --method --body-data --post-data --max-redirect -Q --quota --cut-dirs --connect-timeout --read-timeout -X -I",
    read: "-i --input-file --post-file --body-file --load-cookies --ca-certificate",
    output: "-O --output-document -o --output-file -a --append-output --save-cookies",
    write: "-P --directory-prefix",
  },
  touches: ".",
  operands: "url*",
  when: [
    {
      options: "-O --output-document -P --directory-prefix --spider",
      instead: true,
      network: "any",
      operands: "url*",
    },
  ],
};

const REMOTE: readonly Program[] = [
  {
    names: "ssh slogin mosh autossh sshpass",
    info: "-V --version",
    network: "any",
    opaque: true,
  },
  // They take `-V` and `--version` for something else.
  { names: "ssh-copy-id ssh-keyscan", network: "any", opaque: true },
  {
    names: "scp",
    style: "exact",
    network: "any",
    opaque: true,
    options: {
      flag: "-q -v -p -C -3 -4 -6 -B -A -O -T -R -s",
      recursive: "-r",
      text: "-P -l -c",
      read: "-i",
    },
    operands: "remote-file*",
  },
  { names: "rsync", info: "--version -V --help", reader: "rsync" },
  {
    names: "sftp ftp lftp tftp ncftp telnet rsh rlogin rclone s3cmd mc croc",
    info: "--version --help",
    network: "any",
    opaque: true,
  },
  { names: "nc ncat netcat socat websocat", network: "any", opaque: true },
];

const PROBES: readonly Program[] = [
  {
    names: "ping ping6 traceroute traceroute6 tracepath mtr",
    info: "-V --version --help -h",
    network: "any",
    operands: "host text",
    style: "exact",
    options: { flag: "-n -4 -6 -q -v -r --report -b", text: "-c -i -W -w -t -s -m -p -I --count" },
  },
  {
    names: "dig drill delv host nslookup whois kdig doggo dog",
    info: "-v -h",
    network: "any",
    operands: "text*",
    style: "exact",
    options: { flag: "-x -4 -6 +short +trace -a -v --short", text: "-t -p -c" },
  },
  {
    names: "resolvectl",
    style: "exact",
    info: "--version --help -h",
    options: { flag: "--no-pager --legend --no-legend -4 -6" },
    commands: [
      {
        names: "status statistics dns domain nta llmnr mdns dnssec dnsovertls",
        style: "exact",
        network: "read",
        operands: "text",
      },
      { names: "query service openpgp tlsa", network: "any", operands: "text*" },
      {
        names: "flush-caches reset-statistics reset-server-features revert log-level",
        system: "changes the resolver",
        operands: "text*",
      },
    ],
  },
  {
    names:
      "nmap masscan zmap arping hping3 nikto gobuster ffuf sqlmap hydra tcpdump tshark wireshark ngrep iperf iperf3 ab wrk hey k6 siege vegeta",
    info: "--version -V --help -h",
    network: "any",
    opaque: true,
  },
  {
    names: "http https httpie xh grpcurl aria2c axel youtube-dl yt-dlp gallery-dl lynx w3m links elinks",
    info: "--version --help",
    network: "any",
    opaque: true,
  },
  { names: "mail mailx mutt sendmail msmtp swaks", network: "any", opaque: true },
];

const CRYPTO_READ_FLAGS =
  "-noout -text -subject -issuer -dates -startdate -enddate -serial -fingerprint -pubkey -hash -subject_hash -issuer_hash -subject_hash_old -issuer_hash_old -email -ocsp_uri -purpose -modulus -ocspid -alias -trustout -sha1 -sha256 -sha384 -sha512 -md5 -verify -print_certs -nodetach -check -pubin -pubout -crlnumber -lastupdate -nextupdate -hash_old";

const OPENSSL: Program = {
  names: "openssl",
  style: "single",
  info: "version help --version --help",
  commands: [
    {
      names: "version",
      style: "single",
      options: { flag: "-a -v -d -b -o -f -p -m -r -e -c" },
      operands: "",
    },
    // Left out: engines and providers (libraries), signing and making keys, passwords.
    {
      names: "x509 crl req pkcs7",
      style: "single",
      info: "-help",
      options: {
        flag: CRYPTO_READ_FLAGS,
        text: "-ext -nameopt -certopt -inform -outform -checkend -checkhost -checkip -checkemail -reqopt",
        "local-file": "-in -CAfile",
        write: "-out",
      },
      operands: "",
    },
    {
      names: "rsa ec pkey dsa",
      style: "single",
      info: "-help",
      options: {
        flag: "-noout -text -check -modulus -pubin -pubout -pubcheck -text_pub -param_out",
        text: "-inform -outform",
        "local-file": "-in",
        write: "-out",
      },
      operands: "",
    },
    {
      names: "asn1parse",
      style: "single",
      options: {
        flag: "-i -noout -dump",
        text: "-inform -offset -length -strparse -dlimit",
        "local-file": "-in",
        write: "-out",
      },
      operands: "",
    },
    {
      names: "verify",
      style: "single",
      options: {
        flag: "-verbose -show_chain -partial_chain -trusted_first",
        text: "-purpose -verify_depth",
        read: "-CAfile -untrusted -trusted -CRLfile",
        list: "-CApath",
      },
      operands: "read*",
    },
    {
      names: "dgst md5 sha1 sha224 sha256 sha384 sha512 sha3-256 blake2b512",
      style: "single",
      options: {
        flag: "-md5 -sha1 -sha224 -sha256 -sha384 -sha512 -sha3-256 -blake2b512 -hex -binary -r -c -list",
        write: "-out",
      },
      operands: "input*",
    },
    {
      names: "base64 enc",
      style: "single",
      options: { flag: "-base64 -d -e -a -A", "local-file": "-in", write: "-out" },
      operands: "",
    },
    { names: "rand", style: "single", options: { flag: "-hex -base64", write: "-out" }, operands: "text" },
    {
      names: "ciphers list prime errstr info",
      style: "single",
      options: {
        flag: "-v -V -s -ssl3 -tls1_2 -tls1_3 -commands -digest-commands -cipher-commands -digest-algorithms -cipher-algorithms -1 -hex",
      },
      operands: "text*",
    },
    {
      names: "s_client s_server s_time ocsp ts cmp",
      network: "any",
      opaque: true,
    },
    {
      names:
        "genrsa genpkey gendsa ecparam dhparam pkcs12 pkcs8 cms smime ca rehash passwd spkac speed engine pkeyutl rsautl storeutl mac kdf crl2pkcs7 srp fipsinstall pkeyparam",
      opaque: true,
    },
  ],
};

const KEYS: readonly Program[] = [
  // Even listing keys makes a home directory and starts an agent.
  {
    names: "gpg gpg2 gpgv gpgsm gpg-agent gpgconf pass age sops op bw secret-tool",
    info: "--version --help",
    opaque: true,
  },
  {
    names: "ssh-keygen",
    style: "exact",
    // `-lf` only shows a fingerprint.
    options: {
      flag: "-l -v -y -e -B",
      text: "-E -m -F -t -b -C -N",
      read: "-lf -lvf",
      write: "-f",
      run: "-D -w",
    },
    operands: "",
    system: "makes or changes keys",
    when: [{ options: "-l -B -lf -lvf", instead: true, operands: "" }],
  },
  // It asks the agent through a socket.
  {
    names: "ssh-add",
    style: "exact",
    options: { flag: "-l -L" },
    opaque: true,
    when: [{ options: "-l -L", instead: true, network: "read", operands: "" }],
  },
  { names: "ssh-agent", opaque: true },
];

/** Programs that reach the network, and keys and certificates. */
export const NETWORK: readonly Program[] = [CURL, WGET, ...REMOTE, ...PROBES, OPENSSL, ...KEYS];
