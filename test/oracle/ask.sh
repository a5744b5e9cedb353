#!/bin/bash
# Runs inside the sandbox: every argument vector in /run/oracle/in, its output and, after a NUL, its status kept in /run/oracle/trace.
ulimit -c 0 -f 4000 -t 5
seconds=$1
for file in /run/oracle/in/*; do
  mapfile -d '' -t words <"$file"
  timeout -s KILL "$seconds" "${words[@]}" </dev/null >"/run/oracle/trace/${file##*/}" 2>&1
  printf '\0%s' $? >>"/run/oracle/trace/${file##*/}"
done
exit 0
