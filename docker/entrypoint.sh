#!/bin/sh
# Runs the service with options, or a command of `crs-eval` with its arguments:
#   docker run IMAGE --port 9000        docker run IMAGE score /logs
set -eu
case ${1:-serve} in
serve) [ $# -eq 0 ] || shift ;;
--port* | --host*) ;;
*) exec crs-eval "$@" ;;
esac
exec python -m crs_eval --host 0.0.0.0 --port 8000 "$@"
