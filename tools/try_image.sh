#!/bin/bash
# Builds the image without a daemon and tries what is in it: buildah runs the Dockerfile's own steps, on a bare Debian in
# the place of the Python image, with the Python of Debian. Needs root, debootstrap and buildah.
#   tools/try_image.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/index_settings.sh

for program in debootstrap buildah; do
    command -v "$program" > /dev/null || { echo "$program is missing: apt-get install $program" >&2; exit 2; }
done
[ "$(id -u)" = 0 ] || { echo "Building without a daemon needs root here." >&2; exit 2; }

work=$(mktemp -d)
root=
cleanup() {
    [ -z "$root" ] || umount -R "$root/proc" 2> /dev/null || true
    rm -rf --one-file-system "$work"
}
trap cleanup EXIT
store() { buildah --root "$work/store" --runroot "$work/run" --storage-driver vfs "$@"; }

# The stand-in for the Python image: Debian of the same age, and how this machine reaches its package index.
. /etc/os-release
mirror=$(apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Identifier: Packages' |
    awk -v suite="$VERSION_CODENAME" '$1 == suite { print $2; exit }')
debootstrap --variant=minbase --include=python3,python3-venv,ca-certificates "$VERSION_CODENAME" "$work/base" "$mirror" > "$work/log"
for path in /etc/pip.conf /etc/ssl/certs /etc/resolv.conf /etc/hosts; do
    [ ! -e "$path" ] || { rm -rf "${work:?}/base$path"; cp -rL "$path" "$work/base$path"; }
done
tar -C "$work/base" -cf "$work/base.tar" .
rm -rf "$work/base"
{
    echo FROM scratch
    echo ADD base.tar /
    index_settings | while IFS= read -r -d '' setting; do echo "ENV ${setting%%=*}=\"${setting#*=}\""; done
} > "$work/Base"
store bud --quiet --isolation chroot --file "$work/Base" --tag localhost/base "$work" > /dev/null
rm "$work/base.tar"

echo "== building"
store bud --isolation chroot --build-arg PYTHON_IMAGE=localhost/base --tag localhost/crs-eval . > "$work/log" 2>&1 ||
    { tail -n 20 "$work/log" >&2; exit 1; }

echo "== trying, read-only and as the image's user"
root=$(store mount "$(store from localhost/crs-eval)")
inside() {
    unshare --mount --pid --fork --kill-child -- sh -ec '
        root=$1; shift
        mount --bind "$root" "$root"
        mount -o remount,ro,bind "$root"
        mount -t proc proc "$root/proc"
        mount -t tmpfs tmpfs "$root/tmp"
        mount --bind /dev/null "$root/dev/null" 2> /dev/null || mount -t devtmpfs none "$root/dev" || true
        exec chroot --userspec=10001:10001 "$root" env -i PATH=/app/.venv/bin:/usr/bin:/bin PYTHONDONTWRITEBYTECODE=1 sh -ec "$*"
    ' sh "$root" "$@"
}
inside /app/entrypoint.sh --version
inside '
    /app/entrypoint.sh --port 8765 & service=$!
    for _ in $(seq 100); do /app/healthy.sh $service 2> /dev/null && break; sleep 0.1; done
    /app/healthy.sh $service
    if touch /app/written 2> /dev/null; then echo The root can be written to. >&2; exit 1; fi
    kill $service; wait $service || true
    if /app/healthy.sh $service 2> /dev/null; then echo A stopped service counts as healthy. >&2; exit 1; fi
'
echo "== the image builds; its service starts, answers its health check on another port, and stops"
