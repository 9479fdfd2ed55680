#!/bin/sh
# The files of Debian packages of another architecture in a folder, without installing anything:
# unpack_packages.sh ARCHITECTURE FOLDER PACKAGE...

architecture=$1 folder=$2
shift 2
command -v apt-get > /dev/null || {
    echo "$0: packages of $architecture come from apt-get, which is not here" >&2
    exit 2
}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/new"
: > "$work/status"
# A state of its own: apt here knows this machine's architecture only, and should go on so.
apt="-qq -o APT::Architecture=$architecture -o APT::Architectures=$architecture -o Dir::State=$work
    -o Dir::State::Status=$work/status -o Dir::Cache=$work/cache -o APT::Sandbox::User=root"
# shellcheck disable=SC2086
apt-get $apt update && (cd "$work" && apt-get $apt download "$@") || exit 1
for package in "$work"/*.deb; do
    dpkg-deb -x "$package" "$work/new" || exit 1
done
rm -rf "$folder"
mkdir -p "$(dirname "$folder")"
mv "$work/new" "$folder"
