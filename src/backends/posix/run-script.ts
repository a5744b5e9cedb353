/**
 * What starts a program in the place: `sh -c RUN_SCRIPT toolgate CWD PROGRAM ARGUMENT…`, with the settings as the first
 * line of standard input and the program's own input behind it.
 *
 * The program writes into pipes of its own, which others carry on to the transport's outputs. So whoever keeps such a pipe
 * open after the end keeps nobody waiting; and what is written to both pipes after the program's end says that all before
 * it has come through. Those words begin with a secret of this run, `tg_nonce`:
 *
 * - `f PID`, on each output: the process that carries it.
 * - `p PID SHELLS…`: the program's process and group, and the shells that stand around it.
 * - `x WORD`: it could not be started.
 * - `e STATUS GROUPS…`, on both outputs: it has ended; the groups of processes that have begun since and are still there,
 *   `m` among them if one may be the run's.
 *
 * The settings define `tg_env`, which puts the program's environment in place.
 */
export const RUN_SCRIPT = `
tg_nl='
'
IFS= read -r tg_line || exit 125
eval "$tg_line"
tg_cwd=$1; shift
exec 3>&1 4>&2

tg_no() { printf '%s x %s\\n' "$tg_nonce" "$1"; exit 0; }

tg_find() {
  case $1 in */*)
    if [ -d "$1" ]; then tg_no EACCES
    elif [ ! -e "$1" ]; then tg_no ENOENT
    elif [ ! -x "$1" ]; then tg_no EACCES
    fi
    return ;;
  esac
  tg_path=\${PATH-/usr/local/bin:/usr/bin:/bin}: tg_why=ENOENT
  while [ -n "$tg_path" ]; do
    tg_file=\${tg_path%%:*}/$1; tg_path=\${tg_path#*:}
    case $tg_file in /*) ;; *) tg_file=./$tg_file ;; esac
    if [ -f "$tg_file" ]; then
      [ ! -x "$tg_file" ] || return 0
      tg_why=EACCES
    fi
  done
  tg_no "$tg_why"
}

tg_start() {
  if ! cd -- "$tg_cwd" 2>/dev/null; then
    if [ -d "$tg_cwd" ]; then tg_no CWD_EACCES
    elif [ -e "$tg_cwd" ]; then tg_no CWD_NOTDIR
    else tg_no CWD_ENOENT
    fi
  fi
  tg_env
  tg_find "$1"
  read -r tg_pid tg_rest </proc/self/stat
  printf '%s p %s %s\\n' "$tg_nonce" "$tg_pid" "$$ $tg_outer $tg_left $tg_inner"
  exec $tg_setsid "$@" 2>&5 3>&- 4>&- 5>&-
}

# What has begun since process tg_last did and is there now, but for these shells and what they started.
tg_look() {
  tg_found='' tg_files=''
  read -r tg_a tg_b tg_c tg_d tg_now </proc/loadavg || { tg_found=' m'; return; }
  if [ $((tg_now - tg_last)) -lt 0 ] || [ $((tg_now - tg_last)) -gt 256 ]; then tg_found=' m'; return; fi
  while [ "$tg_last" -lt "$tg_now" ]; do
    tg_last=$((tg_last + 1))
    [ -e "/proc/$tg_last" ] && read -r tg_line </proc/$tg_last/stat || continue
    set -- \${tg_line##*) }
    case $1 in [ZX]) continue ;; esac
    [ -z "$tg_setsid" ] || [ "$3" != "$tg_group" ] || continue
    tg_found="$tg_found $3"
    tg_files="$tg_files /proc/$tg_last/environ"
  done
  [ -z "$tg_files" ] || ! grep -zqsF -e "$tg_mark" $tg_files || tg_found="$tg_found m"
}

tg_run() {
  read -r tg_inner tg_rest </proc/self/stat
  set -f
  read -r tg_a tg_b tg_c tg_d tg_last </proc/loadavg || tg_last=0
  ( tg_start "$@" )
  tg_code=$?
  read -r tg_line </proc/self/stat
  set -- \${tg_line##*) }
  tg_group=$3
  tg_look
  printf '%s e %s%s\\n' "$tg_nonce" "$tg_code" "$tg_found"
  printf '%s e\\n' "$tg_nonce" >&5
}

tg_carry() {
  read -r tg_pid tg_rest </proc/self/stat
  printf '%s f %s\\n' "$tg_nonce" "$tg_pid"
  exec cat
}

tg_both() {
  read -r tg_outer tg_rest </proc/self/stat
  {
    read -r tg_left tg_rest </proc/self/stat
    tg_run "$@" 2>/dev/null 3>&- 4>&- | tg_carry >&3 2>/dev/null 3>&- 4>&- 5>&-
  } 5>&1 |
    tg_carry >&4 2>/dev/null 3>&- 4>&-
}

# Standard input stays open for as long as somebody is there to take the answer. When it ends without a word, nobody is:
# all that carries the run's mark is ended.
tg_watch() {
  read -r tg_line && return
  for tg_signal in TERM KILL; do
    tg_files=$(grep -zlsF -e "$tg_mark" /proc/[0-9]*/environ)
    for tg_file in $tg_files; do
      tg_file=\${tg_file%/environ}
      kill "-$tg_signal" "\${tg_file#/proc/}"
    done
    [ "$tg_signal" = KILL ] || sleep 2
  done
}

# Not by cat: that of busybox waits for more when it reads from a socket.
if [ -n "$tg_in" ]; then dd bs=65536 2>/dev/null 3>&- 4>&- | tg_both "$@"
else
  exec 6<&0
  tg_watch <&6 >/dev/null 2>&1 3>&- 4>&- 6<&- &
  tg_watcher=$!
  exec </dev/null 6<&-
  tg_both "$@"
  kill "$tg_watcher" 2>/dev/null
fi
exit 0
`;
