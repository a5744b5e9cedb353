#!/bin/bash
# Runs inside the sandbox: every command of the batch below strace, one after the other.
# Each file in /run/oracle/in holds an argument vector, NUL-separated; its trace goes to /run/oracle/trace.
ulimit -c 0 -f 40000 -t 5
limit=$(command -v timeout)
bash=$(command -v bash)
calls=$1
seconds=$2
for file in /run/oracle/in/*; do
  name=${file##*/}
  mapfile -d '' -t words <"$file"
  cd /home/dev/project || exit 1
  # The inner limit ends the command's group; the outer one ends strace should something have left the group.
  timeout -s KILL $((seconds + 2)) \
    strace -f -y -qq --seccomp-bpf -s 300 -e "trace=$calls" -e signal=none -o "/run/oracle/trace/$name" -- \
    "$limit" -s KILL "$seconds" "$bash" "${words[@]:1}" </dev/null >/run/oracle/out 2>&1
  echo "$name $?" >>/run/oracle/codes
done
