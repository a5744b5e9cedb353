/**
 * What the place's shell does for the backend, as functions of a POSIX `sh` that get by with the small programs of busybox.
 * Each is called in a subshell. It answers on standard output with status 0; or it ends with status 9 and a word on the
 * last line that `reply.ts` knows; or a program's own complaint, which ends with the system's words, is the answer.
 *
 * Variables begin with `tg_`, so that they never are one of the place's own.
 */
export const FILE_FUNCTIONS = `
LC_ALL=C; TZ=UTC0; export LC_ALL TZ
tg_look='%f %h %s %d %i %y|%z'
tg_fail() { printf '\\n%s' "$1"; exit 9; }

tg_stat() { stat -L -c "$tg_look" -- "$1"; }
tg_lstat() { stat -c "$tg_look" -- "$1"; }

# Where a path leads, into tg_real: links are followed, what is missing is kept. It goes on from a real path if one is given.
# What keeps it from being known goes into tg_why.
tg_resolve() {
  tg_rest=$1 tg_real=$2 tg_links=0
  while [ -n "$tg_rest" ]; do
    case $tg_rest in
      */*) tg_name=\${tg_rest%%/*}; tg_rest=\${tg_rest#*/} ;;
      *) tg_name=$tg_rest; tg_rest='' ;;
    esac
    case $tg_name in
      ''|.) continue ;;
      ..) tg_real=\${tg_real%/*}; continue ;;
    esac
    if [ -L "$tg_real/$tg_name" ]; then
      tg_links=$((tg_links + 1))
      [ "$tg_links" -le 40 ] || { tg_why=ELOOP; return 1; }
      tg_to=$(readlink -n -- "$tg_real/$tg_name"; printf x)
      tg_to=\${tg_to%x}
      case $tg_to in /*) tg_real='' ;; esac
      tg_rest=$tg_to/$tg_rest
    else
      [ -e "$tg_real/$tg_name" ] || [ ! -d "$tg_real/" ] || [ -x "$tg_real/" ] || { tg_why=EACCES; return 1; }
      tg_real=$tg_real/$tg_name
    fi
  done
  [ -n "$tg_real" ] || tg_real=/
}
tg_realpath() { tg_resolve "$1" || tg_fail "$tg_why"; printf '%s' "$tg_real"; }

# Many at once: what all begin with, the rest of each. Answers of each "=" and where it leads, or "!"; then a letter for each, of
# what it is; then a line for each file.
tg_resolve_all() {
  tg_base=$1 tg_start=none tg_kinds=''; shift
  if tg_resolve "$tg_base"; then tg_start=\${tg_real%/}; fi
  for tg_end in "$@"; do
    shift
    if [ "$tg_start" != none ] && tg_resolve "$tg_end" "$tg_start"; then printf '=%s\\0' "$tg_real"
    else printf '!\\0'
    fi
    if [ -f "$tg_base$tg_end" ]; then set -- "$@" "$tg_base$tg_end"; tg_kinds=\${tg_kinds}f
    elif [ -d "$tg_base$tg_end" ]; then tg_kinds=\${tg_kinds}d
    elif [ -e "$tg_base$tg_end" ]; then tg_kinds=\${tg_kinds}o
    else tg_kinds=$tg_kinds-
    fi
  done
  printf '%s\\0' "$tg_kinds"
  [ $# = 0 ] || stat -L -c '%h %d:%i' -- "$@" 2>/dev/null
  :
}

tg_list() {
  if [ ! -d "$1" ]; then stat -L -c %f -- "$1" >/dev/null || exit; tg_fail NOTDIR; fi
  cd -- "$1" 2>/dev/null && [ -r . ] || tg_fail EACCES
  for tg_name in * .[!.]* ..?*; do
    if [ -L "$tg_name" ]; then tg_kind=l
    elif [ -d "$tg_name" ]; then tg_kind=d
    elif [ -f "$tg_name" ]; then tg_kind=f
    elif [ -e "$tg_name" ]; then tg_kind=o
    else continue
    fi
    printf '%s%s\\0' "$tg_kind" "$tg_name"
  done
}

tg_mkdir() { mkdir -p -- "$1"; }

# Which of the two a refusal is about is said by a word before it.
tg_rename() {
  if [ ! -e "$1" ] && [ ! -L "$1" ]; then printf from; stat -c %f -- "$1"; exit 1; fi
  case $2 in "$1"/*) tg_fail EINVAL ;; esac
  tg_folder=''
  if [ -d "$2" ] && [ ! -L "$2" ]; then tg_folder=$2; fi
  if [ -d "$1" ] && [ ! -L "$1" ]; then
    [ -n "$tg_folder" ] || { [ ! -e "$2" ] && [ ! -L "$2" ]; } || tg_fail NOTDIR
  else
    [ -z "$tg_folder" ] || tg_fail EISDIR
  fi
  tg_into=$(stat -L -c %d -- "\${2%/*}/") || exit
  [ "$tg_into" = "$(stat -c %d -- "$1")" ] || tg_fail EXDEV
  if [ -n "$tg_folder" ] && [ "$1" != "$2" ]; then rmdir -- "$2" || exit; fi
  tg_move "$1" "$2"
}

# Never into a directory that has just come to be there. Programs of before 2020 don't know how; then it is looked at first.
tg_move() {
  mv -fT -- "$1" "$2" 2>/dev/null && return
  # Once more, to hear why.
  tg_said=$(mv -fT -- "$1" "$2" 2>&1) && return
  case $tg_said in
    *option*) ;;
    *) printf '%s' "$tg_said"; return 1 ;;
  esac
  [ ! -d "$2" ] || tg_fail EISDIR
  mv -f -- "$1" "$2"
}

tg_remove() {
  if [ ! -e "$1" ] && [ ! -L "$1" ]; then stat -c %f -- "$1"; exit 1; fi
  if [ -d "$1" ] && [ ! -L "$1" ]; then
    [ -n "$2" ] || tg_fail EISDIR
    rm -rf -- "$1"
  else
    rm -f -- "$1"
  fi
}

tg_file_id() { [ ! -f "$1" ] || stat -L -c '%h %d:%i' -- "$1"; }
`;

/** Reading, in blocks of {@link BLOCK} bytes: `dd` is the one program that all places can seek with. */
export const READ_FUNCTIONS = `
# Opens a regular file as descriptor 3. What was opened counts, whatever the path leads to by now.
tg_open() {
  if [ ! -f "$1" ]; then
    stat -L -c %f -- "$1" >/dev/null || exit
    [ ! -d "$1" ] || tg_fail EISDIR
    tg_fail ENXIO
  fi
  [ -r "$1" ] || tg_fail EACCES
  exec 3<"$1"
  tg_size=$(stat -L -c %s /proc/self/fd/3) || exit
  tg_at=''
  # Also where there is nothing to read: the kernel's own files say that they are empty.
  if [ -n "$2" ] || [ "$tg_size" = 0 ]; then tg_at=$(readlink -n /proc/self/fd/3; printf x); fi
  if [ -n "$2" ] && [ "$tg_at" != "$2x" ] && [ "$tg_at" != "$2 (deleted)x" ]; then tg_fail STALE; fi
}
tg_blocks() { dd bs=65536 skip=$(($1 / 65536)) count=$((($1 % 65536 + $2 + 65535) / 65536)) <&3 2>/dev/null; }

# path, where it must lead, offset, length or nothing, most bytes to answer at once
tg_read() {
  tg_open "$1" "$2"
  tg_count=$((tg_size - $3))
  [ "$tg_count" -ge 0 ] || tg_count=0
  [ -z "$4" ] || [ "$tg_count" -le "$4" ] || tg_count=$4
  # Some of those never end.
  case $tg_at in /proc/*|/sys/*) tg_count=unknown ;; esac
  printf '%s %s\\n' "$tg_size" "$tg_count"
  [ "$tg_count" != unknown ] && [ "$tg_count" -gt 0 ] && [ "$tg_count" -le "$5" ] || exit 0
  tg_blocks "$3" "$tg_count"
}

# path, where it must lead, offset, length or nothing. Says size and the offset at which it begins, then all from there.
tg_stream() {
  tg_open "$1" "$2"
  case $tg_at in
    /proc/*|/sys/*) printf '%s 0\\n' "$tg_size"; cat <&3; return ;;
  esac
  printf '%s %s\\n' "$tg_size" $(($3 / 65536 * 65536))
  if [ -n "$4" ]; then tg_blocks "$3" "$4"
  else dd bs=65536 skip=$(($3 / 65536)) <&3 2>/dev/null
  fi
}
`;

/** Bytes of a block in {@link READ_FUNCTIONS}. */
export const BLOCK = 65536;

/** Writing: beside the target first, then in its place. */
export const WRITE_FUNCTIONS = `
# Enters the directory: parent, where it must lead, whether to make it. From here on names are relative, so that
# a link swapped on the way leads nowhere else.
tg_enter() {
  if [ -n "$3" ]; then
    if [ -n "$2" ]; then tg_resolve "$1" || tg_fail "$tg_why"; [ "$tg_real" = "$2" ] || tg_fail STALE; fi
    tg_said=$(mkdir -p -- "$1" 2>&1) || case $tg_said in
      *'File exists'|*'Not a directory') tg_fail NOTDIR ;;
      *) printf '%s' "$tg_said"; exit 1 ;;
    esac
  fi
  if [ ! -d "$1" ]; then
    [ ! -e "$1" ] || tg_fail NOTDIR
    tg_said=$(stat -L -c %f -- "$1" 2>&1)
    case $tg_said in *'Not a directory') tg_fail NOTDIR ;; esac
    printf '%s' "$tg_said"; exit 1
  fi
  cd -P -- "$1" 2>/dev/null || tg_fail EACCES
  [ -z "$2" ] || [ "$PWD" = "$2" ] || tg_fail STALE
}

# Refuses what must not be replaced: name, version; a word when it was looked at before. Mode, owner and version of what is
# there go into tg_old.
tg_check() {
  [ -n "$3" ] || tg_old=''
  if [ -L "./$1" ]; then tg_fail LINK
  elif [ -d "./$1" ]; then tg_fail EISDIR
  elif [ -n "$3" ] && [ -z "$2" ]; then return
  elif [ -f "./$1" ]; then
    tg_old=$(stat -c '%a %u:%g %s %d %i %y|%z' -- "./$1") || tg_fail STALE
    [ -w "./$1" ] || tg_fail EACCES
  elif [ -e "./$1" ]; then tg_fail ENXIO
  fi
  case $2 in
    '') ;;
    absent) [ -z "$tg_old" ] || tg_fail EXISTS ;;
    *) case $tg_old in *" $2") ;; *) tg_fail STALE ;; esac ;;
  esac
}

# A writer that was killed leaves its file; one that is a minute old belongs to nobody.
tg_sweep() {
  for tg_left in ./.toolgate-"$1"-*.tmp; do
    [ -e "$tg_left" ] || continue
    find "$tg_left" -prune -mmin +1 -exec rm -f -- '{}' ';' 2>/dev/null
  done
}

# Whatever ends the shell from here on, the new file goes with it; a listener that is gone doesn't end it first.
tg_guard() {
  tg_file=$1
  trap '' PIPE
  trap 'tg_status=$?; trap - 0; rm -f -- "./$tg_file"; exit "$tg_status"' 0
}

# Opens descriptor 3 on a new file: its name, the bits it is to have. Until it has them it is nobody else's.
tg_open_new() {
  case $2 in
    '') ;;
    644) umask 022 ;;
    664) umask 002 ;;
    *) umask 077 ;;
  esac
  set -C
  exec 3>"./$1"
  set +C
}

# Puts the new file in place: name, version, bits for a new file, the new file's name. Answers the new state.
tg_place() {
  if [ -n "$tg_old" ]; then
    # Its owner first: changing that takes bits away.
    tg_bits=\${tg_old%% *}; tg_own=\${tg_old#* }; tg_own=\${tg_own%% *}
    tg_new=$(stat -c '%a %u:%g' -- "./$4")
    if [ "\${tg_new#* }" != "$tg_own" ]; then
      chown "$tg_own" "./$4" 2>/dev/null || tg_fail OWNER
      tg_new=''
    fi
    [ "\${tg_new%% *}" = "$tg_bits" ] || chmod "$tg_bits" "./$4" || exit
  elif [ -n "$3" ]; then chmod "$3" "./$4" || exit
  fi
  tg_check "$1" "$2" again
  # Unlike a rename, a link never replaces what somebody has just put there.
  if [ "$2" = absent ] && tg_said=$(ln -T -- "./$4" "./$1" 2>&1); then rm -f -- "./$4"
  else
    case $2:$tg_said in absent:*exists) tg_fail EXISTS ;; esac
    tg_move "./$4" "./$1" || exit
  fi
  stat -c "$tg_look" -- "./$1"
}

# Puts bytes that came as text into descriptor 3. Where the disk is full busybox complains, and ends as if nothing were the matter.
tg_decode() {
  tg_said=$(printf '%s' "$1" | base64 -d 2>&1 >&3) && [ -z "$tg_said" ] || { printf '%s' "$tg_said"; exit 1; }
}

# parent, where it must lead, whether to make it, name, version, bits, the new file's name, its key, the bytes
tg_write() {
  tg_enter "$1" "$2" "$3"; tg_check "$4" "$5"; tg_sweep "$8"; tg_said=''
  tg_guard "$7"
  tg_open_new "$7" "\${tg_old%% *}$6"
  tg_decode "$9"
  exec 3>&-
  tg_place "$4" "$5" "$6" "$7"
  trap - 0
}

# The same in two steps: the bytes come on standard input, with 24 at their end that say that they are whole; what was
# cut off is taken away again. Nothing is replaced yet.
tg_upload() {
  tg_enter "$1" "$2" "$3"; tg_check "$4" "$5"; tg_sweep "$8"
  tg_guard "$7"
  tg_open_new "$7" "\${tg_old%% *}$6"
  cat >&3 || exit
  exec 3>&-
  [ "$(tail -c 24 "./$7")" = "$9" ] || tg_fail CUT
  tg_size=$(($(stat -c %s -- "./$7") - 24))
  dd if=/dev/null of="./$7" bs=1 seek="$tg_size" 2>/dev/null || exit
  trap - 0
}
# parent, where it must lead, "", name, version, bits, the new file's name, its size
tg_commit() {
  tg_enter "$1" "$2" ''; tg_said=''
  tg_guard "$7"
  tg_check "$4" "$5"
  [ "$(stat -c %s -- "./$7")" = "$8" ] || tg_fail STALE
  tg_place "$4" "$5" "$6" "$7"
  trap - 0
}
tg_discard() { tg_enter "$1" "$2" ''; rm -f -- "./$3"; }

# parent, where it must lead, whether to make it, name, version, bits for a new file, the bytes
tg_append() {
  tg_enter "$1" "$2" "$3"; tg_check "$4" "$5"
  [ -n "$tg_old" ] || [ -z "$6" ] || umask 077
  exec 3>>"./$4"
  tg_at=$(readlink -n /proc/self/fd/3; printf x)
  [ "$tg_at" = "\${PWD%/}/$4x" ] || tg_fail STALE
  [ -n "$tg_old" ] || [ -z "$6" ] || chmod "$6" "./$4" || exit
  tg_decode "$7"
  stat -c "$tg_look" -- "./$4"
}
`;

/** Signals and a look at who is alive: nothing in them forks. */
export const SIGNAL_FUNCTIONS = `
LC_ALL=C; export LC_ALL
tg_signal() { tg_name=$1; shift; kill "-$tg_name" "$@"; }
tg_alive() {
  for tg_pid in "$@"; do
    tg_line=''
    read -r tg_line </proc/"$tg_pid"/stat || continue
    case \${tg_line##*) } in [ZX]*) ;; *) printf '%s ' "$tg_pid" ;; esac
  done 2>/dev/null
  :
}
`;
