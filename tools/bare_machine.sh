#!/bin/bash
# Runs commands on a bare Debian: a new root with the packages that README.md asks for, and this checkout as committed.
#   tools/bare_machine.sh [--user] [COMMAND ...]     default: `make demo` and `make test`
# `--user` runs them as an ordinary user; else they run as root, who installs what the suites want.
# Needs root and debootstrap. Packages come from this machine's own Debian mirror. EVERY_TOOLCHAIN and NEEDS_BROWSER
# are passed on. The root and what is mounted in it are gone at the end, however it ends.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/index_settings.sh
NEEDED=python3,python3-venv,git,make

stop() {
    echo "$1" >&2
    exit 2
}

# The root without the checkout, kept as an archive: making it takes a minute.
make_archive() {
    local suite=$1 archive=$2 mirror base
    mirror=$(apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Identifier: Packages' |
        awk -v suite="$suite" '$1 == suite { print $2; exit }')
    [ -n "$mirror" ] || stop "No Debian mirror for $suite stands in /etc/apt."
    base=$work/base
    debootstrap --variant=minbase --include="$NEEDED" "$suite" "$base" "$mirror" > "$work/debootstrap.log" ||
        { tail -n 5 "$work/debootstrap.log" >&2; stop "debootstrap failed."; }
    mkdir -p "$(dirname "$archive")"
    tar -C "$base" -cf "$work/base.tar" .
    mv "$work/base.tar" "$archive"
    rm -rf "$base"
}

# Parts that this machine itself needs to reach its indexes: names, certificates, settings of apt, pip and npm.
copy_connections() {
    local path setting
    local paths=(/etc/resolv.conf /etc/hosts /etc/pip.conf /etc/npmrc /etc/ssl/certs /etc/apt/sources.list /etc/apt/sources.list.d)
    while IFS= read -r path; do paths+=("$path"); done < <(grep -lsE '^ *Acquire' /etc/apt/apt.conf /etc/apt/apt.conf.d/* || true)
    for setting in "${settings[@]}"; do
        case ${setting#*=} in /*) paths+=("${setting#*=}") ;; esac
    done
    for path in "${paths[@]}"; do
        [ -e "$path" ] || continue
        mkdir -p "$root$(dirname "$path")"
        rm -rf "${root:?}$path"
        cp -rL "$path" "$root$path"
    done
}

# Everything that runs in the root runs in its own namespaces: mounts and processes end with them.
run_inside() {
    unshare --mount --pid --fork --kill-child -- sh -ec '
        root=$1 user=$2 home=$3; shift 3
        trap "umount -R $root/dev $root/proc" EXIT
        mount --rbind /dev "$root/dev"
        mount -t proc proc "$root/proc"
        chroot --userspec="$user" "$root" env -i HOME="$home" "$@"
    ' sh "$root" "$user" "$home" "$@"
}

user=root home=/root
if [ "${1:-}" = --user ]; then
    user=newcomer home=/home/newcomer
    shift
fi
[ $# -gt 0 ] || set -- "make demo" "make test"
[ "$(id -u)" = 0 ] || stop "A root of its own needs root: run this as root."
command -v debootstrap > /dev/null || stop "debootstrap is missing: apt-get install debootstrap"
. /etc/os-release
[ "$ID" = debian ] || stop "This machine is $ID: the bare machine is made from a Debian's own mirror."

work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
trap 'exit 130' INT TERM
archive=.cache/bare/$VERSION_CODENAME-$NEEDED.tar
[ -e "$archive" ] || make_archive "$VERSION_CODENAME" "$archive"
root=$work/root
mkdir "$root"
tar -C "$root" -xf "$archive"
mapfile -d '' settings < <(index_settings)
copy_connections
[ "$user" = root ] || chroot "$root" useradd --create-home "$user"
git clone --quiet . "$root$home/crs-eval"
chroot "$root" chown -R "$user:" "$home"
for name in EVERY_TOOLCHAIN NEEDS_BROWSER; do
    [ -z "${!name:-}" ] || settings+=("$name=${!name}")
done
path=/usr/local/bin:/usr/bin:/bin
[ "$user" != root ] || path=$path:/usr/local/sbin:/usr/sbin:/sbin

for command in "$@"; do
    echo "== bare $VERSION_CODENAME, as $user: $command"
    begun=$SECONDS
    run_inside PATH="$path" LANG=C.UTF-8 "${settings[@]}" sh -c "cd $home/crs-eval && $command"
    echo "== took $((SECONDS - begun)) s"
done
