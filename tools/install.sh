#!/bin/sh
# Makes a virtual environment that holds exactly what a lock file names.
#   tools/install.sh FOLDER LOCK [editable]
# `editable` also installs this checkout and its extra into it, so that `crs-eval`, `crs_eval` and `crs_eval_encoder` are there.
set -eu
folder=$1 lock=$2
python=${PYTHON:-python3}

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "crs-eval needs Python 3.11 or later; $python is $("$python" --version 2>&1). Set PYTHON to another one." >&2
    exit 1
}
"$python" -m venv "$folder" || {
    echo "Python's venv module is missing: install Debian's package python3-venv." >&2
    exit 1
}
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r "$lock"
if [ "${3:-}" = editable ]; then
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation \
        --editable . --editable extras/encoder
fi
