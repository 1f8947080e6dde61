#!/bin/sh
# Makes a virtual environment that holds exactly what a lock file names.
#   tools/install.sh FOLDER LOCK [editable | wheel]
# `editable` also installs this checkout into it, so that `crs-eval` and `crs_eval` are there.
# `wheel` also builds the wheel of the service, with what requirements/build.txt names, and installs that.
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
pip() {
    command=$1
    shift
    "$folder/bin/python" -m pip "$command" --quiet --disable-pip-version-check "$@"
}
pip install --require-hashes -r "$lock"
case ${3:-} in
editable)
    pip install --no-deps --no-build-isolation --editable .
    ;;
wheel)
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    pip install --require-hashes --target "$work/setuptools" -r requirements/build.txt
    # Built from a copy: setuptools packs again what an earlier build left in build/.
    mkdir "$work/source"
    cp -R pyproject.toml setup.py README.md LICENSE service "$work/source"
    PYTHONPATH=$work/setuptools pip wheel --no-deps --no-build-isolation --wheel-dir "$work" "$work/source"
    pip install --no-deps --force-reinstall "$work"/*.whl
    ;;
esac
