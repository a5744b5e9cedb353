/**
 * What runs programs in the place. A line of settings on standard input, which begins with `tg_nonce=`, is one run; the shell
 * then waits for the next. `sh -c RUN_SCRIPT toolgate CWD PROGRAM ARGUMENT…` names the program by its words, else the settings
 * do. Behind the settings of a run with an input (`tg_in`) that follows, and the shell ends with it.
 *
 * The program writes into pipes of its own, which others carry on to the transport's outputs. So whoever keeps such a pipe
 * open after the end keeps nobody waiting; and what is written to both pipes after the program's end says that all before
 * it has come through. Those words begin with a secret of the run, `tg_nonce`:
 *
 * - `f PID`, on each output: the process that carries it.
 * - `p PID SHELLS…`: the program's process and group, and the shells that stand around it.
 * - `x WORD`: it could not be started.
 * - `e STATUS WORDS…`, on both outputs: it has ended. Of the processes that have begun since and are still there, the groups, or
 *   `o` when they are many; `m` if one may be the run's.
 * - `r`, on both outputs: nobody holds them any more, and the shell is free for the next run.
 *
 * The settings define `tg_env`, which puts the program's environment in place.
 */
export const RUN_SCRIPT = `
tg_nl='
'
exec 3>&1 4>&2 6<&0 </dev/null

# The number of the shell that this is called in, into tg_pid: a look into a directory is quicker than to read a line.
tg_self() { set -- /proc/self/task/*; tg_pid=\${1##*/}; }

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
  tg_self
  printf '%s p %s %s\\n' "$tg_nonce" "$tg_pid" "$$ $tg_outer $tg_left $tg_inner"
  exec $tg_setsid "$@" 2>&5 3>&- 4>&- 5>&-
}

# What has begun since process tg_last did and is there now, but for these shells and what they started. To read what a process
# is takes long: where there are many, it is only said that there are some.
tg_look() {
  tg_found='' tg_new='' tg_count=0
  read -r tg_a tg_b tg_c tg_d tg_now </proc/loadavg || { tg_found=' m'; return; }
  if [ $((tg_now - tg_last)) -lt 0 ] || [ $((tg_now - tg_last)) -gt 256 ]; then tg_found=' m'; return; fi
  while [ "$tg_last" -lt "$tg_now" ]; do
    tg_last=$((tg_last + 1))
    [ ! -e "/proc/$tg_last" ] || { tg_new="$tg_new $tg_last"; tg_count=$((tg_count + 1)); }
  done
  if [ "$tg_count" -gt "$tg_few" ]; then tg_found=' o'
  elif [ "$tg_count" -gt 0 ]; then tg_groups
  fi
  [ -n "$tg_found" ] || return
  tg_files=''
  for tg_one in $tg_new; do tg_files="$tg_files /proc/$tg_one/environ"; done
  ! grep -zqsF -e "$tg_mark" $tg_files || tg_found="$tg_found m"
}

# Leaves those in tg_new that have not ended and are none of these shells; their groups go into tg_found.
tg_groups() {
  read -r tg_line </proc/self/stat
  set -f
  set -- \${tg_line##*) }
  tg_group=$3 tg_old=$tg_new tg_new=''
  for tg_one in $tg_old; do
    read -r tg_line </proc/$tg_one/stat || continue
    set -- \${tg_line##*) }
    case $1 in [ZX]) continue ;; esac
    [ -z "$tg_setsid" ] || [ "$3" != "$tg_group" ] || continue
    tg_new="$tg_new $tg_one" tg_found="$tg_found $3"
  done
}

tg_run() {
  tg_self; tg_inner=$tg_pid
  read -r tg_a tg_b tg_c tg_d tg_last </proc/loadavg || tg_last=0
  ( tg_start "$@" )
  tg_code=$?
  tg_look
  printf '%s e %s%s\\n' "$tg_nonce" "$tg_code" "$tg_found"
  printf '%s e\\n' "$tg_nonce" >&5
}

tg_carry() {
  tg_self
  printf '%s f %s\\n' "$tg_nonce" "$tg_pid"
  exec cat
}

tg_both() {
  tg_cwd=$1; shift
  tg_self; tg_outer=$tg_pid
  {
    tg_self; tg_left=$tg_pid
    tg_run "$@" 2>/dev/null 3>&- 4>&- | tg_carry >&3 2>/dev/null 3>&- 4>&- 5>&-
  } 5>&1 |
    tg_carry >&4 2>/dev/null 3>&- 4>&-
}

# Standard input stays open for as long as somebody is there to take the answer. When it ends without a word, nobody is:
# all that carries the run's mark is ended, at the latest after two seconds.
tg_watch() {
  read -r tg_line && return
  trap '' TERM
  tg_try=0 tg_signal=TERM
  while tg_files=$(grep -zlsF -e "$tg_mark" /proc/[0-9]*/environ); [ -n "$tg_files" ]; do
    for tg_file in $tg_files; do
      tg_file=\${tg_file%/environ}
      kill "-$tg_signal" "\${tg_file#/proc/}"
    done
    [ "$tg_signal" != KILL ] || return
    tg_signal=0
    sleep 0.1 2>/dev/null || { sleep 1; tg_try=$((tg_try + 9)); }
    tg_try=$((tg_try + 1))
    [ "$tg_try" -lt 20 ] || tg_signal=KILL
  done
}

while IFS= read -r tg_line <&6; do
  # The word that a run is over is of no use to a shell that knows.
  case $tg_line in tg_nonce=*) ;; *) continue ;; esac
  eval "$tg_line"
  if [ -n "$tg_in" ]; then
    # Not by cat: that of busybox waits for more when it reads from a socket.
    dd bs=65536 <&6 2>/dev/null 3>&- 4>&- 6<&- | tg_both "$@" 6<&-
    exit 0
  fi
  tg_watch <&6 >/dev/null 2>&1 3>&- 4>&- 6<&- &
  tg_watcher=$!
  tg_both "$@" 6<&-
  { kill "$tg_watcher"; wait "$tg_watcher"; } 2>/dev/null
  printf '%s r\\n' "$tg_nonce"
  printf '%s r\\n' "$tg_nonce" >&2
done
exit 0
`;
