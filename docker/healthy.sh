#!/bin/bash
# Succeeds if the service answers /healthz on the port that its command line names.
#   healthy.sh [PROCESS]     default: 1, as in a container
# Bash alone: a Python would start at every probe.
set -eu
port=8000 previous=
while IFS= read -r -d '' word; do
    [ "$previous" != --port ] || port=$word
    case $word in --port=*) port=${word#--port=} ;; esac
    previous=$word
done < "/proc/${1:-1}/cmdline"
exec 3<> "/dev/tcp/127.0.0.1/$port"
printf 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n' >&3
read -r -t 2 _ status _ <&3
[ "$status" = 200 ]
